//! Several variants of an application in one call: each beside the first.

use super::stages::{self, StageTimes};
use super::{AppError, Setup, Verified};
use crate::output::number::duration;
use crate::output::{Align, Table};
use serde::Serialize;
use warpwise::Variant;

/// How one of several variants did: its fields are the JSON, in order.
#[derive(Clone, Debug, Serialize)]
pub struct VariantRow {
    /// Its name.
    pub variant: String,
    /// Where it was computed.
    pub device: String,
    /// Time of everything.
    pub time_ms: f64,
    /// How much faster it is than the first.
    pub speedup: f64,
    /// Time of each stage; omitted where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stages_ms: Option<StageTimes>,
    /// The comparison of the result; omitted if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
}

impl Setup {
    /// A setup for each of the variants that this one names: with commas between them, or `all` that run there.
    pub(super) fn each(&self, primitive: &'static str, variants: &[Variant]) -> Result<Vec<Self>, AppError> {
        let with = |name: &str| Self { variant: Some(name.to_owned()), ..self.clone() };
        let setups: Vec<Self> = match self.variant.as_deref() {
            None => vec![self.clone()],
            Some("all") => variants.iter().filter(|v| self.place.runs(v.runs_on)).map(|v| with(v.name)).collect(),
            Some(names) => names.split(',').map(|name| with(name.trim())).collect(),
        };
        setups.iter().try_for_each(|setup| setup.check(primitive, variants))?;
        Ok(setups)
    }
}

/// Says of each how much faster it is than the first.
pub(super) fn beside_the_first(rows: &mut [VariantRow]) {
    let Some(first) = rows.first().map(|row| row.time_ms) else { return };
    for row in rows {
        row.speedup = if row.time_ms > 0.0 { first / row.time_ms } else { 1.0 };
    }
}

/// One row per variant: totals, speed-ups, and where the time went.
pub(super) fn table(title: &str, rows: &[VariantRow]) -> Table {
    let shown = |stage: &str| rows.iter().any(|row| time_of(row, stage).is_some());
    let stages: Vec<&str> = STAGES.iter().map(|(name, _)| *name).filter(|name| shown(name)).collect();
    let words =
        [("variant", Align::Left), ("device", Align::Left), ("total", Align::Right), ("speed-up", Align::Right)];
    let headings = words.into_iter().chain(stages.iter().map(|name| (*name, Align::Right)));
    let headings: Vec<(&str, Align)> = headings.chain([("result", Align::Left)]).collect();
    let cells = |(at, row): (usize, &VariantRow)| {
        let total =
            [row.variant.clone(), row.device.clone(), duration(row.time_ms / 1e3), format!("{:.2}", row.speedup)];
        let result = match &row.verified {
            Some(verified) if verified.ok => "agrees".to_owned(),
            Some(verified) => format!("{} of {} values differ", verified.differing, verified.values),
            None if at == 0 => "base".to_owned(),
            None => "not compared".to_owned(),
        };
        let time = |stage: &&str| time_of(row, stage).map_or_else(|| "-".to_owned(), |ms| duration(ms / 1e3));
        total.into_iter().chain(stages.iter().map(time)).chain([result]).collect::<Vec<String>>()
    };
    Table::new(title, &headings, rows.iter().enumerate().map(cells))
}

/// What has to be said about the table.
pub(super) fn note(rows: &[VariantRow]) -> &'static str {
    match rows.iter().any(|row| row.device == "emulator") {
        true => {
            "Times of the emulator are not those of a GPU: `warpwise explain` and `warpwise bench` estimate these.\n"
        }
        false => "",
    }
}

/// The stages of the table, and what they are called on either side.
const STAGES: [(&str, &[&str]); 5] = [
    ("upload", &["upload"]),
    ("compute", &["kernel", "iterations"]),
    ("averages", &[stages::AVERAGES]),
    ("download", &["download"]),
    ("memory", &["allocate", "free", "start"]),
];

fn time_of(row: &VariantRow, stage: &str) -> Option<f64> {
    let (_, names) = STAGES.iter().find(|(name, _)| *name == stage)?;
    let times = row.stages_ms.as_ref()?;
    let found: Vec<f64> = names.iter().filter_map(|name| times.get(*name)?.as_f64()).collect();
    (!found.is_empty()).then(|| found.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use warpwise::heat;

    fn names(setup: &Setup) -> Vec<String> {
        setup.each("heat", heat::VARIANTS).unwrap().into_iter().filter_map(|setup| setup.variant).collect()
    }

    #[test]
    fn lists_and_all_are_several() {
        let named = |variant: &str, place| Setup { place, variant: Some(variant.to_owned()), ..Setup::default() };
        assert_eq!(names(&named("cpu-seq, gpu-4-fused", Place::Auto)), ["cpu-seq", "gpu-4-fused"]);
        assert_eq!(names(&named("all", Place::Cpu)), ["cpu-seq", "cpu-par"]);
        assert_eq!(names(&named("all", Place::Auto)).len(), heat::VARIANTS.len());
        assert!(names(&Setup::default()).is_empty());
        let wrong = named("cpu-seq,nothing", Place::Auto).each("heat", heat::VARIANTS).unwrap_err().to_string();
        assert!(wrong.contains("heat has no variant nothing: use one of cpu-seq"), "{wrong}");
    }

    #[test]
    fn stages_stand_apart() {
        let row = |variant: &str, time_ms, stages: serde_json::Value| VariantRow {
            variant: variant.into(),
            device: "emulator".into(),
            time_ms,
            speedup: 1.0,
            stages_ms: stages.as_object().cloned(),
            verified: None,
        };
        let slow = row("slow", 8.0, serde_json::json!({"allocate": 1.0, "upload": 2.0, "kernel": 3.0, "free": 2.0}));
        let mut rows = vec![slow, row("fast", 2.0, serde_json::Value::Null)];
        beside_the_first(&mut rows);
        assert_eq!(rows[1].speedup, 4.0);
        let text = table("heat", &rows).text();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["variant", "device", "total", "speed-up", "upload", "compute", "memory", "result"]);
        assert!(lines[1].ends_with(&["3.00", "ms", "3.00", "ms", "base"]), "{text}");
        assert!(lines[2].ends_with(&["4.00", "-", "-", "-", "not", "compared"]), "{text}");
    }
}

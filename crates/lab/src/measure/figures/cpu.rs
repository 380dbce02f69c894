//! What a published experiment takes on the CPU of this machine: measured in part, and continued to the whole.

use super::Entry;
use super::estimate::{Estimated, tidy};
use super::like::{configuration, request};
use crate::Place;
use crate::measure::bench::{self, Row};
use crate::measure::stats::Rule;
use serde_json::{Map, Value};
use warpwise::primitive::{Cost, Extent, Problem, Setting};

/// The device of these estimates.
pub(crate) const HERE: &str = "cpu";
/// Published milliseconds beyond which the whole is not run.
pub(super) const LONG: f64 = 1000.0;
/// Elements that are measured, at most.
const PART: usize = 1 << 18;

/// Estimates an entry of the CPU: a part of it is measured here.
pub(super) fn estimate(entry: &Entry, interrupted: &dyn Fn() -> bool) -> Result<Estimated, String> {
    let part = entry.within(PART);
    let rule = Rule { warm_up: 0.0, least_samples: 2, noise: 1e9, time_limit: 0.0, shortest_sample: 1e-4 };
    let request = request(&part, vec![Place::Cpu], rule, &[entry.variant]);
    let measured = bench::run(&request, &|_, _| (), interrupted).map_err(|error| error.to_string())?;
    let row = measured.results.first().ok_or("it was not measured")?;
    let (whole, some) = (cost(entry), cost(&part));
    let ms = row.median_ms.ok_or("it was not measured")? * whole.operations.max(1.0) / some.operations.max(1.0);
    let mut counters = Map::new();
    counters.insert("operations".into(), Value::from(whole.operations as u64));
    counters.insert("bytes".into(), Value::from(whole.bytes as u64));
    let counted = match part == *entry {
        true => "measured here".to_owned(),
        false => {
            let steps = row.configuration.iterations.map_or_else(String::new, |steps| format!(", {steps} steps"));
            format!("measured here at {}{steps}, and continued", row.configuration.size())
        }
    };
    Ok(Estimated { device: HERE.into(), ms: tidy(ms), counters, counted, ..Estimated::default() })
}

/// The row of an entry that would take too long here.
pub(super) fn unmeasured(entry: &Entry) -> Row {
    let compared = Some("nothing: only a part of it was run".into());
    Row { configuration: configuration(entry, HERE), ok: true, compared, ..Row::default() }
}

/// Bytes and operations that an entry needs.
fn cost(entry: &Entry) -> Cost {
    let extents = entry.primitive.extents;
    let extent = match (entry.size, entry.n) {
        (Some((rows, cols)), _) => Extent::Plane { rows, cols },
        (None, n) => extents.of(n.unwrap_or(1)),
    };
    let ty = entry.primitive.types.iter().find(|ty| ty.name() == entry.ty);
    let usual = Problem::usual(entry.primitive);
    let mut settings = usual.settings.clone();
    for parameter in entry.primitive.parameters {
        if let Some(setting) = entry.settings.get(parameter.name) {
            settings = settings.with(parameter.name, setting);
        }
    }
    if let Some(Setting::Number(steps)) = entry.settings.get("iterations") {
        settings = settings.with("iterations", Setting::Number(steps));
    }
    Cost::of(&Problem { ty: ty.copied().unwrap_or(usual.ty), extent, settings, ..usual })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::all;

    #[test]
    fn a_part_stands_for_the_whole() {
        let radiator = all().into_iter().find(|figure| figure.name == "radiator").unwrap();
        let cpu = &radiator.entries[0];
        let (whole, part) = (cost(cpu), cost(&cpu.within(PART)));
        assert!((whole.operations / part.operations - (15360.0 / 17.0) * (100.0 / 3.0)).abs() < 1.0);
        let estimate = estimate(cpu, &|| false).unwrap();
        assert!(estimate.device == "cpu" && estimate.ms > 0.0 && estimate.counters["operations"].as_u64() > Some(0));
        assert_eq!(estimate.counted, "measured here at 17x15360, 3 steps, and continued");
    }
}

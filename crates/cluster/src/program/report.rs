//! What a run says at its end.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::run::{Common, Run};
use crate::Error;
use crate::communicator::{Communicator, gather_vectors};
use crate::timeline::Stage;

/// The result of a run.
pub(super) struct Report {
    /// For people: the result alone, so that other programs can use it.
    text: String,
    fields: Map<String, Value>,
    json: bool,
    page: Option<PathBuf>,
}

impl Report {
    pub(super) fn new(primitive: &str, common: &Common) -> Self {
        let mut fields = Map::new();
        fields.insert("schema".into(), json!(1));
        fields.insert("primitive".into(), json!(primitive));
        Self { text: String::new(), fields, json: common.json, page: common.page.clone() }
    }

    /// A field of the JSON.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// What is printed without `--json`.
    pub(super) fn text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    /// Prints the result in rank 0, with the times of all ranks, and writes the page.
    pub(super) fn show(mut self, run: &Run) -> Result<(), Error> {
        let all = ranks(run);
        if !run.is_first() {
            return Ok(());
        }
        let values: Vec<Value> = all.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if let Some(page) = &self.page {
            crate::pages::write(page, &crate::pages::timeline(&self.fields, &values))?;
        }
        if !self.json {
            if !self.text.is_empty() {
                println!("{}", self.text);
            }
            return Ok(());
        }
        let plain = values.into_iter().map(|mut rank| {
            rank.as_object_mut().and_then(|rank| rank.shift_remove("spans"));
            rank
        });
        self.fields.insert("ranks".into(), plain.collect());
        println!("{}", Value::Object(self.fields));
        Ok(())
    }
}

/// A line of JSON for every rank: where it ran, and its times by stage.
fn ranks(run: &Run) -> Vec<String> {
    let begin = run.started.unwrap_or(0.0);
    let seconds = run.log.seconds() - begin;
    let mut stages = Map::new();
    let mut rest = seconds;
    for stage in Stage::ALL {
        let spans = run.log.spans();
        // What was before the start, waiting for all ranks to be there, does not count.
        let before: f64 = spans.iter().filter(|s| s.stage == stage && s.end <= begin).map(|s| s.end - s.begin).sum();
        let time = run.log.total(stage) - before;
        stages.insert(format!("{}_s", stage.name()), json!(time));
        rest -= time;
    }
    stages.insert("compute_s".into(), json!(rest.max(0.0)));
    let spans = run.log.spans();
    let spans = spans.iter().filter(|span| span.end > begin);
    let spans: Vec<Value> = spans.map(|s| json!([s.stage.name(), s.begin - begin, s.end - begin])).collect();
    let line = json!({
        "rank": run.ranks.rank(),
        "host": run.host,
        "device": run.place.device().name(),
        "threads": run.threads,
        "seconds": seconds,
        "stages": stages,
        "sent_bytes": run.log.sent(),
        "spans": spans,
    });
    let all = gather_vectors(&run.ranks, format!("{line}\n").as_bytes());
    String::from_utf8_lossy(&all).lines().map(str::to_owned).collect()
}

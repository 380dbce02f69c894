//! Counters in reports.

use crate::output::{Align, Table};
use serde::{Serialize, Serializer, ser::SerializeMap};
use warpwise_gpu::Counters;

/// The counters that every report has, in order; others follow them.
const FIRST: [&str; 17] = [
    "warp_instructions",
    "thread_instructions",
    "branches",
    "divergent_branches",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_load_conflicts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "shared_store_conflicts",
    "global_atomics",
    "shared_atomics",
    "barriers",
];

/// Counters as a JSON object: the names above come first, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterTable(pub Counters);

impl CounterTable {
    /// Names and values in the order of reports.
    pub fn ordered(&self) -> Vec<(&'static str, u64)> {
        let named: Vec<_> = self.0.named().collect();
        let first = FIRST.iter().filter_map(|name| named.iter().find(|(n, _)| n == name));
        let rest = named.iter().filter(|(name, _)| !FIRST.contains(name));
        first.chain(rest).copied().collect()
    }
}

impl Serialize for CounterTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ordered = self.ordered();
        let mut map = serializer.serialize_map(Some(ordered.len()))?;
        for (name, value) in ordered {
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

/// The counters in a few lines, without memory spaces that were not used.
pub(crate) fn short_table(c: &Counters) -> Table {
    let mut rows = vec![vec![
        "instructions".to_owned(),
        format!("{} of warps, {:.1} of 32 lanes active", c.warp_instructions, lanes(c)),
    ]];
    if c.branches > 0 {
        rows.push(vec!["branches".to_owned(), format!("{}, {} of them divergent", c.branches, c.divergent_branches)]);
    }
    let mut global = |name: &str, requests: u64, sectors: u64, bytes: u64| {
        if requests > 0 {
            let least = bytes.div_ceil(32);
            rows.push(vec![
                name.to_owned(),
                format!("{requests} requests, {sectors} sectors of 32 bytes ({least} would hold the bytes)"),
            ]);
        }
    };
    global("global loads", c.global_load_requests, c.global_load_sectors, c.global_load_bytes);
    global("global stores", c.global_store_requests, c.global_store_sectors, c.global_store_bytes);
    let mut shared = |name: &str, requests: u64, wavefronts: u64, conflicts: u64| {
        if requests > 0 {
            rows.push(vec![
                name.to_owned(),
                format!("{requests} requests, {wavefronts} wavefronts, {conflicts} of them bank conflicts"),
            ]);
        }
    };
    shared("shared loads", c.shared_load_requests, c.shared_load_wavefronts, c.shared_load_conflicts);
    shared("shared stores", c.shared_store_requests, c.shared_store_wavefronts, c.shared_store_conflicts);
    if c.global_atomics + c.shared_atomics > 0 {
        rows.push(vec![
            "atomics".to_owned(),
            format!(
                "{} global, {} shared; up to {} lanes at one address",
                c.global_atomics, c.shared_atomics, c.atomic_contention
            ),
        ]);
    }
    if c.barriers > 0 {
        rows.push(vec!["barriers".to_owned(), format!("{} arrivals of warps", c.barriers)]);
    }
    Table::new("counters", &[("counter", Align::Left), ("value", Align::Left)], rows)
}

/// Average number of active lanes per warp instruction.
#[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
pub(crate) fn lanes(c: &Counters) -> f64 {
    if c.warp_instructions == 0 { 0.0 } else { c.thread_instructions as f64 / c.warp_instructions as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_form_and_then_ours() {
        let json = serde_json::to_value(CounterTable(Counters::default())).expect("numbers");
        let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys[..FIRST.len()], FIRST);
        assert!(keys.contains(&"global_load_bytes") && keys.contains(&"atomic_contention"), "{keys:?}");
        assert_eq!(keys.len(), Counters::default().named().count());
    }

    #[test]
    fn what_was_not_used_is_not_shown() {
        let counters = Counters { warp_instructions: 10, thread_instructions: 160, barriers: 2, ..Counters::default() };
        let text = short_table(&counters).text();
        assert!(text.contains("16.0 of 32 lanes") && text.contains("barriers"), "{text}");
        assert!(!text.contains("global") && !text.contains("atomics"), "{text}");
    }
}

//! Budgets: `divergent_branches = "<= 10"`, `occupancy = ">= 50"`.

use super::document::{Document, Entry, Keys, number};
use super::error::LaunchFileError;
use crate::kernels::counters::CounterTable;
use crate::kernels::run::parse_count;
use warpwise_gpu::Counters;

/// What a counter, or the occupancy, must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// Its line in the launch file.
    pub(super) line: u32,
    /// Its name.
    pub(super) name: &'static str,
    relation: &'static str,
    limit: u64,
}

/// A sign, and whether a counter may stand before it and a number after it.
type Relation = (&'static str, fn(u64, u64) -> bool);

/// How a counter may be compared with a number. A longer sign comes before one that it begins with.
const RELATIONS: [Relation; 5] =
    [("<=", |a, b| a <= b), (">=", |a, b| a >= b), ("==", |a, b| a == b), ("<", |a, b| a < b), (">", |a, b| a > b)];

impl Budget {
    /// The budgets of a launch.
    pub(super) fn read_all<'a>(launch: &Keys<'a>) -> Result<Vec<Self>, LaunchFileError> {
        let Some(entry) = launch.get("counters") else { return Ok(Vec::new()) };
        let known = CounterTable(Counters::default()).ordered();
        let names: Vec<&'static str> = known.iter().map(|(name, _)| *name).collect();
        let what = "a table such as { shared_load_conflicts = 0 }";
        let table = launch.document.table(entry, "counters", what, &names)?;
        let read = |(key, entry): (&'a str, Entry<'a>)| {
            let name = names.iter().copied().find(|name| *name == key).unwrap_or_default();
            Self::read(launch.document, name, entry)
        };
        table.all().into_iter().map(read).collect()
    }

    /// The occupancy that a launch must have, in percent.
    pub(super) fn of_occupancy(launch: &Keys<'_>) -> Result<Option<Self>, LaunchFileError> {
        launch.get("occupancy").map(|entry| Self::read(launch.document, "occupancy", entry)).transpose()
    }

    fn read<'a>(document: Document<'a>, name: &'static str, entry: Entry<'a>) -> Result<Self, LaunchFileError> {
        let wrong = || {
            let problem = format!("`{name}` is a number, or a limit such as \"<= 10\" with <=, <, >=, > or ==");
            document.error(entry.span(), problem)
        };
        let text = number(entry).ok_or_else(wrong)?;
        let text = text.trim();
        let found = RELATIONS.iter().find_map(|(sign, _)| Some((*sign, text.strip_prefix(sign)?)));
        let (relation, limit) = found.unwrap_or(("==", text));
        let limit = parse_count(limit).map_err(|_| wrong())?;
        Ok(Self { line: document.line(entry.span()), name, relation, limit })
    }

    /// What is wrong with the counters, if the budget does not hold.
    pub(super) fn broken(&self, counters: Option<&CounterTable>) -> Option<String> {
        let Some(counters) = counters else {
            let (name, wanted) = (self.name, self.wanted());
            return Some(format!("{name} should be {wanted}, but nothing was counted, because the kernel did not end"));
        };
        self.missed(counters.ordered().into_iter().find(|(known, _)| *known == self.name).map_or(0, |(_, value)| value))
    }

    /// What is wrong with a value, if the budget does not hold.
    pub(super) fn missed(&self, value: u64) -> Option<String> {
        let relation = RELATIONS.iter().find(|(sign, _)| *sign == self.relation);
        let holds = relation.is_some_and(|(_, holds)| holds(value, self.limit));
        (!holds).then(|| format!("{} is {value}, but should be {}", self.name, self.wanted()))
    }

    fn wanted(&self) -> String {
        if self.relation == "==" { self.limit.to_string() } else { format!("{} {}", self.relation, self.limit) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_is_compared() {
        let counters = CounterTable(Counters { barriers: 4, ..Counters::default() });
        for (relation, limit, holds) in
            [("==", 4, true), ("==", 5, false), ("<=", 4, true), ("<", 4, false), (">=", 5, false), (">", 3, true)]
        {
            let budget = Budget { line: 1, name: "barriers", relation, limit };
            assert_eq!(budget.broken(Some(&counters)).is_none(), holds, "{relation} {limit}");
        }
        let budget = Budget { line: 1, name: "barriers", relation: "<", limit: 3 };
        assert_eq!(budget.broken(Some(&counters)).unwrap(), "barriers is 4, but should be < 3");
        assert!(budget.broken(None).unwrap().contains("the kernel did not end"));
    }
}

//! Results that one text declares and another does not: a linker joins functions by name.

use std::collections::HashMap;
use std::ops::Range;

use super::input::Input;
use super::resolve::Resolution;
use super::statement::{Function, Statement};

/// Which functions that all texts can see have a result, and whose list of results is written.
///
/// C++ mangles no results, so texts may disagree. A definition that has no result gets that of its callers, which
/// nothing writes; and callers that declare none do not take the one that there is.
pub(super) struct Results<'i, 's> {
    /// For each name, the text and the list with its brackets: that of the definition, else of the first declaration.
    lists: HashMap<&'s str, (&'i Input<'s>, Range<usize>)>,
    resolution: &'i Resolution<'s>,
}

impl<'i, 's> Results<'i, 's> {
    pub(super) fn of(inputs: &'i [Input<'s>], resolution: &'i Resolution<'s>) -> Self {
        let mut lists = HashMap::new();
        for input in inputs {
            for (at, statement) in input.statements.iter().enumerate() {
                let Statement::Function(it) = statement else { continue };
                if it.results.is_empty() || resolution.own[input.index].contains_key(it.name) {
                    continue;
                }
                let list = (input, it.results.clone());
                if resolution.keeps(it.name, (input.index, at)) {
                    lists.insert(it.name, list);
                } else {
                    lists.entry(it.name).or_insert(list);
                }
            }
        }
        Self { lists, resolution }
    }

    /// The list of results that the header of a function gets beside what its text says.
    pub(super) fn added(&self, input: &Input<'s>, function: &Function<'s>) -> Option<(&'i Input<'s>, Range<usize>)> {
        let lacks = function.results.is_empty() && !function.is_kernel;
        lacks.then(|| self.list(input, function.name).cloned()).flatten()
    }

    /// Whether a function that a text calls by this name has a result.
    pub(super) fn has(&self, input: &Input<'s>, name: &str) -> bool {
        self.list(input, name).is_some()
    }

    fn list(&self, input: &Input<'s>, name: &str) -> Option<&(&'i Input<'s>, Range<usize>)> {
        let is_own = self.resolution.own[input.index].contains_key(name);
        self.lists.get(name).filter(|_| !is_own)
    }
}

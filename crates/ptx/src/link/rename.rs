//! New names for what only one text can see.

use std::collections::{HashMap, HashSet};

use super::input::Input;
use super::resolve::Resolution;
use crate::token::Kind;

/// For each text, the new names of its own, and the new numbers of its files.
pub(super) struct Renames<'s> {
    pub(super) names: Vec<HashMap<&'s str, String>>,
    pub(super) files: Vec<HashMap<u32, u32>>,
    /// Paths of files in their new order, quotes included.
    pub(super) paths: Vec<&'s str>,
}

impl<'s> Renames<'s> {
    pub(super) fn of(inputs: &[Input<'s>], resolution: &Resolution<'s>) -> Self {
        let (files, paths) = files(inputs);
        Self { names: names(inputs, resolution), files, paths }
    }
}

fn names<'s>(inputs: &[Input<'s>], resolution: &Resolution<'s>) -> Vec<HashMap<&'s str, String>> {
    // The first text to use a name for its own keeps it, unless the name is one that all can see.
    let mut taken = HashSet::new();
    let mut words = None;
    let own = resolution.own.iter().map(|own| {
        let mut own: Vec<_> = own.iter().collect();
        own.sort_by_key(|&(name, statement)| (statement, name));
        let mut renamed = HashMap::new();
        for (&name, _) in own {
            if resolution.globals.contains_key(name) || !taken.insert(name) {
                let words = words.get_or_insert_with(|| all_words(inputs));
                renamed.insert(name, fresh(name, words));
            }
        }
        renamed
    });
    own.collect()
}

/// Every word of every text: a new name must not be one that a function has for something of its own.
fn all_words<'s>(inputs: &[Input<'s>]) -> HashMap<&'s str, u32> {
    let tokens = inputs.iter().flat_map(|input| input.tokens.iter().map(move |&token| (input, token)));
    tokens.filter(|(_, token)| token.kind == Kind::Word).map(|(input, token)| (input.text(token), 0)).collect()
}

/// A name that no text has; how many were made of a name is counted, so that many take no longer than few.
fn fresh<'s>(name: &'s str, words: &mut HashMap<&'s str, u32>) -> String {
    let mut count = words.get(name).copied().unwrap_or(0);
    let new = loop {
        count += 1;
        let new = format!("{name}__{count}");
        if !words.contains_key(new.as_str()) {
            break new;
        }
    };
    words.insert(name, count);
    new
}

/// One number for each path.
fn files<'s>(inputs: &[Input<'s>]) -> (Vec<HashMap<u32, u32>>, Vec<&'s str>) {
    use super::statement::Statement;
    let mut paths = Vec::new();
    let mut known = HashMap::new();
    let mut all = Vec::new();
    for input in inputs {
        let mut numbers = HashMap::new();
        for statement in &input.statements {
            if let Statement::File { index, path } = statement {
                let number = *known.entry(*path).or_insert_with(|| {
                    paths.push(*path);
                    paths.len() as u32
                });
                numbers.insert(*index, number);
            }
        }
        all.push(numbers);
    }
    (all, paths)
}

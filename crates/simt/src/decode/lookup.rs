//! The names of a module, found without a search.

use std::collections::{HashMap, HashSet};

use warpwise_ptx::ast::{Module, Space};

use super::headers::is_header;

/// What names and numbers of files stand for.
pub(super) struct Lookup<'m> {
    pub(super) module: &'m Module,
    functions: HashMap<&'m str, usize>,
    variables: HashMap<&'m str, Space>,
    /// What aliases stand for.
    aliases: HashMap<&'m str, &'m str>,
    /// Files that are headers of a compiler.
    headers: HashSet<u32>,
}

impl<'m> Lookup<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        // Of names and numbers that occur twice, the first counts.
        let functions = module.functions.iter().enumerate().rev().map(|(at, function)| (&*function.name, at));
        let variables = module.variables.iter().rev().map(|variable| (&*variable.name, variable.space));
        let aliases = module.aliases.iter().rev().map(|alias| (&*alias.name, &*alias.target));
        let files: HashMap<u32, &str> = module.files.iter().rev().map(|file| (file.index, &*file.path)).collect();
        Self {
            module,
            functions: functions.collect(),
            variables: variables.collect(),
            aliases: aliases.collect(),
            headers: files.into_iter().filter(|(_, path)| is_header(path)).map(|(index, _)| index).collect(),
        }
    }

    /// The function of that name.
    pub(super) fn function(&self, name: &str) -> Option<usize> {
        self.functions.get(name).copied()
    }

    /// The function that a call of that name reaches.
    pub(super) fn callee(&self, name: &str) -> Option<usize> {
        let target = self.aliases.get(name).copied().filter(|target| self.functions.contains_key(target));
        self.function(target.unwrap_or(name))
    }

    /// The state space of the variable of that name.
    pub(super) fn space(&self, name: &str) -> Option<Space> {
        self.variables.get(name).copied()
    }

    /// Whether a file is a header that a compiler brings along.
    pub(super) fn is_header(&self, file: u32) -> bool {
        self.headers.contains(&file)
    }
}

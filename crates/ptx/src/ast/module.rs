//! The module as a whole.

use super::{Function, FunctionKind, Variable};

/// A PTX file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// `.version`: major, minor.
    pub version: (u32, u32),
    /// `.target`.
    pub target: Target,
    /// `.address_size`: 32 or 64.
    pub address_size: u32,
    /// `.file` entries.
    pub files: Vec<SourceFile>,
    /// Module-level variables, in order.
    pub variables: Vec<Variable>,
    /// Functions, in order; a declaration that is followed by its definition is listed once, defined.
    pub functions: Vec<Function>,
    /// `.alias` directives.
    pub aliases: Vec<Alias>,
}

/// `.alias name, target;`: calls of one function reach another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The function that is only declared.
    pub name: Box<str>,
    /// The defined function it stands for.
    pub target: Box<str>,
}

/// `.target sm_90a, debug`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// `sm_90a`.
    pub arch: Box<str>,
    /// The words after it.
    pub options: Vec<Box<str>>,
}

/// A `.file` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The path as the compiler wrote it.
    pub path: Box<str>,
}

impl Module {
    /// The kernels defined here, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|f| f.kind == FunctionKind::Entry && f.body.is_some())
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|f| &*f.name == name)
    }

    /// The function that a call of that name reaches: the target of an alias, or the function itself.
    pub fn callee(&self, name: &str) -> Option<&Function> {
        let alias = self.aliases.iter().find(|alias| &*alias.name == name);
        self.function(alias.map_or(name, |alias| &alias.target))
    }

    /// The module-level variable of that name.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| &*v.name == name)
    }

    /// The path that a `.loc` file number stands for.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.files.iter().find(|f| f.index == index).map(|f| &*f.path)
    }
}

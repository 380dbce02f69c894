//! Which definition every name means.

use std::collections::HashMap;

use super::input::Input;
use super::statement::Statement;
use super::{LinkError, Undefined};
use crate::ast::Linkage;

/// Functions that the driver provides.
const SYSTEM: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// How the names of functions start that the device runtime provides.
const RUNTIME: [&str; 2] = ["cuda", "__cudaCDP2"];

/// A statement of an input.
pub(super) type Place = (usize, usize);

/// What a text says about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// It is needed, and defined elsewhere.
    Import,
    /// Dynamic shared memory.
    Dynamic,
    /// Of several, the largest is kept.
    Common,
    /// Of several, the first is kept.
    Weak,
    /// There can be only one.
    Strong,
}

/// A name that all texts can see.
pub(super) struct Global {
    claim: Claim,
    is_function: bool,
    /// The statement that is kept.
    pub(super) place: Place,
}

/// What names mean.
pub(super) struct Resolution<'s> {
    /// Names that all texts can see.
    pub(super) globals: HashMap<&'s str, Global>,
    /// For each text, the names that it alone can see, with the statement that defines them.
    pub(super) own: Vec<HashMap<&'s str, usize>>,
}

impl<'s> Resolution<'s> {
    pub(super) fn of(inputs: &[Input<'s>]) -> Result<Self, LinkError> {
        let mut globals = HashMap::new();
        let mut own = Vec::with_capacity(inputs.len());
        let mut order = Vec::new();
        for input in inputs {
            let mine = names(input);
            let mut said: Vec<_> = mine.globals.into_iter().collect();
            said.sort_by_key(|(_, said)| said.statement);
            for (name, said) in said {
                match globals.get_mut(name) {
                    None => drop(globals.insert(name, said.at(input))),
                    Some(before) => meet(inputs, name, before, &said.at(input))?,
                }
            }
            order.extend(mine.order);
            own.push(mine.own);
        }
        let mut symbols = Vec::new();
        for name in order {
            let Some(global) = globals.get(name) else { continue };
            let is_runtime = RUNTIME.iter().any(|start| name.starts_with(start));
            let known = global.is_function && (SYSTEM.contains(&name) || is_runtime);
            if global.claim == Claim::Import && !known && !symbols.iter().any(|it: &Undefined| it.name == name) {
                symbols.push(Undefined { name: name.to_owned(), input: global.place.0 });
            }
        }
        if !symbols.is_empty() {
            return Err(LinkError::Undefined { symbols });
        }
        Ok(Self { globals, own })
    }

    /// Whether a statement that declares or defines a name is the one that is kept.
    pub(super) fn keeps(&self, name: &str, place: Place) -> bool {
        match self.own[place.0].get(name) {
            Some(&statement) => statement == place.1,
            None => self.globals.get(name).is_some_and(|global| global.place == place),
        }
    }
}

/// What a text says about its names.
struct Names<'s> {
    globals: HashMap<&'s str, Said>,
    own: HashMap<&'s str, usize>,
    /// The names that it imports, in order.
    order: Vec<&'s str>,
}

#[derive(Clone, Copy)]
struct Said {
    claim: Claim,
    is_function: bool,
    statement: usize,
}

impl Said {
    fn at(self, input: &Input<'_>) -> Global {
        Global { claim: self.claim, is_function: self.is_function, place: (input.index, self.statement) }
    }
}

fn names<'s>(input: &Input<'s>) -> Names<'s> {
    let mut names = Names { globals: HashMap::new(), own: HashMap::new(), order: Vec::new() };
    let mut declared = HashMap::new();
    let mut aliases = Vec::new();
    for (statement, it) in input.statements.iter().enumerate() {
        let (name, linkage, is_function, is_defined, is_dynamic) = match it {
            Statement::Function(it) => (it.name, it.linkage, true, it.body.is_some(), false),
            Statement::Variable(it) => (it.name, it.linkage, false, it.linkage != Linkage::Extern, it.is_dynamic),
            Statement::Alias { name, .. } => {
                aliases.push(*name);
                continue;
            }
            Statement::Section { name: ".debug_str", inside } => {
                own_labels(input, inside.clone(), statement, &mut names.own);
                continue;
            }
            _ => continue,
        };
        let claim = match (linkage, is_defined) {
            _ if is_dynamic => Claim::Dynamic,
            (Linkage::Private, true) => {
                declared.remove(name);
                names.own.insert(name, statement);
                continue;
            }
            // A private function may be declared before it is defined.
            (_, false) => {
                declared.entry(name).or_insert(Said { claim: Claim::Import, is_function, statement });
                continue;
            }
            (Linkage::Weak, true) => Claim::Weak,
            (Linkage::Common, true) => Claim::Common,
            (_, true) => Claim::Strong,
        };
        names.globals.insert(name, Said { claim, is_function, statement });
    }
    // An alias is a definition of what it only declares.
    for name in aliases {
        if let Some(said) = declared.get_mut(name) {
            said.claim = Claim::Weak;
        }
    }
    let mut imports: Vec<_> = declared.into_iter().filter(|(name, _)| !names.own.contains_key(name)).collect();
    imports.sort_by_key(|(_, said)| said.statement);
    for (name, said) in imports {
        names.order.push(name);
        names.globals.entry(name).or_insert(said);
    }
    names
}

/// Labels of the strings that lines refer to.
fn own_labels<'s>(
    input: &Input<'s>,
    inside: std::ops::Range<usize>,
    statement: usize,
    own: &mut HashMap<&'s str, usize>,
) {
    use crate::token::Kind;
    for pair in input.tokens[inside].windows(2) {
        if pair[0].kind == Kind::Word && pair[1].kind == Kind::Punct(b':') {
            own.insert(input.text(pair[0]), statement);
        }
    }
}

/// A name that an earlier text has too.
fn meet(inputs: &[Input<'_>], name: &str, before: &mut Global, now: &Global) -> Result<(), LinkError> {
    let (first, second) = (before.place.0, now.place.0);
    if before.is_function != now.is_function {
        return Err(LinkError::Kind { name: name.to_owned(), first, second });
    }
    if before.claim == Claim::Strong && now.claim == Claim::Strong {
        return Err(LinkError::Duplicate { name: name.to_owned(), first, second });
    }
    let rank = |global: &Global| (global.claim, measure(inputs, global));
    if rank(now) > rank(before) {
        *before = Global { claim: now.claim, is_function: now.is_function, place: now.place };
    }
    Ok(())
}

/// Of two variables that are alike, the one that asks for more is kept.
fn measure(inputs: &[Input<'_>], global: &Global) -> u64 {
    let input = &inputs[global.place.0];
    let Statement::Variable(variable) = &input.statements[global.place.1] else { return 0 };
    match global.claim {
        Claim::Dynamic => variable.align,
        Claim::Common => {
            let bounds = input.tokens[variable.own.clone()].iter().filter_map(|&it| input.text(it).parse().ok());
            bounds.fold(1, u64::saturating_mul)
        }
        _ => 0,
    }
}

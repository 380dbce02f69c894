//! The linked text.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use super::input::Input;
use super::rename::Renames;
use super::resolve::{Place, Resolution};
use super::results::Results;
use super::statement::{Function, Statement, Variable};
use crate::ast::Linkage;
use crate::token::Kind;

/// Writes the linked text: headers, declarations of functions, variables, functions.
pub(super) fn write(inputs: &[Input<'_>], resolution: &Resolution<'_>, renames: &Renames<'_>) -> String {
    let length = inputs.iter().map(|input| input.source.len()).sum();
    let results = Results::of(inputs, resolution);
    let mut writer = Writer { inputs, resolution, renames, results, out: String::with_capacity(length) };
    writer.headers();
    writer.pragmas();
    writer.declarations();
    writer.variables();
    writer.functions();
    writer.aliases();
    writer.files();
    writer.strings();
    writer.out
}

/// A variable by its number, declared or defined.
enum Piece {
    Declared(usize),
    Defined(usize),
}

/// How far a variable is while variables are put in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    /// What it points to is being written.
    Open,
    /// It may be referred to.
    Declared,
}

struct Writer<'i, 's> {
    inputs: &'i [Input<'s>],
    resolution: &'i Resolution<'s>,
    renames: &'i Renames<'s>,
    results: Results<'i, 's>,
    out: String,
}

impl<'i, 's> Writer<'i, 's> {
    /// All statements of all texts, with their places.
    fn statements(&self) -> impl Iterator<Item = (Place, &'i Input<'s>, &'i Statement<'s>)> + use<'i, 's> {
        self.inputs.iter().flat_map(|input| {
            input.statements.iter().enumerate().map(move |(at, statement)| ((input.index, at), input, statement))
        })
    }

    /// The functions that are kept, in order: definitions, and declarations of what is defined nowhere.
    fn kept_functions(&self) -> Vec<(&'i Input<'s>, &'i Function<'s>)> {
        let functions = self.statements().filter_map(|(place, input, statement)| match statement {
            Statement::Function(function) if self.resolution.keeps(function.name, place) => Some((input, function)),
            _ => None,
        });
        functions.collect()
    }

    fn headers(&mut self) {
        let version = self.inputs.iter().map(|input| input.version).max().unwrap_or_default();
        let target =
            self.inputs.iter().map(|input| &*input.target).max_by_key(|target| rank(target)).unwrap_or_default();
        let mut options: Vec<&str> = Vec::new();
        for option in self.inputs.iter().flat_map(|input| &input.options) {
            // What makes a text one to debug are its sections, which are not kept.
            if &**option != "debug" && !options.contains(&&**option) {
                options.push(option);
            }
        }
        let options: String = options.iter().map(|option| format!(", {option}")).collect();
        let bits = self.inputs[0].address_size;
        let (major, minor) = version;
        let _ = writeln!(self.out, ".version {major}.{minor}\n.target {target}{options}\n.address_size {bits}\n");
    }

    fn pragmas(&mut self) {
        let mut seen = HashSet::new();
        for (_, input, statement) in self.statements() {
            if let Statement::Pragma { all } = statement {
                let mut text = String::new();
                plain(&mut text, input, all.clone(), &HashMap::new());
                if seen.insert(text.clone()) {
                    self.out.push_str(&text);
                    self.out.push('\n');
                }
            }
        }
    }

    /// Every function before anything that may refer to it, with the header of its definition. Kernels are referred to
    /// only where they are launched from kernels; then their own text declares them too.
    fn declarations(&mut self) {
        let declared: HashSet<&str> = self
            .statements()
            .filter_map(|(_, _, statement)| match statement {
                Statement::Function(it) if it.is_kernel && it.body.is_none() => Some(it.name),
                _ => None,
            })
            .collect();
        for (input, function) in self.kept_functions() {
            let end = match function.is_kernel {
                true if !declared.contains(function.name) => continue,
                // Launch bounds are said once, at the definition.
                true => function.signature_end,
                false => function.header.end,
            };
            self.header(input, function, end);
            self.out.push_str(";\n");
        }
        self.out.push('\n');
    }

    /// Every variable after those whose addresses it holds, as far as that is possible.
    fn variables(&mut self) {
        let kept: Vec<(&Input<'s>, &Variable<'s>)> = self
            .statements()
            .filter_map(|(place, input, statement)| match statement {
                Statement::Variable(it) if self.resolution.keeps(it.name, place) => Some((input, it)),
                _ => None,
            })
            .collect();
        for piece in self.in_order(&kept) {
            let (Piece::Declared(at) | Piece::Defined(at)) = piece;
            let (input, variable) = kept[at];
            let (prefix, own) = match piece {
                Piece::Defined(_) => (variable.prefix.clone(), variable.own.clone()),
                Piece::Declared(_) => {
                    self.out.push_str(".extern ");
                    (variable.space..variable.prefix.end, variable.own.start..variable.bounds_end)
                }
            };
            self.copy(input, prefix);
            self.out.push(' ');
            self.copy(input, own);
            self.out.push_str(";\n");
        }
        self.out.push('\n');
    }

    /// Depth first, without recursion. Where variables point to each other in a ring, one is declared before.
    fn in_order(&self, kept: &[(&Input<'s>, &Variable<'s>)]) -> Vec<Piece> {
        // A name of its own is known by its text, one that all can see without.
        let key = |input: &Input<'s>, name: &'s str| match self.resolution.own[input.index].contains_key(name) {
            true => (Some(input.index), name),
            false => (None, name),
        };
        let places: HashMap<_, _> =
            kept.iter().enumerate().map(|(at, (input, it))| (key(input, it.name), at)).collect();
        let needs = |at: usize| -> Vec<usize> {
            let (input, variable) = kept[at];
            let words = input.tokens[variable.own.clone()].iter().filter(|token| token.kind == Kind::Word);
            words.skip(1).filter_map(|&token| places.get(&key(input, input.text(token))).copied()).collect()
        };
        let mut pieces = Vec::with_capacity(kept.len());
        let mut state = vec![State::Unseen; kept.len()];
        let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
        for start in 0..kept.len() {
            if state[start] == State::Unseen {
                state[start] = State::Open;
                stack.push((start, needs(start)));
            }
            while let Some((at, rest)) = stack.last_mut() {
                match rest.pop() {
                    Some(next) if state[next] == State::Unseen => {
                        state[next] = State::Open;
                        stack.push((next, needs(next)));
                    }
                    Some(next) if state[next] == State::Open && kept[next].1.linkage != Linkage::Private => {
                        state[next] = State::Declared;
                        pieces.push(Piece::Declared(next));
                    }
                    Some(_) => {}
                    None => {
                        pieces.push(Piece::Defined(*at));
                        state[*at] = State::Declared;
                        stack.pop();
                    }
                }
            }
        }
        pieces
    }

    /// The header of a function, up to a token, with the result that callers expect of it.
    fn header(&mut self, input: &Input<'s>, function: &Function<'s>, end: usize) {
        let Some((from, results)) = self.results.added(input, function) else {
            return self.copy(input, function.header.start..end);
        };
        self.copy(input, function.header.start..function.results.start);
        self.out.push(' ');
        self.copy(from, results);
        self.out.push(' ');
        self.copy(input, function.results.end..end);
    }

    fn functions(&mut self) {
        for (input, function) in self.kept_functions() {
            if let Some(body) = &function.body {
                self.header(input, function, function.header.end);
                self.out.push('\n');
                self.copy(input, body.clone());
                self.out.push_str("\n\n");
            }
        }
    }

    fn aliases(&mut self) {
        let mut seen = HashSet::new();
        for (_, input, statement) in self.statements() {
            let Statement::Alias { name, all } = statement else { continue };
            // Where another text defines the name, that definition is meant.
            let kept = self.resolution.globals.get(name).is_none_or(|global| global.place.0 == input.index);
            let start = self.out.len();
            if kept {
                self.copy(input, all.clone());
                self.out.push('\n');
                if !seen.insert(self.out[start..].to_owned()) {
                    self.out.truncate(start);
                }
            }
        }
    }

    fn files(&mut self) {
        for (index, path) in self.renames.paths.iter().enumerate() {
            let _ = writeln!(self.out, ".file {} {path}", index + 1);
        }
    }

    /// The strings that lines refer to, in one section.
    fn strings(&mut self) {
        let mut open = false;
        for (_, input, statement) in self.statements() {
            let Statement::Section { name: ".debug_str", inside } = statement else { continue };
            if !std::mem::replace(&mut open, true) {
                self.out.push_str(".section .debug_str\n{\n");
            }
            plain(&mut self.out, input, inside.clone(), &self.renames.names[input.index]);
            self.out.push('\n');
        }
        if open {
            self.out.push_str("}\n");
        }
    }

    /// Copies a piece of a function or variable with its new names and numbers.
    fn copy(&mut self, input: &Input<'s>, range: Range<usize>) {
        let names = &self.renames.names[input.index];
        let files = &self.renames.files[input.index];
        code(&mut self.out, input, range, (names, files), &|name| self.results.has(input, name));
    }
}

/// `sm_90a` is above `sm_90`, and `sm_100` above both.
fn rank(target: &str) -> (u32, &str) {
    let number = target.rsplit_once('_').map_or("", |(_, number)| number);
    let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (digits.parse().unwrap_or(0), &number[digits.len()..])
}

/// Copies tokens with new names, whatever they are.
fn plain(out: &mut String, input: &Input<'_>, range: Range<usize>, names: &HashMap<&str, String>) {
    let mut copy = Copy::new(out, input, &range);
    for &token in &input.tokens[range] {
        if let Some(name) = (token.kind == Kind::Word).then(|| names.get(input.text(token))).flatten() {
            copy.replace(token.start, token.end, name);
        }
    }
    copy.end();
}

/// Copies code: opcodes are not names, and lines have the numbers of files. A call that leaves out the result of a
/// function that has one says that it does not want it.
fn code(
    out: &mut String,
    input: &Input<'_>,
    range: Range<usize>,
    (names, files): (&HashMap<&str, String>, &HashMap<u32, u32>),
    has_result: &dyn Fn(&str) -> bool,
) {
    let tokens = &input.tokens[range.clone()];
    let next = |at: usize| tokens.get(at + 1).map_or(Kind::End, |token| token.kind);
    // Only a body has statements; it starts with a brace.
    let mut at_start = tokens.first().is_some_and(|token| token.kind == Kind::Punct(b'{'));
    let mut is_guard = false;
    let mut copy = Copy::new(out, input, &range);
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        let text = input.text(token);
        match token.kind {
            Kind::Punct(b';') => at_start = true,
            // A vector of operands is in the middle of a statement, a scope at its start.
            Kind::Punct(b'{' | b'}' | b':') => {}
            // The predicate of an instruction comes before its opcode.
            Kind::Punct(b'@') => is_guard = true,
            Kind::Word if at_start && !is_guard && next(at) != Kind::Punct(b':') => {
                at_start = false;
                let target = tokens[at + 1..].iter().find(|token| token.kind != Kind::Dotted);
                if let Some(&target) = target.filter(|target| text == "call" && target.kind == Kind::Word)
                    && has_result(input.text(target))
                {
                    copy.replace(target.start, target.start, "(_), ");
                }
            }
            // `r<4>` declares `r0` to `r3`, and no `r`; in an initialiser, `generic(` is no name.
            Kind::Word if next(at) == Kind::Punct(b'<') || text == "generic" && next(at) == Kind::Punct(b'(') => {}
            Kind::Word => {
                is_guard = false;
                if let Some(name) = names.get(text) {
                    copy.replace(token.start, token.end, name);
                }
            }
            Kind::Dotted if at_start && text == ".loc" => {
                at = lines(&mut copy, input, range.start + at, names, files) - range.start;
                continue;
            }
            Kind::Dotted if at_start && text == ".section" => {
                at += tokens[at..].iter().position(|it| it.kind == Kind::Punct(b'}')).unwrap_or(0);
            }
            Kind::Dotted => at_start = false,
            _ => {}
        }
        at += 1;
    }
    copy.end();
}

/// Copies a `.loc` with new numbers of files; returns the token after it.
fn lines(
    copy: &mut Copy<'_, '_>,
    input: &Input<'_>,
    mut at: usize,
    names: &HashMap<&str, String>,
    files: &HashMap<u32, u32>,
) -> usize {
    let number = |copy: &mut Copy<'_, '_>, at: usize| {
        let token = input.tokens[at];
        let new = input.text(token).parse().ok().and_then(|index: u32| files.get(&index));
        if let Some(new) = new {
            copy.replace(token.start, token.end, &new.to_string());
        }
    };
    number(copy, at + 1);
    at += 4;
    while input.tokens[at].kind == Kind::Punct(b',') {
        if input.text(input.tokens[at + 1]) == "inlined_at" {
            number(copy, at + 2);
            at += 5;
            continue;
        }
        let label = input.tokens[at + 2];
        if let Some(name) = names.get(input.text(label)) {
            copy.replace(label.start, label.end, name);
        }
        at += 3;
        while matches!(input.tokens[at].kind, Kind::Punct(b'+' | b'-')) {
            at += 2;
        }
    }
    at
}

/// Copies a piece of the source, but for what is replaced.
struct Copy<'o, 's> {
    out: &'o mut String,
    source: &'s str,
    from: usize,
    to: usize,
}

impl<'o, 's> Copy<'o, 's> {
    fn new(out: &'o mut String, input: &Input<'s>, range: &Range<usize>) -> Self {
        let tokens = &input.tokens[range.clone()];
        let from = tokens.first().map_or(0, |token| token.start as usize);
        let to = tokens.last().map_or(0, |token| token.end as usize);
        Self { out, source: input.source, from, to }
    }

    fn replace(&mut self, start: u32, end: u32, new: &str) {
        self.out.push_str(&self.source[self.from..start as usize]);
        self.out.push_str(new);
        self.from = end as usize;
    }

    fn end(self) {
        self.out.push_str(&self.source[self.from..self.to]);
    }
}

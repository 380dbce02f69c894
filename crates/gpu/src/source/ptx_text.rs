//! A module given as one text.

use super::ModuleSource;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;
use warpwise_ptx::ast::{AddressBase, Function, FunctionKind, Initializer, Module, Operand, Symbol};

/// The whole PTX text of a module. It is divided into kernels when the first of them is requested; text that cannot be
/// read or divided is passed on as a whole, and the device reports what is wrong with it.
#[derive(Debug)]
pub struct PtxText {
    text: Cow<'static, str>,
    parts: OnceLock<Parts>,
    /// Texts of source files, by their paths.
    files: HashMap<String, String>,
}

/// How a text is divided.
#[derive(Debug)]
enum Parts {
    /// Not divided; these are its kernels.
    Whole(BTreeSet<Box<str>>),
    /// It is not PTX.
    Unreadable,
    /// Divided into functions.
    Functions(HashMap<Box<str>, Part>),
}

/// A function defined in the text.
#[derive(Debug)]
struct Part {
    range: Range<usize>,
    is_entry: bool,
    /// The functions that it names.
    names: Vec<Box<str>>,
}

impl PtxText {
    /// A module with that text.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), parts: OnceLock::new(), files: HashMap::new() }
    }

    /// The module with the texts of files that it was compiled from, each after its path in the line information.
    #[must_use]
    pub fn with_files(self, files: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { files: files.into_iter().collect(), ..self }
    }

    fn parts(&self) -> &Parts {
        self.parts.get_or_init(|| match warpwise_ptx::parse(&self.text) {
            Ok(module) => divide(&self.text, &module),
            Err(_) => Parts::Unreadable,
        })
    }

    /// The text without the functions that are not kept; their lines stay empty, so all others keep their numbers.
    fn excerpt(&self, parts: &HashMap<Box<str>, Part>, keep: impl Fn(&str) -> bool) -> String {
        let mut left_out: Vec<Range<usize>> =
            parts.iter().filter(|(name, _)| !keep(name)).map(|(_, part)| part.range.clone()).collect();
        left_out.sort_unstable_by_key(|range| range.start);
        let mut excerpt = String::new();
        let mut at = 0;
        for range in left_out {
            excerpt.push_str(&self.text[at..range.start]);
            excerpt.extend(self.text[range.clone()].bytes().filter(|&byte| byte == b'\n').map(char::from));
            at = range.end;
        }
        excerpt.push_str(&self.text[at..]);
        excerpt
    }
}

impl ModuleSource for PtxText {
    fn text_for(&self, entry: &str) -> Option<Cow<'_, str>> {
        let parts = match self.parts() {
            Parts::Unreadable => return Some(self.whole()),
            Parts::Whole(entries) => return entries.contains(entry).then(|| self.whole()),
            Parts::Functions(parts) => parts,
        };
        parts.get(entry).filter(|part| part.is_entry)?;
        let mut kept = BTreeSet::new();
        let mut todo = vec![entry];
        while let Some(name) = todo.pop() {
            if let Some(part) = parts.get(name).filter(|_| kept.insert(name)) {
                todo.extend(part.names.iter().map(|name| &**name));
            }
        }
        Some(self.excerpt(parts, |name| kept.contains(name)).into())
    }

    fn declarations(&self) -> Cow<'_, str> {
        match self.parts() {
            Parts::Functions(parts) => self.excerpt(parts, |_| false).into(),
            Parts::Whole(_) | Parts::Unreadable => self.whole(),
        }
    }

    fn whole(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }

    fn file(&self, path: &str) -> Option<Cow<'_, str>> {
        self.files.get(path).map(|text| Cow::Borrowed(&**text))
    }
}

fn divide(text: &str, module: &Module) -> Parts {
    // A function has one address only while all kernels are in one module, and the debugger's tables name the labels of
    // all functions.
    let functions: HashSet<&str> = module.functions.iter().map(|f| &*f.name).collect();
    let is_function = |name: &str| functions.contains(name);
    let in_variables = module.variables.iter().flat_map(|v| &v.init).any(|init| match init {
        Initializer::Symbol { name, .. } => is_function(name),
        Initializer::Bytes { .. } => false,
    });
    let debugged = text.contains(".debug_info") || text.contains("@@DWARF");
    let defined = || module.functions.iter().filter(|f| f.body.is_some());
    let pointed_to = defined().any(|f| mentions(f).iter().any(|m| !m.called && is_function(m.name)));
    if in_variables || debugged || pointed_to || !module.aliases.is_empty() {
        return Parts::Whole(module.entries().map(|f| f.name.clone()).collect());
    }
    let part = |f: &Function| {
        let start = f.span.start as usize;
        let range = start..start + definition_length(&text[start..]);
        let names = mentions(f).iter().filter(|m| is_function(m.name)).map(|m| m.name.into()).collect();
        let is_entry = f.kind == FunctionKind::Entry;
        (f.name.clone(), Part { range, is_entry, names })
    };
    Parts::Functions(defined().map(part).collect())
}

/// A name of the module in a function's code.
struct Mention<'m> {
    name: &'m str,
    /// The target of a call.
    called: bool,
}

fn mentions(function: &Function) -> Vec<Mention<'_>> {
    fn add<'m>(operand: &'m Operand, called: bool, found: &mut Vec<Mention<'m>>) {
        match operand {
            Operand::Symbol(Symbol::Module(name), _) => found.push(Mention { name, called }),
            Operand::Address(address) => {
                if let AddressBase::Symbol(Symbol::Module(name)) = &address.base {
                    found.push(Mention { name, called: false });
                }
            }
            Operand::Vector(list) | Operand::List(list) | Operand::Bracket(list) => {
                list.iter().for_each(|operand| add(operand, false, found));
            }
            Operand::Pair(a, b) => [a, b].into_iter().for_each(|operand| add(operand, false, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for instruction in function.body.iter().flat_map(|body| &body.instructions) {
        let calls = &*instruction.opcode == "call";
        instruction.operands.iter().for_each(|operand| add(operand, calls, &mut found));
    }
    found
}

/// Bytes up to the brace that closes a function's body; scopes and vectors inside it have braces too.
fn definition_length(text: &str) -> usize {
    let mut depth = 0;
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        for (at, byte) in code.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return length + at + 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        length += line.len();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = ".version 6.0\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 bytes[];\n\
        .global .u32 counter;\n.func helper()\n{\n\tret;\n}\n.visible .entry one(.param .u64 p)\n{\n{\n}\n\tcall helper;\n\
        \tret;\n}\n.visible .entry two()\n{\n\t// {\n{\n}\n\tret;\n}\n\t.file\t1 \"k.cu\"\n";

    fn functions(text: &str) -> Vec<Box<str>> {
        let module = warpwise_ptx::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        module.functions.into_iter().map(|f| f.name).collect()
    }

    #[test]
    fn a_kernel_comes_with_what_it_calls_and_the_declarations() {
        let source = PtxText::new(TWO);
        for (entry, expected) in [("one", &["helper", "one"][..]), ("two", &["two"])] {
            let text = source.text_for(entry).expect("it is there");
            let found = functions(&text);
            assert_eq!(found.iter().map(|name| &**name).collect::<Vec<_>>(), expected, "{text}");
            assert!(text.contains("bytes[]") && text.contains("counter") && text.contains("k.cu"), "{text}");
            assert_eq!(text.lines().count(), TWO.lines().count(), "lines keep their numbers");
        }
        assert!(source.text_for("helper").is_none() && source.text_for("three").is_none());
        let declarations = source.declarations();
        assert!(functions(&declarations).is_empty() && declarations.contains("counter"), "{declarations}");
        assert_eq!(source.whole(), TWO);
    }

    #[test]
    fn what_needs_one_address_for_a_function_stays_together() {
        let whole = |text: String| {
            let source = PtxText::new(text.clone());
            source.text_for("two").expect("it is there") == text && source.declarations() == text
        };
        assert!(!whole(TWO.to_owned()));
        assert!(whole(TWO.replace(".global .u32 counter", ".global .u64 counter = helper")));
        assert!(whole(TWO.replace("\tcall helper", "\t.reg .u64 %p;\n\tmov.u64 %p, helper")));
        assert!(whole(format!("{TWO}.section .debug_info\n{{\n.b8 1\n}}\n")));
    }

    #[test]
    fn text_that_is_no_ptx_is_handed_over() {
        let source = PtxText::new(".entry {");
        assert_eq!(source.text_for("any").as_deref(), Some(".entry {"));
        assert_eq!(source.declarations(), ".entry {");
    }
}

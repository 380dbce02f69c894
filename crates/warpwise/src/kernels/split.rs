//! Cuts PTX into its functions. The build script uses it; tests of the library check it.

/// A part of a PTX text: whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) text: &'a str,
    /// The name of a function.
    name: &'a str,
}

/// What is in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    /// What all functions may use: version, variables, declarations, file names.
    Shared,
    /// A function with a body that others call.
    Function,
    /// A kernel, by its name.
    Entry(&'a str),
}

/// Cuts a text into parts, which together make up the text.
pub(crate) fn split(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    // The start of the current part, and the current line.
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let end = line_end(text, at);
        let Some(function) = begins_function(&text[at..end]).then(|| body(&text[at..])).flatten() else {
            at = end;
            continue;
        };
        if from < at {
            parts.push(Part { kind: Kind::Shared, text: &text[from..at], name: "" });
        }
        let (kind, name) = function_name(&text[at..]);
        // The empty lines after it belong to it.
        let mut end = line_end(text, at + function);
        while end < text.len() && text[end..line_end(text, end)].trim().is_empty() {
            end = line_end(text, end);
        }
        parts.push(Part { kind, text: &text[at..end], name });
        (from, at) = (end, end);
    }
    if from < text.len() {
        parts.push(Part { kind: Kind::Shared, text: &text[from..], name: "" });
    }
    parts
}

/// The functions that a kernel calls, directly or not, by their numbers among the parts.
pub(crate) fn needs(parts: &[Part<'_>], entry: usize) -> Vec<usize> {
    let functions: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].kind == Kind::Function).collect();
    if functions.is_empty() {
        return functions;
    }
    let mut needed: Vec<usize> = Vec::new();
    // The shared part may name functions too.
    let mut open: Vec<usize> = (0..parts.len()).filter(|&i| i == entry || parts[i].kind == Kind::Shared).collect();
    while let Some(part) = open.pop() {
        let words = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'));
        for word in parts[part].text.split(words) {
            let called = functions.iter().find(|&&i| parts[i].name == word && !needed.contains(&i));
            needed.extend(called);
            open.extend(called);
        }
    }
    needed.sort_unstable();
    needed
}

/// The end of a line, its line break included.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

fn begins_function(line: &str) -> bool {
    line.starts_with('.') && line.split_whitespace().take(3).any(|word| matches!(word, ".entry" | ".func"))
}

/// Bytes up to the brace that closes the body of a function; scopes and vectors within it have braces of their own.
/// `None` for a declaration.
fn body(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        for (offset, byte) in code.bytes().enumerate() {
            match byte {
                b';' if depth == 0 => return None,
                b'{' => depth += 1,
                b'}' if depth == 1 => return Some(at + offset),
                b'}' => depth -= 1,
                _ => {}
            }
        }
        at += line.len();
    }
    None
}

/// Kind and name of a function: what follows `.entry`, or `.func` and its return values.
fn function_name(text: &str) -> (Kind<'_>, &str) {
    let find = |word: &str| text.find(word).map(|at| &text[at + word.len()..]);
    let line = &text[..line_end(text, 0)];
    let is_entry = line.contains(".entry");
    let rest = find(if is_entry { ".entry" } else { ".func" }).unwrap_or(text).trim_start();
    let rest = match rest.strip_prefix('(') {
        Some(returned) => returned.split_once(')').map_or(returned, |(_, rest)| rest).trim_start(),
        None => rest,
    };
    let end = rest.find(|c: char| c == '(' || c == '{' || c.is_whitespace()).unwrap_or(rest.len());
    let name = &rest[..end];
    (if is_entry { Kind::Entry(name) } else { Kind::Function }, name)
}

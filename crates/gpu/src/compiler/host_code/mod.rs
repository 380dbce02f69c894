//! Sets host code aside, so that a whole CUDA program is reduced to what the device needs.
//!
//! NVRTC compiles device code only, so `main`, launches and calls of the runtime API have to go. A small scanner (it
//! knows C++ brackets, templates, namespaces and declarations, not expressions) cuts each file into [`Item`]s. Kernels
//! and everything marked `__device__` stay, and so does everything they mention, directly or not. The rest is
//! overwritten with spaces, so that lines and columns do not change.
//!
//! Names are compared as words, without scopes, so a host function occasionally stays because a kernel has a variable
//! of that name. NVRTC then complains about a place in an unmarked item, and [`Sources::set_aside`] removes that item
//! too: see [`compile`](super::compile).

mod items;
mod kernel;
mod lexer;
mod macros;
mod names;
mod reach;

pub use kernel::KernelSource;
pub(super) use macros::includes;

use items::{Item, Mark};
use std::ops::Range;

/// A file of the program.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// The name the compiler knows it by: the path of the program, or what an `#include` says.
    pub(super) name: String,
    /// Its text as read.
    pub(super) text: String,
    items: Vec<Item>,
    cuts: Vec<Cut>,
}

/// A piece of text to overwrite.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    span: Range<usize>,
    /// A function body is replaced by a semicolon, so that its declaration stays.
    leave_semicolon: bool,
}

/// The files of a program, with their host code identified.
#[derive(Debug)]
pub(super) struct Sources {
    /// The program itself first, then what it includes.
    pub(super) files: Vec<SourceFile>,
}

impl Sources {
    /// Scans the files (name and text; the program itself first) and sets aside what the device does not need. `wanted`
    /// is C++ text whose names are needed as well: the requested template instance.
    pub(super) fn scan(files: Vec<(String, String)>, wanted: &str) -> Self {
        let macros = macros::Macros::collect(files.iter().map(|(_, text)| text.as_str()));
        let mut files: Vec<SourceFile> = files
            .into_iter()
            .map(|(name, text)| {
                let items = items::parse(&text, &macros);
                SourceFile { name, text, items, cuts: Vec::new() }
            })
            .collect();
        let kept = reach::needed(&files, &macros, wanted);
        for (file, kept) in files.iter_mut().zip(kept) {
            for (item, kept) in file.items.iter().zip(kept) {
                if !kept {
                    file.cuts.push(Cut { span: item.span.clone(), leave_semicolon: false });
                    continue;
                }
                // NVRTC refuses members that are marked as host code, used or not.
                for member in item.members.iter().filter(|m| m.mark == Mark::Host) {
                    file.cuts.push(Cut { span: member.span.clone(), leave_semicolon: false });
                }
            }
        }
        Self { files }
    }

    /// The kernels of all files in order.
    pub(super) fn kernels(&self) -> Vec<KernelSource> {
        self.files
            .iter()
            .enumerate()
            .flat_map(|(number, file)| {
                file.items.iter().filter_map(move |item| KernelSource::of(item, &file.text, number == 0))
            })
            .collect()
    }

    /// The template instances that host code launches: `scale<float>` of `scale<float><<<1, 32>>>(...)`.
    pub(super) fn launched_instances(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for instance in self.files.iter().flat_map(|f| kernel::launched_instances(&f.text)) {
            if !found.contains(&instance) {
                found.push(instance);
            }
        }
        found
    }

    /// The text of a file with its host code overwritten.
    pub(super) fn device_text(&self, file: usize) -> String {
        let file = &self.files[file];
        let mut bytes = file.text.clone().into_bytes();
        for cut in &file.cuts {
            overwrite(&mut bytes, cut);
        }
        String::from_utf8(bytes).expect("cuts begin and end at tokens, and whole characters become spaces")
    }

    /// Sets aside the unmarked item at a line that the compiler complains about: the body of a member function, a
    /// member, or a whole item. False when the line is not in such an item, or the item is already gone.
    pub(super) fn set_aside(&mut self, file_name: &str, line: usize) -> bool {
        let Some(file) = self.files.iter_mut().find(|f| f.name == file_name) else { return false };
        let Some(span) = line_span(&file.text, line) else { return false };
        let touches = |item: &&Item| item.span.start < span.end && span.start < item.span.end;
        let Some(item) = file.items.iter().find(touches) else { return false };
        let candidate = match item.members.iter().find(touches) {
            Some(member) if member.mark == Mark::Device => return false,
            Some(member) => member,
            None if item.mark == Mark::Device => return false,
            None => item,
        };
        let is_member = !std::ptr::eq(candidate, item);
        let whole = Cut { span: candidate.span.clone(), leave_semicolon: false };
        let body = candidate.body.clone().filter(|_| is_member).map(|span| Cut { span, leave_semicolon: true });
        for cut in body.into_iter().chain([whole]) {
            if !file.cuts.contains(&cut) {
                file.cuts.push(cut);
                return true;
            }
        }
        false
    }
}

/// The bytes of a one-based line.
fn line_span(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            return Some(start..start + content.len());
        }
        start += content.len();
    }
    None
}

/// Writes spaces over a cut. Line ends stay, and so do preprocessor lines: a conditional that opens inside a function
/// may close after it.
fn overwrite(bytes: &mut [u8], cut: &Cut) {
    let text = String::from_utf8_lossy(&bytes[cut.span.clone()]).into_owned();
    let directives: Vec<Range<usize>> = lexer::tokenize(&text)
        .into_iter()
        .filter(|t| t.kind == lexer::TokenKind::Directive && !macros::is_pragma(&text[t.span.clone()]))
        .map(|t| t.span)
        .collect();
    for (offset, byte) in bytes[cut.span.clone()].iter_mut().enumerate() {
        let keep = matches!(*byte, b'\n' | b'\r') || directives.iter().any(|d| d.contains(&offset));
        if !keep {
            *byte = b' ';
        }
    }
    if cut.leave_semicolon && bytes[cut.span.start] == b' ' {
        bytes[cut.span.start] = b';';
    }
}

#[cfg(test)]
mod tests;

//! Which items the device needs: kernels, what is marked for the device, and what those mention.

use super::SourceFile;
use super::items::{Item, Kind, Mark};
use super::lexer::{TokenKind, tokenize};
use super::macros::Macros;
use std::collections::{HashMap, HashSet};

/// For every item of every file, whether it stays. `wanted` is C++ text that counts as device code.
pub(super) fn needed(files: &[SourceFile], macros: &Macros, wanted: &str) -> Vec<Vec<bool>> {
    let mut by_name: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (f, file) in files.iter().enumerate() {
        for (i, item) in file.items.iter().enumerate() {
            for name in &item.names {
                by_name.entry(name).or_default().push((f, i));
            }
        }
    }
    let mut kept: Vec<Vec<bool>> = files.iter().map(|f| f.items.iter().map(stays_by_itself).collect()).collect();
    let mut words: Vec<&str> = Vec::new();
    for (file, kept) in files.iter().zip(&kept) {
        for (item, _) in file.items.iter().zip(kept).filter(|(_, kept)| **kept) {
            words.extend(item.words.iter().map(String::as_str));
        }
    }
    words.extend(tokenize(wanted).into_iter().filter(|t| t.kind == TokenKind::Word).map(|t| &wanted[t.span]));

    let mut seen: HashSet<&str> = HashSet::new();
    while let Some(word) = words.pop() {
        if !seen.insert(word) {
            continue;
        }
        words.extend(macros.words(word).into_iter().flatten().map(String::as_str));
        for &(f, i) in by_name.get(word).into_iter().flatten() {
            let item = &files[f].items[i];
            if !kept[f][i] && item.mark != Mark::Host {
                kept[f][i] = true;
                words.extend(item.words.iter().map(String::as_str));
            }
        }
    }
    kept
}

/// Roots. An operator is used without its name being written, so it stays too, unless it prints.
fn stays_by_itself(item: &Item) -> bool {
    let is_operator = item.names.iter().any(|n| n == "operator");
    let streams = item.words.iter().any(|w| w == "ostream" || w == "istream");
    match item.kind {
        Kind::Directive => true,
        Kind::Type => false,
        Kind::Function | Kind::Other if item.mark == Mark::Device => true,
        Kind::Function | Kind::Other => is_operator && !streams && item.mark != Mark::Host,
    }
}

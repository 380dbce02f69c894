//! The modules of the crate import in one direction: each may use those below it, never those above.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The modules from the lowest to the highest; those of one row know nothing of each other.
const LAYERS: &[&[&str]] = &[
    &["float", "lane", "level", "printf", "report"],
    &["gpu", "memory", "mma", "texture"],
    &["image", "occupancy"],
    &["warp"],
    &["program"],
    &["lanes"],
    &["decode"],
    &["exec"],
    &["watch"],
    &["launch"],
    &["machine"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

/// Every source file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("a folder can be read").path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The text without comments and without the tests at its end, which may use the whole crate.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The modules of the crate that a text names: what comes after `crate::`, one name or a list of them.
fn named(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            None => found.push(rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(rest)),
            Some(list) => {
                let (mut depth, mut start) = (1, true);
                let words = list.split_inclusive(['{', '}', ',', ':']).take_while(|piece| {
                    let before = depth;
                    depth += i32::from(piece.ends_with('{')) - i32::from(piece.ends_with('}'));
                    before > 0
                });
                let mut level = 1;
                for piece in words {
                    let word = piece.trim_end_matches(['{', '}', ',', ':']).trim();
                    if level == 1 && start && !word.is_empty() {
                        found.push(word);
                    }
                    level += i32::from(piece.ends_with('{')) - i32::from(piece.ends_with('}'));
                    start = piece.ends_with(',') || piece.ends_with('}') && level == 1;
                }
            }
        }
    }
    found
}

#[test]
fn no_module_imports_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // What the crate exports at its root belongs to the module that it comes from.
    let library = code(&std::fs::read_to_string(root.join("lib.rs")).expect("the library has a root"));
    let mut exports: BTreeMap<&str, &str> = BTreeMap::new();
    for export in library.split("pub use ").skip(1) {
        let (module, items) = export.split_once("::").expect("a path");
        let items = items.split(';').next().unwrap_or(items);
        for item in items.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|item| !item.is_empty()) {
            exports.insert(item, module);
        }
    }
    let mut wrong = Vec::new();
    let mut arrows = 0;
    for path in sources(&root) {
        let place = path.strip_prefix(&root).expect("found below the root").to_string_lossy().replace('\\', "/");
        let module = place.split('/').next().unwrap_or(&place).trim_end_matches(".rs");
        // The root holds the modules together; files of tests may use the whole crate.
        if module == "lib" || place.contains("/tests/") || place.ends_with("_tests.rs") {
            continue;
        }
        let Some(own) = layer(module) else {
            wrong.push(format!("{place}: the module {module} has no layer"));
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("a source file can be read");
        for name in named(&code(&text)) {
            let used = exports.get(name).copied().unwrap_or(name);
            if used == module {
                continue;
            }
            arrows += 1;
            match layer(used) {
                Some(other) if other < own => {}
                _ => wrong.push(format!("{place} uses crate::{name}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(arrows > 100, "only {arrows} imports were found: are sources read as they should be?");
}

#[test]
fn lists_of_modules_are_read() {
    let found = named("use crate::{Gpu, lanes::{Op, Flow}, warp}; crate::exec::run(); use crate::memory;");
    assert_eq!(found, ["Gpu", "lanes", "warp", "exec", "memory"]);
}

//! The texts that the build script packed are the files in the repository.

use std::path::{Path, PathBuf};

use super::packing::{abbreviate, relative, words};
use super::spelling::{absolute, expand};
use super::split::{Kind, needs, split};
use super::{KernelModule, MODULES, SOURCES, kernel_module, kernels};
use crate::PRIMITIVES;

const SOURCE_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The file of a path from the root of the repository.
fn file(path: &str) -> PathBuf {
    Path::new(SOURCE_FOLDER).join(path.strip_prefix("crates/warpwise/src/").expect("sources are in this crate"))
}

#[test]
fn every_primitive_has_its_text_and_the_ptx_names_it() {
    for primitive in PRIMITIVES {
        assert_eq!(kernels(primitive.name).next().map(KernelModule::name), Some(primitive.name));
    }
    for module in MODULES {
        let own = module.sources()[0].path();
        assert_eq!(module.whole(), std::fs::read_to_string(file(own).with_extension("ptx")).unwrap(), "{own}");
        assert!(module.whole().contains(&format!("\"{own}\"")), "{own}: .file");
        assert!(std::ptr::eq(kernel_module(module.name()).unwrap(), module), "{own}");
    }
    for source in &SOURCES {
        assert_eq!(source.text(), std::fs::read_to_string(file(source.path())).unwrap(), "{}", source.path());
    }
}

#[test]
fn every_file_of_kernels_is_in_a_module() {
    let mut open = vec![PathBuf::from(SOURCE_FOLDER)];
    while let Some(folder) = open.pop() {
        for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            let known = || MODULES.iter().any(|module| file(module.sources()[0].path()) == path);
            assert!(path.extension().is_none_or(|ending| ending != "cu") || known(), "{}", path.display());
            open.extend(path.is_dir().then_some(path));
        }
    }
}

#[test]
fn every_kernel_is_a_module_by_itself() {
    for module in MODULES {
        let (whole, first) = (module.whole(), module.entries().next().unwrap());
        assert_eq!(module.entries().count(), whole.matches(".visible .entry ").count(), "{}", module.name());
        for entry in [first, module.entries().last().unwrap()] {
            let text = module.text(entry).unwrap();
            assert_eq!(text.lines().count(), whole.lines().count(), "{entry}");
            let parsed = warpwise_ptx::parse(&text).unwrap();
            assert_eq!(parsed.entries().map(|f| &*f.name).collect::<Vec<_>>(), [entry]);
            assert!(text.contains(&format!(".file\t1 \"{}\"", module.sources()[0].path())), "{entry}");
        }
    }
}

const CALLS: &str = ".version 7.0\n.target sm_70\n\n.extern .func  (.param .b32 r) vprintf\n(\n\t.param .b64 a\n)\n;\n\
    .func  (.param .b32 r) twice(\n\t.param .b32 x\n)\n{\n\tcall.uni (r), once, (x);\n\tret;\n}\n\n\
    .func once()\n{\n\t{ // scope {\n\t}\n\tret;\n}\n.global .b32 between;\n\
    .visible .entry a()\n.maxntid 32, 1, 1\n{\n\tcall.uni (r), twice, (x);\n\tret;\n}\n\n\
    .entry b()\n{\n\tret;\n}\n\t.file\t1 \"x.cu\"\n";

#[test]
fn text_is_cut_at_functions() {
    let parts = split(CALLS);
    let kinds =
        [Kind::Shared, Kind::Function, Kind::Function, Kind::Shared, Kind::Entry("a"), Kind::Entry("b"), Kind::Shared];
    assert_eq!(parts.iter().map(|part| part.kind).collect::<Vec<_>>(), kinds);
    assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), CALLS);
    assert!(parts[0].text.ends_with(";\n") && parts[4].text.ends_with("}\n\n"));
    assert_eq!((needs(&parts, 4), needs(&parts, 5)), (vec![1, 2], vec![]));
}

#[test]
fn texts_come_back_from_their_shorter_spelling() {
    let texts = [
        CALLS,
        "",
        "add.s32 \t%r12, %r11, %r3;\n$L__BB3_4:\n@%p1 bra $L__BB3_12; // %rd8 %rd9 %rd9",
        "zeros %r007 and %r0, %r00; long $a123456789012345678901234567890",
        "printf(\"%-5d %5.2f%%%d-3 %\", 7 % 3, a%4-5, $-1);",
        "bytes \u{2}, \u{7f}, \u{80} and \u{2}× %r1×2",
    ];
    let chosen = words(texts.into_iter());
    for text in texts {
        let back = String::from_utf8(absolute(&expand(&abbreviate(&relative(text), &chosen), &chosen)));
        assert_eq!(back.as_deref(), Ok(text));
    }
    assert_eq!(relative("%r12, %rd3, %r11, $L__BB3_4, %r11"), "%r12, %rd3, %r-1, $L__BB3_4, %r0");
    let moves = "mov.u32 \t%r1;mov.u32 \t%r2;mov.u32 \t%r3";
    let chosen = words([moves].into_iter());
    assert_eq!(chosen, [";mov.u32 \t", "mov.u32 \t", "%r"]);
    assert_eq!(abbreviate(moves, &chosen), b"\x81\x821\x80\x822\x80\x823");
}

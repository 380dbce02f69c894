//! Texts that no compiler writes: the reader must not panic, and must finish quickly.

mod common;

use std::time::{Duration, Instant};

use proptest::prelude::{any, prop};
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A change to a text; places are fractions of its length, in 65536ths.
#[derive(Clone, Debug)]
enum Change {
    Overwrite(u16, u8),
    Insert(u16, u8),
    Remove(u16, u8),
    Cut(u16),
    /// Copies that many bytes from one place to another.
    Copy(u16, u16, u8),
    /// Swaps two words.
    Swap(u16, u16),
}

fn change() -> impl Strategy<Value = Change> {
    // Favour bytes that have a meaning.
    let byte = || prop::sample::select(b"{}[]()<>;:,.@!%|+-*/\"'\\ \n0x9fdUrp_$#\x00\x80\xff".as_slice());
    let byte = move || proptest::prop_oneof![byte(), any::<u8>()];
    proptest::prop_oneof![
        (any::<u16>(), byte()).prop_map(|(at, byte)| Change::Overwrite(at, byte)),
        (any::<u16>(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, count)| Change::Remove(at, count)),
        any::<u16>().prop_map(Change::Cut),
        (any::<u16>(), any::<u16>(), any::<u8>()).prop_map(|(from, to, count)| Change::Copy(from, to, count)),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

fn apply(text: &mut Vec<u8>, change: &Change) {
    let place = |text: &[u8], at: u16| text.len() * usize::from(at) / 65536;
    match *change {
        Change::Overwrite(at, byte) => {
            let at = place(text, at);
            if let Some(old) = text.get_mut(at) {
                *old = byte;
            }
        }
        Change::Insert(at, byte) => text.insert(place(text, at), byte),
        Change::Remove(at, count) => {
            let at = place(text, at);
            text.drain(at..text.len().min(at + usize::from(count)));
        }
        Change::Cut(at) => text.truncate(place(text, at)),
        Change::Copy(from, to, count) => {
            let (from, to) = (place(text, from), place(text, to));
            let piece = text[from..text.len().min(from + usize::from(count))].to_vec();
            text.splice(to..to, piece);
        }
        Change::Swap(a, b) => {
            let mut words: Vec<&[u8]> = text.split_inclusive(u8::is_ascii_whitespace).collect();
            if !words.is_empty() {
                let (a, b) = (words.len() * usize::from(a) / 65536, words.len() * usize::from(b) / 65536);
                words.swap(a, b);
                *text = words.concat();
            }
        }
    }
}

#[test]
fn changed_files_never_panic() {
    let corpus = common::corpus();
    let config = Config { cases: 3000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let changes = prop::collection::vec(change(), 1..12);
    runner
        .run(&(0..corpus.len(), changes), |(file, changes)| {
            let mut text = corpus[file].1.clone().into_bytes();
            for change in &changes {
                apply(&mut text, change);
            }
            let text = String::from_utf8_lossy(&text);
            let began = Instant::now();
            match warpwise_ptx::parse(&text) {
                Ok(module) => {
                    drop(common::show(&module)); // all indices are valid
                    if let Err(error) = warpwise_ptx::verify(&text, &module) {
                        assert!(error.to_string().len() < 4096 && error.line > 0 && error.column > 0);
                    }
                }
                Err(error) => assert!(error.to_string().len() < 4096 && error.line > 0 && error.column > 0),
            }
            assert!(began.elapsed() < Duration::from_secs(2));
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn every_prefix_of_a_file_is_answered() {
    for (_, text) in common::corpus() {
        let ends = text.char_indices().map(|(end, _)| end).filter(|end| end % 7 == 0 || *end < 400);
        for end in ends {
            let _ = warpwise_ptx::parse(&text[..end]);
        }
    }
}

/// Each text is large in one way; reading must take time proportional to the length, not to its square.
#[test]
fn large_texts_take_linear_time() {
    let many = 50_000;
    let numbered = |piece: &dyn Fn(usize) -> String| (0..many).map(piece).collect::<String>();
    let texts = [
        format!(".global .u32 x[] = {{{}0}};", "1,".repeat(many)),
        format!(".global .u32 {}z;", numbered(&|i| format!("a{i}[][] = 1, "))),
        format!(".entry k {{ {} }}", numbered(&|i| format!("L{i}: bra L{};", many - 1 - i))),
        format!(".entry k {{ {} }}", "{ .reg .b32 %r<4>; mov.b32 %r1, 1; }".repeat(many)),
        format!(".entry k {{ .reg .b32 %r<4294967296>; {} }}", numbered(&|i| format!("mov.b32 %r{i}, {i};"))),
        format!(".entry k {{ {} }}", numbered(&|i| format!(".reg .b32 x{i}; mov.b32 x{i}, 1;"))),
        format!(".entry k {{ call f, ({} 1); }}", "1, ".repeat(many)),
        format!(".entry k {{ mov.b32 x, {}1; }}", "1+".repeat(many)),
        format!(".entry k {{ ld [x{}]; }}", "+1".repeat(many)),
        format!(".entry k {{ mov.b32 %{}, 1; }}", "1".repeat(many * 10)),
        format!(".entry k {{ a{}; }}", ".b".repeat(many)),
        numbered(&|i| format!(".func f{i};")),
        numbered(&|_| ".func f { ret; }".into()),
        "/*".repeat(many),
        "@@\n".repeat(many),
        "\"\\\"".repeat(many),
        ".entry k {".repeat(many),
        format!("{}{}", "{".repeat(60), ".entry k".repeat(many)),
    ];
    let began = Instant::now();
    for text in &texts {
        if let Ok(module) = warpwise_ptx::parse(text) {
            let _ = warpwise_ptx::verify(text, &module);
        }
    }
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn stated_sizes_cost_nothing() {
    let text = ".version 8.0
        .global .b8 huge[9000000000000000000];
        .global .b8 mostly_zero[9000000000000000000] = {1};
        .entry k { .reg .b64 %r<18446744073709551615>; mov.b64 %r9999999999, 1; }";
    let module = warpwise_ptx::parse(text).expect("sizes are only numbers");
    // The second row would begin at the very end of the address space.
    assert!(warpwise_ptx::parse(".global .b8 x[][3][6148914691236517205] = {{{1}}, {{1}}};").is_err());
    assert_eq!(module.variables[1].size, 9_000_000_000_000_000_000);
    assert_eq!(module.functions[0].body.as_ref().map(|body| body.registers.len()), Some(1));
}

#[test]
fn odd_surroundings_are_fine() {
    let text = ".version 8.0\r\n.target sm_90\r\n.entry k { ret; }\r\n\0\0";
    assert_eq!(warpwise_ptx::parse(text).expect("zeros at the end are no part of it").version, (8, 0));
    assert_eq!(warpwise_ptx::parse("\u{feff}.version 8.0").expect("a byte-order mark").version, (8, 0));
    assert!(warpwise_ptx::parse("").expect("nothing at all").functions.is_empty());
}

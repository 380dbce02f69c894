//! Damaged kernels and the verdict of `ptxas` on each: the reader must agree.
//!
//! `scripts/ptxas/mutants.py --data` writes the list; each line has a file, the number of the line that is replaced,
//! what `ptxas` says, and the replacement.

use std::collections::HashMap;
use std::path::Path;

const LIST: &str = include_str!("mutants.tsv");

/// The text for the target and the version that the list was made for.
fn for_target(text: &str) -> Vec<String> {
    let line = |line: &str| match line.trim_start() {
        bare if bare.starts_with(".version") => ".version 8.8".to_owned(),
        bare if bare.starts_with(".target") => ".target sm_90a".to_owned(),
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect()
}

#[test]
fn the_reader_agrees_with_ptxas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: HashMap<&str, Vec<String>> = HashMap::new();
    let (mut accepted, mut refused) = (0, 0);
    for row in LIST.lines() {
        let [file, number, verdict, replacement] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not a row of the list: {row}");
        };
        let lines = files.entry(file).or_insert_with(|| {
            let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            for_target(&text)
        });
        let at = number.parse::<usize>().expect("a number") - 1;
        let before = std::mem::replace(&mut lines[at], replacement.to_owned());
        let text = lines.join("\n");
        lines[at] = before;
        let ours = warpwise_ptx::parse(&text).and_then(|module| warpwise_ptx::verify(&text, &module));
        match (verdict, &ours) {
            ("accepted", Ok(())) => accepted += 1,
            (_, Err(_)) if verdict != "accepted" => refused += 1,
            _ => panic!("{file}:{number}  {replacement}\n  ptxas: {verdict}\n  reader: {ours:?}"),
        }
    }
    assert!(accepted >= 100 && refused >= 300, "{accepted} accepted and {refused} refused are too few to mean much");
}

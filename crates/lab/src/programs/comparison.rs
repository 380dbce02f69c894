//! What a program copied back to the host in two runs, on the emulator and on a GPU, compared.

use serde::Serialize;
use std::cmp::Ordering;
use std::io;
use std::path::Path;
use warpwise_trace::{CopiesBack, CopyBack, Finding, HostKind};

/// Differences that are told one by one.
const TOLD: usize = 16;

/// How a comparison went: its fields are the JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Copies that both runs made.
    pub copies: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that are not equal.
    pub different: u64,
    /// Copies that only the emulator made.
    pub only_emulator: u64,
    /// Copies that only the GPU made.
    pub only_gpu: u64,
}

impl Comparison {
    /// For readers, in a sentence.
    pub(super) fn words(&self) -> String {
        let Self { copies, bytes, different, only_emulator, only_gpu } = *self;
        let s = |count: u64| if count == 1 { "copy" } else { "copies" };
        let mut words = match (copies, different) {
            (0, _) => "nothing was copied back to the host that could be compared with the GPU".to_owned(),
            (_, 0) => format!("{copies} {} back to the host ({bytes} bytes): equal on the GPU", s(copies)),
            _ => format!("{copies} {} back to the host ({bytes} bytes): {different} not equal on the GPU", s(copies)),
        };
        for (count, who) in [(only_emulator, "emulator"), (only_gpu, "GPU")] {
            if count > 0 {
                words += &format!(", {count} {} only on the {who}", s(count));
            }
        }
        words
    }
}

/// Compares what two runs left in their folders.
pub(super) fn compare(emulated: &Path, real: &Path) -> io::Result<(Comparison, Vec<Finding>)> {
    let (ours, theirs) = (CopiesBack::read(emulated)?, CopiesBack::read(real)?);
    let none = CopiesBack::default();
    let mut seen = Seen::default();
    for at in 0..ours.len().max(theirs.len()) {
        seen.process(ours.get(at).unwrap_or(&none), theirs.get(at).unwrap_or(&none));
    }
    let Comparison { only_emulator, only_gpu, .. } = seen.sum;
    if only_emulator + only_gpu > 0 {
        let [here, there] = [only_emulator, only_gpu].map(|only| seen.sum.copies + only);
        let message =
            format!("the program copies back to the host {here} times on the emulator and {there} times on the GPU");
        seen.findings.push(Finding::of_host(HostKind::GpuDifference, message, seen.first_alone));
    }
    Ok((seen.sum, seen.findings))
}

/// What was seen so far.
#[derive(Default)]
struct Seen {
    sum: Comparison,
    findings: Vec<Finding>,
    /// The call of the first copy that only one run made.
    first_alone: Option<warpwise_trace::HostPlace>,
}

impl Seen {
    /// Goes through the copies of a process in both runs.
    fn process(&mut self, ours: &CopiesBack, theirs: &CopiesBack) {
        let partners = partners(&ours.copies, &theirs.copies);
        let (mut here, mut there) = (ours.copies.iter().peekable(), partners.iter().peekable());
        loop {
            let order = match (here.peek(), there.peek()) {
                (Some(a), Some(b)) => (a.thread, a.number).cmp(&(b.thread, b.number)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let a = if order == Ordering::Greater { None } else { here.next() };
            let b = if order == Ordering::Less { None } else { there.next() };
            match (a, b) {
                (Some(a), Some(b)) => self.pair((ours, a), (theirs, b)),
                (alone, other) => {
                    self.sum.only_emulator += u64::from(alone.is_some());
                    self.sum.only_gpu += u64::from(other.is_some());
                    if self.first_alone.is_none() {
                        self.first_alone = alone.or(other).and_then(|copy| copy.host.clone());
                    }
                }
            }
        }
    }

    fn pair(&mut self, (ours, a): (&CopiesBack, &CopyBack), (theirs, b): (&CopiesBack, &CopyBack)) {
        self.sum.copies += 1;
        self.sum.bytes += a.bytes;
        if (a.bytes, a.hash) == (b.bytes, b.hash) {
            return;
        }
        self.sum.different += 1;
        if self.findings.len() < TOLD {
            let message = match (ours.bytes_of(a), theirs.bytes_of(b)) {
                _ if a.bytes != b.bytes => {
                    format!("copy {} has {} bytes on the emulator and {} on the GPU", a.number, a.bytes, b.bytes)
                }
                (Some(x), Some(y)) => format!("of copy {}, {}", a.number, difference(&x, &y)),
                _ => format!("the {} bytes of copy {} are not those of the GPU", a.bytes, a.number),
            };
            self.findings.push(Finding::of_host(HostKind::GpuDifference, message, a.host.clone()));
        }
    }
}

/// Their copies, each with the number of the thread of ours that it belongs to, sorted by that: threads begin in any
/// order. A thread belongs to one that copied the same, if there is one, else to the next that is left.
fn partners(ours: &[CopyBack], theirs: &[CopyBack]) -> Vec<CopyBack> {
    fn threads(copies: &[CopyBack]) -> Vec<&[CopyBack]> {
        copies.chunk_by(|a, b| a.thread == b.thread).collect()
    }
    fn same(a: &[CopyBack], b: &[CopyBack]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a.bytes, a.hash) == (b.bytes, b.hash))
    }
    let (ours, mut theirs) = (threads(ours), threads(theirs));
    let mut matched: Vec<(u32, &[CopyBack])> = Vec::new();
    let mut left = Vec::new();
    for thread in ours {
        match theirs.iter().position(|other| same(thread, other)) {
            Some(at) => matched.push((thread[0].thread, theirs.remove(at))),
            None => left.push(thread[0].thread),
        }
    }
    // Those that have no partner at all get numbers that no thread of ours has.
    matched.extend(left.into_iter().chain((0..u32::MAX).rev()).zip(theirs));
    matched.sort_by_key(|(thread, _)| *thread);
    let renumbered = |(thread, copies): (u32, &[CopyBack])| {
        copies.iter().map(move |copy| CopyBack { thread, ..copy.clone() }).collect()
    };
    matched.into_iter().flat_map(|pair| -> Vec<CopyBack> { renumbered(pair) }).collect()
}

/// How bytes differ, which they do.
fn difference(here: &[u8], there: &[u8]) -> String {
    let differ = |at: &usize| here[*at] != there[*at];
    let places = 0..here.len().min(there.len());
    let count = places.clone().filter(differ).count();
    let first = places.clone().find(differ).unwrap_or(0);
    // Most data is of 4 bytes or more.
    let word = first & !3;
    let end = (word + 4).min(here.len());
    let value = |bytes: &[u8]| {
        let digits: String = bytes[word..end].iter().rev().map(|byte| format!("{byte:02x}")).collect();
        format!("0x{digits}")
    };
    let all = here.len();
    format!(
        "{count} of {all} bytes are not those of the GPU, the first at {first}: {} here, {} on the GPU (bytes {word} to {})",
        value(here),
        value(there),
        end - 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use std::path::PathBuf;

    /// A run that copied these back on one thread.
    fn run(root: &Path, name: &str, copies: &[&[u8]]) -> PathBuf {
        let folder = root.join(name);
        std::fs::create_dir_all(&folder).expect("made");
        let [list, bytes] = CopiesBack::files(&folder, 1);
        let (mut text, mut all) = (String::new(), Vec::new());
        for (number, copy) in (1..).zip(copies) {
            let hash = copy.iter().fold(7, |hash, byte| 31 * hash + u64::from(*byte));
            let (at, length) = (Some(all.len() as u64), copy.len() as u64);
            let line = CopyBack { thread: 0, number, bytes: length, hash, at, host: None };
            text += &(serde_json::to_string(&line).expect("plain") + "\n");
            all.extend_from_slice(copy);
        }
        std::fs::write(list, text).expect("written");
        std::fs::write(bytes, all).expect("written");
        folder
    }

    #[test]
    fn equal_runs_have_no_differences() {
        let root = folder("both-equal");
        let [a, b] = ["a", "b"].map(|name| run(&root, name, &[b"abcd", b"efgh"]));
        let (sum, findings) = compare(&a, &b).expect("readable");
        assert_eq!(sum, Comparison { copies: 2, bytes: 8, ..Comparison::default() });
        assert!(findings.is_empty());
        assert_eq!(sum.words(), "2 copies back to the host (8 bytes): equal on the GPU");
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn the_first_bytes_that_differ_are_told() {
        let root = folder("both-different");
        let a = run(&root, "a", &[b"abcdefgh", b"12", b"x"]);
        let b = run(&root, "b", &[b"abcdeFGh", b"123"]);
        let (sum, findings) = compare(&a, &b).expect("readable");
        let expected = Comparison { copies: 2, bytes: 10, different: 2, only_emulator: 1, only_gpu: 0 };
        assert_eq!(sum, expected);
        let told: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        let first = "of copy 1, 2 of 8 bytes are not those of the GPU, the first at 5: 0x68676665 here, 0x68474665 on \
                     the GPU (bytes 4 to 7)";
        let times = "the program copies back to the host 3 times on the emulator and 2 times on the GPU";
        assert_eq!(told, [first, "copy 2 has 2 bytes on the emulator and 3 on the GPU", times]);
        assert_eq!(
            sum.words(),
            "2 copies back to the host (10 bytes): 2 not equal on the GPU, 1 copy only on the emulator"
        );
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn threads_may_begin_in_any_order() {
        let copy = |thread, number, hash| CopyBack { thread, number, bytes: 4, hash, at: None, host: None };
        let ours = [copy(0, 1, 10), copy(0, 2, 11), copy(1, 1, 20), copy(2, 1, 30)];
        let theirs = [copy(0, 1, 20), copy(1, 1, 31), copy(2, 1, 10), copy(2, 2, 11), copy(3, 1, 40)];
        let partners = partners(&ours, &theirs);
        let told: Vec<_> = partners.iter().map(|copy| (copy.thread, copy.number, copy.hash)).collect();
        assert_eq!(told, [(0, 1, 10), (0, 2, 11), (1, 1, 20), (2, 1, 31), (u32::MAX - 1, 1, 40)]);
    }

    #[test]
    fn a_program_that_copies_nothing_has_nothing_to_compare() {
        let root = folder("both-nothing");
        let (sum, findings) = compare(&root, &root).expect("readable");
        assert!(findings.is_empty() && sum.words().starts_with("nothing was copied back"), "{sum:?}");
        std::fs::remove_dir_all(root).expect("removed");
    }
}

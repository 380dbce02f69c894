//! The words of the field: what each means, on the page and beside every place that uses it.

use crate::pages::plot::escape;
use std::fmt::Write;

/// A word, and what it means.
struct Term {
    id: &'static str,
    name: &'static str,
    meaning: &'static str,
    /// Headings that use it.
    headings: &'static [&'static str],
}

const TERMS: [Term; 16] = [
    Term {
        id: "agrees",
        name: "agrees",
        meaning: "The whole result was compared with plain sequential code in f64 or in the integer type. Integers must \
                  be equal; floats may differ as much as another order of summation allows. The small number is the \
                  largest error seen.",
        headings: &["result", "agree"],
    },
    Term {
        id: "time",
        name: "time",
        meaning: "The median of at least ten samples, in a quick tour five, after warming up: half of them were faster. \
                  On the CPU it is the call, on a GPU its kernels.",
        headings: &["time"],
    },
    Term {
        id: "noise",
        name: "noise",
        meaning: "The spread of the samples, in per cent of the median. Differences smaller than the noise mean nothing.",
        headings: &["noise %"],
    },
    Term {
        id: "rate",
        name: "GB/s, GFLOP/s",
        meaning: "What must be moved and computed, divided by the time. Extra work of a variant shows as a low rate.",
        headings: &["GB/s", "GFLOP/s"],
    },
    Term {
        id: "copy",
        name: "% of a copy",
        meaning: "The rate beside that of copying a large array on the same device: what memory can deliver at all.",
        headings: &["% of a copy", "% of a copy there"],
    },
    Term {
        id: "over",
        name: "over the rung before",
        meaning: "The rung before divided by this one: 2× is half the time, or half the instructions; below 1× is a step \
                  back.",
        headings: &["speed-up over the rung before", "times fewer than the rung before", "times as fast as cpu-seq"],
    },
    Term {
        id: "warp",
        name: "warp",
        meaning: "32 threads that execute one instruction together; each is a lane. Instructions are counted once for \
                  the whole warp.",
        headings: &["warp instructions", "instructions", "warp instructions, first to last rung"],
    },
    Term {
        id: "lanes",
        name: "lanes of 32",
        meaning: "How many threads of a warp were active on average: what is missing to 32 is lost.",
        headings: &["lanes of 32", "lanes"],
    },
    Term {
        id: "divergent",
        name: "divergent branch",
        meaning: "A branch that sends lanes of a warp different ways: the warp takes both.",
        headings: &["divergent branches", "divergent"],
    },
    Term {
        id: "sector",
        name: "sector",
        meaning: "32 bytes, the smallest unit that global memory moves. A warp that reads 32 neighbouring floats needs \
                  four; one that reads them far apart needs 32.",
        headings: &["memory sectors", "sectors", "load sectors"],
    },
    Term {
        id: "conflict",
        name: "bank conflict",
        meaning: "Shared memory serves 32 banks at once; lanes that want different words of one bank wait for each \
                  other.",
        headings: &["bank conflicts", "conflicts"],
    },
    Term {
        id: "atomic",
        name: "atomic",
        meaning: "A read and a write that nothing comes between. Lanes that want the same address wait for each other.",
        headings: &["atomics"],
    },
    Term {
        id: "barrier",
        name: "barrier",
        meaning: "A place where all warps of a block wait for the last one.",
        headings: &["barriers"],
    },
    Term {
        id: "occupancy",
        name: "occupancy",
        meaning: "Warps that a multiprocessor holds, in per cent of those that it could hold. Many warps hide each \
                  other's waiting.",
        headings: &["occupancy %", "active warps"],
    },
    Term {
        id: "busy",
        name: "memory %, DRAM %, compute %",
        meaning: "Percent of the time for which the busiest part on the way to memory, memory itself, and the busiest \
                  pipe of arithmetic are busy.",
        headings: &["memory %", "DRAM %", "compute %"],
    },
    Term {
        id: "estimate",
        name: "estimate",
        meaning: "A time that a model of the named GPU gives for what the emulator counted. It was not measured.",
        headings: &["estimated"],
    },
];

/// A heading whose word leads to its meaning, which the page also shows where the pointer is; other headings as they are.
pub(super) fn heading(text: &str) -> String {
    match TERMS.iter().find(|term| term.headings.contains(&text)) {
        Some(term) => format!("<a class=\"term\" href=\"#term-{}\">{}</a>", term.id, escape(text)),
        None => escape(text),
    }
}

/// Every word with its meaning.
pub(super) fn list() -> String {
    let mut html = String::from("<dl class=\"terms\">\n");
    for term in &TERMS {
        let _ = writeln!(
            html,
            "<div id=\"term-{}\"><dt>{}</dt><dd>{}</dd></div>",
            term.id,
            escape(term.name),
            escape(term.meaning)
        );
    }
    html + "</dl>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_leads_to_its_meaning() {
        let heading = heading("memory sectors");
        assert_eq!(heading, "<a class=\"term\" href=\"#term-sector\">memory sectors</a>");
        assert!(list().contains("<div id=\"term-sector\"><dt>sector</dt><dd>32 bytes,"));
        assert_eq!(super::heading("rung"), "rung");
        for (i, term) in TERMS.iter().enumerate() {
            assert!(TERMS[..i].iter().all(|other| other.id != term.id), "{}", term.id);
        }
    }
}

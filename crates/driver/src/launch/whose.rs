//! What checks found, in the terms of a whole program: whose memory it is that a kernel must not use, and what a launch
//! is given.

use warpwise_simt::Program;
use warpwise_trace::Finding;

use crate::state::State;

/// What comes between an access and what is wrong with it.
const BOUNDS: &str = " is out of bounds: ";

impl State {
    /// What checks found in a kernel of a program.
    pub(crate) fn found(&self, findings: &[warpwise_simt::Finding], program: &Program) -> Vec<Finding> {
        let told = |found: &warpwise_simt::Finding| {
            let mut finding = Finding::of_check(found, program);
            self.say_whose(found.address, &mut finding);
            finding.advice = of_a_program(&finding.advice);
            finding
        };
        findings.iter().map(told).collect()
    }

    /// Says of an access outside all allocations what lies there, if that is known: how far the next allocation is
    /// helps nobody who uses memory that was freed, or memory of the host's.
    pub(crate) fn say_whose(&self, address: Option<u64>, finding: &mut Finding) {
        let Some(address) = address.filter(|_| finding.kind == "out_of_bounds") else { return };
        let Some(at) = finding.message.find(BOUNDS) else { return };
        let (what, advice) = if self.memory.was_freed(address) {
            ("the memory was freed before the launch", "Free memory when the last kernel that uses it has ended.")
        } else if self.is_far_from_all(address) && is_mapped(address) {
            (
                "it is memory of the host",
                "Copy it to memory of cudaMalloc() and pass that, or allocate it with cudaMallocManaged().",
            )
        } else {
            return;
        };
        let rest = &finding.message[at + BOUNDS.len()..];
        let who = rest.find(", by thread ").map_or("", |at| &rest[at..]);
        finding.message = format!("{}{BOUNDS}{what}{who}", &finding.message[..at]);
        advice.clone_into(&mut finding.advice);
    }

    /// Whether no allocation is so near that a wrong index leads from it to an address.
    fn is_far_from_all(&self, address: u64) -> bool {
        let reach = |bytes: u64| bytes.saturating_mul(16).max(16 << 20);
        self.memory.allocations().all(|(base, allocation)| {
            let end = base + allocation.bytes;
            let distance = if address < base { base - address } else { address.saturating_sub(end) };
            distance > reach(allocation.bytes)
        })
    }
}

/// Advice without options of the command that runs single kernels.
fn of_a_program(advice: &str) -> String {
    let advice = advice.replace("give it --shared BYTES", "give the bytes as the third value in <<<>>>");
    match advice.split_once(": --shared ").and_then(|(before, rest)| Some((before, rest.split_once(' ')?))) {
        Some((before, (bytes, _))) => format!("{before}: {bytes} bytes, the third value in <<<>>>, are too little."),
        None => advice,
    }
}

/// Whether the process has memory at an address.
fn is_mapped(address: u64) -> bool {
    const PAGE: u64 = 4096;
    let page = address / PAGE * PAGE;
    // SAFETY: the call changes nothing: it fails where nothing is mapped.
    page != 0 && unsafe { libc::msync(page as *mut libc::c_void, PAGE as usize, libc::MS_ASYNC) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_speaks_of_launches() {
        let seen = of_a_program("Compare it, or give the launch more memory: --shared 512 is too little for it.");
        assert_eq!(
            seen,
            "Compare it, or give the launch more memory: 512 bytes, the third value in <<<>>>, are too little."
        );
        let none = of_a_program("The launch gives it none: give it --shared BYTES.");
        assert_eq!(none, "The launch gives it none: give the bytes as the third value in <<<>>>.");
        assert_eq!(of_a_program("Use atomicAdd()."), "Use atomicAdd().");
    }

    #[test]
    fn memory_of_the_process_is_known() {
        let own = 5;
        assert!(is_mapped((&raw const own) as u64));
        assert!(!is_mapped(0x10) && !is_mapped(1 << 60));
    }
}

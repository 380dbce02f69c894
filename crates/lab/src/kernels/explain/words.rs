//! Diagnoses in plain words: the number that shows it, and what usually helps.

use super::diagnose::Cause;
use super::subject::Subject;

/// The sentence and the remedy. `at` names the costliest line (`line 12`), and is empty if there is none.
pub(crate) fn words(cause: &Cause, at: &str) -> (String, &'static str) {
    let [a, b, c] = cause.numbers;
    let percent = format!("{:.0} %", 100.0 * cause.share);
    let place = if at.is_empty() { String::new() } else { format!(" at {at}") };
    match cause.subject {
        Subject::Divergence => (
            format!(
                "Divergence: the branch{place} splits {:.0} % of the warps that come to it, and the code behind such branches runs with {b:.1} of 32 lanes; this, and deciding which lanes go where, is an estimated {percent} of the time.",
                100.0 * a
            ),
            "Choose threads so that whole warps go the same way: let threads 0, 1, 2, ... do the work, instead of every second, fourth, ... thread.",
        ),
        Subject::Uncoalesced => (
            format!(
                "Uncoalesced access: a warp's access{place} touches {a:.1} sectors of 32 bytes, but its bytes need only {b:.1}; the {c:.0} sectors too many are an estimated {percent} of the time."
            ),
            "Let neighbouring threads access neighbouring elements: make threadIdx.x the fastest index, or load the data through shared memory.",
        ),
        Subject::BankConflicts => (
            format!(
                "Bank conflicts: an access to shared memory takes {b:.1} passes on average, most of them{place}; the {a:.0} passes too many are an estimated {percent} of the time."
            ),
            "Let the lanes of a warp use different banks: neighbouring threads neighbouring words, or a padding word in every row.",
        ),
        Subject::AtomicContention => (
            format!(
                "Atomic contention: {:.0} % of the lanes that do an atomic{place} collide with another at their address, up to {b:.0} per warp; waiting for each other is an estimated {percent} of the time.",
                100.0 * a
            ),
            "Combine within the warp or in shared memory first, or keep several copies of the counters and add them up at the end.",
        ),
        Subject::PartialWarps => (
            format!(
                "Partly filled warps: blocks of {b:.0} threads fill {a:.1} of the 32 lanes of their warps; the empty lanes are an estimated {percent} of the time."
            ),
            "Use blocks whose number of threads is a multiple of 32, such as 128 or 256.",
        ),
        Subject::IdleThreads if b <= 1.5 && c <= 0.5 => (
            format!(
                "Idle threads: a thread loads an element and does {b:.1} operations on data, all{place}, in rounds that have work for {:.0} % of the threads; at least half of the block never works after the load, an estimated {percent} of the time.",
                100.0 * a
            ),
            "Let every thread combine two elements while it loads them: half the blocks do the same work.",
        ),
        Subject::IdleThreads => (
            format!(
                "Idle threads: at most {:.0} % of the threads do anything with the data{place}; the others cost an estimated {percent} of the time.",
                100.0 * a
            ),
            "Launch fewer threads, or give those that only load a part of the work.",
        ),
        Subject::InstructionOverhead => {
            let barriers = if c > 0.0 { ", and all warps meet at a barrier in every round" } else { "" };
            (
                format!(
                    "Instruction overhead: {:.0} % of the issue slots go to counters, tests, jumps and addresses of loops{place}, {:.0} % to work on data{barriers}; the overhead is an estimated {percent} of the time.",
                    100.0 * a,
                    100.0 * b
                ),
                if c > 0.0 {
                    "Unroll the loop (sizes as compile-time constants, #pragma unroll); once a single warp is left, __syncwarp() can replace __syncthreads()."
                } else {
                    "Unroll the loop (sizes as compile-time constants, #pragma unroll), and take what does not change out of it."
                },
            )
        }
        Subject::Barriers => (
            format!(
                "Barriers: a warp waits at {a:.1} barriers of its block of {b:.0} warps; that is an estimated {percent} of the time."
            ),
            "Exchange values within a warp by shuffles, which need no barrier, or use smaller blocks.",
        ),
        Subject::WorkPerThread => (
            format!(
                "Too little work per thread: each loads {a:.0} bytes and executes {b:.0} instructions, most of them the same for any number of elements; with eight times the elements per thread, an estimated {percent} of the time would be saved."
            ),
            "Let a fixed number of blocks go over all elements in a grid-stride loop, so that the fixed work of a thread serves many elements.",
        ),
        Subject::LoadsInFlight => (
            format!(
                "Too few loads in flight: a thread waits for {a:.1} loads of {b:.0} bytes at a time{place}, with {c:.0} warps per multiprocessor; with four times as many in flight, an estimated {percent} of the time would be saved."
            ),
            "Load several elements, or 16 bytes at once, before the first is used; more warps help too.",
        ),
        Subject::Occupancy => (
            format!(
                "Low occupancy: a multiprocessor holds {b:.0} blocks at once, {:.0} % of its threads, though {c:.0} would fit by their number of threads; that is an estimated {percent} of the time.",
                100.0 * a
            ),
            "Use less shared memory per block, or blocks of a size that divides the threads of a multiprocessor.",
        ),
        Subject::SmallGrid => (
            format!("A small grid: {a:.0} blocks leave {:.0} of {b:.0} multiprocessors idle.", b - a),
            "Use more blocks: smaller ones, or more data.",
        ),
        Subject::Launches => (
            format!(
                "Launches: {a:.0} of them at about {b:.0} us each are an estimated {percent} of the time, longer than the kernels need for so little data."
            ),
            "Do more in one launch, or give it more data.",
        ),
        Subject::Bandwidth => (
            format!(
                "Bandwidth: moving {} is an estimated {percent} of the time; only moving fewer bytes would help.",
                bytes(a)
            ),
            "Fuse it with the kernel before or after it, or use a smaller type.",
        ),
        Subject::Compute => (
            format!(
                "Instructions: issuing {b:.0} of them is an estimated {percent} of the time; nothing else stands out."
            ),
            "Do less: reuse values in registers, use cheaper operations, or tensor cores where they fit.",
        ),
    }
}

/// A number of bytes for people.
fn bytes(count: f64) -> String {
    match count {
        c if c >= 1e9 => format!("{:.1} GB", c / 1e9),
        c if c >= 1e6 => format!("{:.1} MB", c / 1e6),
        c if c >= 1e3 => format!("{:.1} kB", c / 1e3),
        c => format!("{c:.0} bytes"),
    }
}

//! Which steps a finding is about.

use super::access::Seen;
use super::assemble::line_of;
use super::recorder::{Recorder, Step};
use crate::kernels::finding::Finding;
use crate::kernels::source::{Line, SourceMap};

/// One side of a finding: a line, and the thread that was there.
struct Side {
    line: Line,
    block: [u32; 3],
    warp: u32,
    lane: usize,
}

/// The step at fault and that of the other access, by their positions in the list.
///
/// Of a race, it is the two steps nearest in time whose lanes touch the same bytes, one of them to write, with no barrier
/// between them; of anything else, the first step of the thread at that instruction, or else at that line.
pub(super) fn steps(
    finding: &Finding,
    recorder: &Recorder,
    steps: &[&Step],
    sources: &SourceMap,
) -> [Option<usize>; 2] {
    let this = side(recorder, finding.line, finding.file.as_ref(), finding.block, finding.thread);
    let other =
        side(recorder, finding.other_line, finding.other_file.as_ref(), finding.other_block, finding.other_thread);
    let at = |side: &Side| -> Vec<usize> {
        let fits = |&at: &usize| {
            let step = steps[at];
            let row = &recorder.rows[step.warp];
            let known = recorder.known.get(&step.pc);
            let line = known.and_then(|known| match finding.in_ptx {
                false => line_of(known, sources),
                true => Some(Line { file: side.line.file.clone(), number: known.place.ptx_line }),
            });
            (row.block, row.warp) == (side.block, side.warp)
                && step.on >> side.lane & 1 == 1
                && line.as_ref() == Some(&side.line)
        };
        (0..steps.len()).filter(fits).collect()
    };
    // A line is many instructions: that of the finding, or one that touches memory, says more than the first.
    let likely = |found: &[usize], ptx_line: Option<u32>| {
        let line = |at: usize| recorder.known.get(&steps[at].pc).map(|known| known.place.ptx_line);
        let exact = found.iter().find(|&&at| ptx_line.is_some() && line(at) == ptx_line);
        let access = || found.iter().find(|&&at| !steps[at].accesses.is_empty());
        exact.or_else(access).or(found.first()).copied()
    };
    match (this, other) {
        (None, None) => [None, None],
        (Some(this), None) => [likely(&at(&this), finding.ptx_line), None],
        (None, Some(other)) => [None, likely(&at(&other), None)],
        (Some(this), Some(other)) => {
            let (first, second) = (at(&this), at(&other));
            let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| (a, b)));
            let meet = |&(a, b): &(usize, usize)| {
                let same_phase = this.block != other.block || steps[a].phase == steps[b].phase;
                let with =
                    |x: &Seen, y: &Seen| (x.kind.writes() || y.kind.writes()) && x.overlaps(this.lane, y, other.lane);
                let touches = |x: &Seen| steps[b].accesses.iter().any(|y| with(x, y));
                a != b && same_phase && steps[a].accesses.iter().any(touches)
            };
            match pairs.filter(meet).min_by_key(|&(a, b)| steps[a].time.abs_diff(steps[b].time)) {
                Some((a, b)) => [Some(a), Some(b)],
                None => [likely(&first, finding.ptx_line), likely(&second, None)],
            }
        }
    }
}

fn side(
    recorder: &Recorder,
    line: Option<u32>,
    file: Option<&String>,
    block: Option<[u32; 3]>,
    thread: Option<[u32; 3]>,
) -> Option<Side> {
    let [x, y, z] = thread?;
    let [width, height, _] = recorder.launched.as_ref()?.block;
    let thread = x + width * (y + height * z);
    let line = Line { file: file?.clone(), number: line? };
    Some(Side { line, block: block?, warp: thread / 32, lane: thread as usize % 32 })
}

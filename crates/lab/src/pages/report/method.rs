//! How to read the numbers, and how to reproduce them.

use super::Section;
use crate::pages::tour::Results;

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let again = if results.quick { "warpwise tour --quick" } else { "warpwise tour" };
    let html = format!(
        "<dl class=\"terms\">\n\
         <div><dt>agrees</dt><dd>The whole result was compared with plain sequential code in f64 or in the integer \
         type. Integers must be equal; floats may differ as much as another order of summation allows. The small \
         number is the largest error seen.</dd></div>\n\
         <div><dt>time</dt><dd>The median of at least ten samples after warming up: half of them were faster. On the \
         CPU it is the call, on a GPU its kernels.</dd></div>\n\
         <div><dt>noise</dt><dd>The spread of the samples, in per cent of the median. Differences smaller than the \
         noise mean nothing.</dd></div>\n\
         <div><dt>GB/s, GFLOP/s</dt><dd>What must be moved and computed, divided by the time. Extra work of a variant \
         shows as a low rate.</dd></div>\n\
         <div><dt>over the rung before</dt><dd>The rung before divided by this one: 2× is half the time, or half the \
         instructions; below 1× is a step back.</dd></div>\n\
         <div><dt>warp</dt><dd>32 threads that execute one instruction together; each is a lane. A branch that sends \
         lanes different ways is divergent: the warp takes both.</dd></div>\n\
         <div><dt>sector</dt><dd>32 bytes, the smallest unit that global memory moves. A warp that reads 32 \
         neighbouring floats needs four; one that reads them far apart needs 32.</dd></div>\n\
         <div><dt>bank conflict</dt><dd>Shared memory serves 32 banks at once; lanes that want different words of one \
         bank wait for each other.</dd></div>\n\
         </dl>\n\
         <p>Every number names its row: look for <code>data-row</code> in the source of this page, and for the same id \
         in the JSON at its end. <code>{again}</code> makes such a page, <code>warpwise report PAGE</code> recreates \
         it from the results in it, and <code>warpwise bench</code>, <code>explain</code> and <code>bench \
         --like</code> go deeper.</p>\n"
    );
    Section { id: "method".into(), title: "How to read the numbers".into(), html }
}

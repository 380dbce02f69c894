//! What the page says about primitives, whatever was measured.

/// What a primitive computes, and what its ladder teaches.
pub(super) fn about(primitive: &str) -> Option<(&'static str, &'static str)> {
    Some(match primitive {
        "vecadd" => (
            "Adds two vectors, element by element.",
            "There is nothing to share and nothing to wait for, so all that matters is that every lane has work and \
             that memory is asked in large pieces. A block of one thread uses one lane of 32; a block for everything \
             ends at 1024 threads; many blocks of whole warps use the GPU, and 16-byte accesses need a quarter of the \
             instructions.",
        ),
        "reduce" => (
            "Combines all elements into one; here, their sum.",
            "The classical ladder. Picking threads by modulo leaves warps with a few active lanes (divergence); \
             striding keeps warps whole but sends lanes to the same bank of shared memory (conflicts); adding the upper \
             half to the lower removes both. From there on it is about doing less: two elements a thread, no barriers \
             in the last warp, no loop, then many elements a thread, registers instead of shared memory, and one launch.",
        ),
        "scan" => (
            "Gives every element the sum of all up to it.",
            "A running sum looks sequential. Hillis and Steele do log n steps of n additions; Blelloch goes up and down \
             a tree with 2n, at the price of bank conflicts, which padding removes. These take one block. Beyond it: \
             scan blocks, scan their totals, add them back; or a single pass in which blocks look back at what earlier \
             ones have published, or gather all of it themselves while the next tile is on its way.",
        ),
        "histogram" => (
            "Counts how many elements fall into each of 256 bins.",
            "Whoever counts must not be disturbed: atomics. Sections of the input for each thread scatter the loads of a \
             warp; neighbouring threads on neighbouring elements bring them together. Counting in shared memory first \
             leaves few global atomics, and copies of the bins leave few collisions; loads that are asked for long \
             before they are counted keep the memory busy.",
        ),
        "matmul" => (
            "Multiplies square matrices.",
            "Each element of the result needs a whole row and a whole column, so the question is how often a value is \
             used once it was loaded. Neighbouring threads on neighbouring columns load together; tiles in shared \
             memory use a value for many threads; registers use it for many results of one thread. Tensor cores \
             multiply whole tiles at once, in numbers with few digits: rounded, about three digits of the result are \
             right; split in three parts each, all that f32 has.",
        ),
        "convolve1d" => (
            "Weights every element with its neighbours.",
            "All threads read the same mask at the same time, which is what constant memory is for; neighbouring \
             threads read nearly the same elements, which is what a tile in shared memory is for. Several elements a \
             thread keep more loads under way and use each of them several times.",
        ),
        "convolve2d" => (
            "Smooths an image with a 5 x 5 filter.",
            "As in one dimension, and with more to lose: a tile that one thread fills leaves all others waiting; filled \
             by all of them it pays; several pixels a thread use what is loaded several times. A warp that slides down \
             the image needs no tile at all, and a filter with a structure needs fewer multiplications.",
        ),
        "heat" => (
            "Spreads heat on a cylinder, step by step, until nothing changes much.",
            "Each step reads nine cells to write one, and asks for the largest change. Launches that only copy a seam \
             cost more than their work; one atomic a block costs less than one a cell; and everything in one launch \
             saves reading the grid again. Several steps in one pass read it once for all of them, and a grid that fits \
             on the chip need not be read again at all.",
        ),
        "radiator" => (
            "Sends heat along rows that are rings, step by step.",
            "Rows have nothing to do with each other. Going back to global memory in every step is the naive way; a \
             window in registers reads each value once a step; a row that stays on chip reads it once in all, and lanes \
             that hand values to each other need no barriers.",
        ),
        "hello" => (
            "Lets every thread print its block and thread number.",
            "The first kernel anybody writes: it shows that a launch is many threads, and that each knows its place.",
        ),
        _ => return None,
    })
}

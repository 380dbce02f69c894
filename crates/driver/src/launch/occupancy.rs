//! How many blocks fit, and which blocks are best.

use crate::edge::{api, get, put};
use crate::error::{Error, Outcome};
use crate::launch::kernel::resident_blocks;
use crate::launch::{LaunchConfig, asked};
use crate::state::lock;

/// A function of the caller's that says how much dynamic shared memory a block of some size needs.
type SharedBytesOf = Option<unsafe extern "C" fn(i32) -> usize>;

fn active_blocks(blocks: *mut i32, function: u64, threads: i32, dynamic_shared: usize) -> Outcome {
    let state = lock()?;
    state.context()?;
    let threads = u32::try_from(threads).ok().filter(|&threads| threads > 0).ok_or(Error::INVALID_VALUE)?;
    let function = state.functions.get(function)?;
    if threads > function.max_threads(&state.gpu) {
        return put(blocks, 0);
    }
    let dynamic_shared = u32::try_from(dynamic_shared).unwrap_or(u32::MAX);
    put(blocks, resident_blocks(&state, function, threads, dynamic_shared) as i32)
}

fn best_block(
    grid: *mut i32,
    block: *mut i32,
    function: u64,
    shared_of: SharedBytesOf,
    dynamic_shared: usize,
    limit: i32,
) -> Outcome {
    let state = lock()?;
    state.context()?;
    let found = state.functions.get(function)?;
    let most = found.max_threads(&state.gpu);
    let most = u32::try_from(limit).ok().filter(|&limit| limit > 0).map_or(most, |limit| limit.min(most));
    let mut best = (0, 0, 0);
    let mut threads = most;
    while threads > 0 {
        let shared = match shared_of {
            // SAFETY: by the contract of the API a function of this type.
            Some(function) => unsafe { function(threads as i32) },
            None => dynamic_shared,
        };
        let blocks = resident_blocks(&state, found, threads, u32::try_from(shared).unwrap_or(u32::MAX));
        // The largest block among those with the most threads.
        if blocks * threads > best.0 {
            best = (blocks * threads, threads, blocks);
        }
        if best.0 == state.gpu.threads_sm {
            break;
        }
        threads = if threads.is_multiple_of(32) { threads - 32 } else { threads / 32 * 32 };
    }
    put(grid, (best.2 * state.gpu.sms) as i32)?;
    put(block, best.1 as i32)
}

api! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut i32,
        function: u64,
        threads: i32,
        dynamic_shared: usize,
    ) {
        active_blocks(blocks, function, threads, dynamic_shared)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut i32,
        function: u64,
        threads: i32,
        dynamic_shared: usize,
        flags: u32,
    ) {
        if flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        active_blocks(blocks, function, threads, dynamic_shared)
    }

    fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut i32,
        block: *mut i32,
        function: u64,
        shared_of: SharedBytesOf,
        dynamic_shared: usize,
        limit: i32,
    ) {
        best_block(grid, block, function, shared_of, dynamic_shared, limit)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut i32,
        block: *mut i32,
        function: u64,
        shared_of: SharedBytesOf,
        dynamic_shared: usize,
        limit: i32,
        flags: u32,
    ) {
        if flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        best_block(grid, block, function, shared_of, dynamic_shared, limit)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: u64, blocks: i32, threads: i32) {
        let state = lock()?;
        state.context()?;
        let function = state.functions.get(function)?;
        let (Ok(blocks), Ok(threads)) = (u32::try_from(blocks), u32::try_from(threads)) else {
            return Err(Error::INVALID_VALUE);
        };
        let fits = |shared: u32| resident_blocks(&state, function, threads, shared) >= blocks;
        if blocks == 0 || threads == 0 || !fits(0) {
            return Err(Error::INVALID_VALUE);
        }
        // Fitting is monotonic: search for the last amount that still fits.
        let (mut low, mut high) = (0, (state.gpu.smem_block_kb << 10).saturating_sub(function.facts.static_shared));
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        put(bytes, low as usize)
    }

    fn cuOccupancyMaxPotentialClusterSize(size: *mut i32, function: u64, config: *const LaunchConfig) {
        let state = lock()?;
        state.context()?;
        state.functions.get(function)?;
        get(config)?;
        put(size, state.gpu.max_cluster() as i32)
    }

    fn cuOccupancyMaxActiveClusters(clusters: *mut i32, function: u64, config: *const LaunchConfig) {
        let state = lock()?;
        state.context()?;
        let function = state.functions.get(function)?;
        let config = get(config)?;
        let cluster = asked(&config)?.cluster.ok_or(Error::INVALID_VALUE)?;
        let threads = config.block.iter().product();
        let blocks = resident_blocks(&state, function, threads, config.shared_bytes) * state.gpu.sms;
        put(clusters, (blocks / cluster.iter().product::<u32>().max(1)) as i32)
    }
}

//! Attributes of a device, by the numbers of `CUdevice_attribute`.

use warpwise_arch::Gpu;

/// Widths that do not depend on the GPU: textures and surfaces, by attribute.
const IMAGES: &[(u32, i32)] = &[
    (21, 131_072),
    (22, 131_072),
    (23, 65_536),
    (24, 16_384),
    (25, 16_384),
    (26, 16_384),
    (27, 32_768),
    (28, 32_768),
    (29, 2048),
    (42, 32_768),
    (43, 2048),
    (45, 32_768),
    (46, 32_768),
    (47, 8192),
    (48, 8192),
    (49, 32_768),
    (52, 32_768),
    (53, 32_768),
    (54, 2046),
    (55, 32_768),
    (56, 131_072),
    (57, 65_536),
    (58, 16_384),
    (59, 16_384),
    (60, 16_384),
    (61, 32_768),
    (62, 2048),
    (63, 32_768),
    (64, 32_768),
    (65, 2048),
    (66, 32_768),
    (67, 32_768),
    (68, 2046),
    (69, 268_435_456),
    (70, 131_072),
    (71, 65_000),
    (72, 2_097_120),
    (73, 32_768),
    (74, 32_768),
    (77, 32_768),
];

/// An attribute of a GPU; 0 for numbers that are not known, which newer programs ask for.
pub(crate) fn attribute(gpu: &Gpu, which: u32) -> i32 {
    if let Ok(at) = IMAGES.binary_search_by_key(&which, |&(number, _)| number) {
        return IMAGES[at].1;
    }
    let since = |major: u32| i32::from(gpu.cc.0 >= major);
    let clamp = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
    let [block_x, block_y, block_z] = gpu.max_block();
    let [grid_x, grid_y, grid_z] = gpu.max_grid();
    clamp(match which {
        1 => gpu.max_threads_per_block(),
        2 => block_x,
        3 => block_y,
        4 => block_z,
        5 => grid_x,
        6 => grid_y,
        7 => grid_z,
        // Static shared memory; more has to be asked for (97).
        8 => gpu.smem_block_kb.min(48) << 10,
        9 => 64 << 10,
        10 => 32,
        11 => i32::MAX as u32,
        12 => gpu.regs_sm,
        13 => gpu.clock_mhz * 1000,
        14 | 30 => 512,
        16 => gpu.sms,
        36 => 1000 * memory_clock_mhz(gpu),
        37 => bus_width(gpu),
        38 => gpu.l2_kb << 10,
        39 => gpu.threads_sm,
        40 => 3,
        33 => 1,
        51 => 32,
        75 => gpu.cc.0,
        76 => gpu.cc.1,
        81 => gpu.smem_sm_kb << 10,
        82 => gpu.regs_sm,
        87 => gpu.fp32.checked_div(gpu.fp64).unwrap_or(1),
        97 => gpu.smem_block_kb << 10,
        106 => gpu.blocks_sm,
        108 => {
            if gpu.cc.0 >= 8 {
                (gpu.l2_kb / 16 * 10) << 10
            } else {
                0
            }
        }
        109 => {
            if gpu.cc.0 >= 8 {
                128 << 20
            } else {
                0
            }
        }
        111 => {
            if gpu.cc.0 >= 8 {
                1024
            } else {
                0
            }
        }
        126 => {
            if gpu.cc.0 >= 9 {
                4
            } else {
                1
            }
        }
        _ => return switch(which, since),
    })
}

/// The attributes that are yes or no.
fn switch(which: u32, since: impl Fn(u32) -> i32) -> i32 {
    match which {
        // Copies beside kernels, mapped host memory, several kernels, one address space, gathering, priorities.
        15 | 19 | 31 | 41 | 44 | 78 => 1,
        // Caches, managed memory (also while kernels run), preemption, registered memory by its own address.
        79 | 80 | 83 | 89 | 90 | 91 => 1,
        // Values in streams: writing, waiting, in 64 bits, NOR.
        92..=94 | 122 | 123 => 1,
        // Cooperative launches, registered host memory, virtual memory with file descriptors, pools.
        95 | 98 | 99 | 102 | 103 | 115 | 119 => 1,
        // Clusters, functions by address.
        120 | 129 => since(9),
        // Events and memory of other processes: only of this one.
        125 => 0,
        // The node of host memory that is near; -1: none.
        131 | 134 => -1,
        _ => 0,
    }
}

/// Bits of the memory bus: wide for memory in stacks.
fn bus_width(gpu: &Gpu) -> u32 {
    match gpu.bandwidth_gbs {
        3000.. => 6144,
        1000.. => 5120,
        300.. => 352,
        _ => 256,
    }
}

/// The clock at which that bus gives the bandwidth of the data sheet, at two transfers a clock.
fn memory_clock_mhz(gpu: &Gpu) -> u32 {
    (u64::from(gpu.bandwidth_gbs) * 8000 / u64::from(bus_width(gpu)) / 2) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(gpu: &str, which: u32) -> i32 {
        attribute(&Gpu::named(gpu).expect("a known GPU"), which)
    }

    #[test]
    fn an_h200() {
        assert_eq!([1, 8, 10, 12, 16].map(|a| of("h200", a)), [1024, 49_152, 32, 65_536, 132]);
        assert_eq!([75, 76, 81, 97, 106].map(|a| of("h200", a)), [9, 0, 233_472, 232_448, 32]);
        assert_eq!([41, 83, 89, 95, 115, 120].map(|a| of("h200", a)), [1; 6]);
        assert_eq!([5, 6, 7].map(|a| of("h200", a)), [i32::MAX, 65_535, 65_535]);
    }

    #[test]
    fn what_older_gpus_lack() {
        assert_eq!(of("rtx-3090", 120), 0);
        assert_eq!(of("rtx-2080-ti", 111), 0);
    }

    #[test]
    fn unknown_numbers_are_zero() {
        assert_eq!([0, 148, 4711].map(|a| of("h200", a)), [0; 3]);
    }

    #[test]
    fn widths_are_in_order_for_the_search() {
        assert!(IMAGES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}

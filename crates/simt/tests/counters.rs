//! Counters against what follows from the source of the kernels, by hand.
//!
//! `counters/kernels.cu` holds kernels of one kind of access each, `kernels.ptx` what NVRTC 13.4 makes of them for
//! compute_80. `launches.csv` states launches and their counters; `scripts/gpu/counters.py` compares the same file
//! with the counters of a GPU.

#[path = "counters/instructions.rs"]
mod instructions;

use std::sync::Arc;

use warpwise_simt::{Counters, Gpu, Launch, Machine, Profile, Program, Report, Watch};

const PTX: &str = include_str!("counters/kernels.ptx");
const LAUNCHES: &str = include_str!("counters/launches.csv");
/// Bytes of the input and of the output.
const BUFFER: usize = 4 << 22;

/// One launch of `launches.csv`.
struct Row<'c> {
    kernel: &'c str,
    k: u32,
    grid: u32,
    block: [u32; 2],
    /// Counters by name.
    stated: Vec<(&'c str, u64)>,
}

impl Row<'_> {
    /// Warps of the launch.
    fn warps(&self) -> u64 {
        u64::from(self.grid) * u64::from((self.block[0] * self.block[1]).div_ceil(32))
    }
}

fn rows() -> Vec<Row<'static>> {
    let mut lines = LAUNCHES.lines();
    let names: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let number = |cell: &str| cell.parse::<u64>().expect("a number");
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        let small = |n: usize| number(cells[n]) as u32;
        let stated = names[5..].iter().copied().zip(cells[5..].iter().map(|c| number(c))).collect();
        Row { kernel: cells[0], k: small(1), grid: small(2), block: [small(3), small(4)], stated }
    };
    lines.map(row).collect()
}

fn run(kernel: &str, k: u32, grid: u32, block: [u32; 2], workers: usize) -> Report {
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let module = machine.load(Arc::new(Program::load(PTX).expect("the PTX loads"))).expect("nothing to resolve");
    let (input, output) =
        (machine.alloc(BUFFER as u64).expect("memory"), machine.alloc(BUFFER as u64).expect("memory"));
    let params = [input, output].into_iter().flat_map(|p| p.0.to_le_bytes()).chain(k.to_le_bytes()).collect();
    let mut launch = Launch::new([grid, 1, 1], [block[0], block[1], 1], params);
    launch.workers = workers;
    launch.watch = Watch::COUNTERS;
    machine.launch(module, kernel, &launch).expect("the kernel ends well")
}

fn profile(row: &Row<'_>, workers: usize) -> Profile {
    let report = run(row.kernel, row.k, row.grid, row.block, workers);
    let profile = report.profile.expect("asked for");
    assert_eq!(profile.total.warp_instructions, report.warp_instructions, "{}", row.kernel);
    profile
}

/// The counters of a launch, by the rules and the kernel's source; instructions are left at zero.
fn by_hand(row: &Row<'_>) -> Counters {
    let w = row.warps();
    let k = u64::from(row.k);
    let none = Counters::default();
    // A global load and a store of each warp; a load of `stride` elements apart spans so many sectors, at most 32.
    let global = |size: u64, stride: u64| Counters {
        global_load_requests: w,
        global_load_sectors: w * (size * stride).min(32),
        global_load_bytes: w * 32 * size,
        global_store_requests: w,
        global_store_sectors: w * size,
        global_store_bytes: w * 32 * size,
        ..none
    };
    // A coalesced one with a store to shared memory, a barrier, and a load from it.
    let shared = |size: u64, store: u64, load: u64| {
        let phases = (size / 4).max(1);
        Counters {
            shared_store_requests: w,
            shared_store_wavefronts: w * (phases + store),
            shared_store_conflicts: w * store,
            shared_load_requests: w,
            shared_load_wavefronts: w * (phases + load),
            shared_load_conflicts: w * load,
            barriers: w,
            ..global(size, 1)
        }
    };
    // Lanes of a phase that are `k` elements apart, a power of two: so many in one bank as there are words between
    // them, but no more than lanes in the phase, nor than rows of banks in the 256 elements.
    let wrapped = |size: u64| {
        let lanes = 128 / size.max(4);
        let words = if size < 4 { k * size / 4 } else { k };
        let most = words.max(1).min(lanes).min(256 * size / 128);
        32 / lanes * (most - 1)
    };
    match row.kernel {
        // 48 threads: the second warp of a block is half a warp.
        "strided" if row.block[0] == 48 => Counters {
            global_load_requests: w,
            global_load_sectors: w / 2 * (4 + 2),
            global_load_bytes: w / 2 * 4 * 48,
            global_store_requests: w,
            global_store_sectors: w / 2 * (4 + 2),
            global_store_bytes: w / 2 * 4 * 48,
            ..none
        },
        "strided" => global(4, k),
        "vector2" => global(8, k),
        "vector4" => global(16, k),
        "bytes" => global(1, k),
        "halves" => global(2, k),
        // A warp that does not start with a sector needs one more.
        "shifted" => Counters { global_load_sectors: w * if k % 8 == 0 { 4 } else { 5 }, ..global(4, 1) },
        "gather" => {
            let index = |i: u64| u64::from((i as u32).wrapping_mul(2_654_435_761) >> row.k);
            let warp = |first: u64, shift: u32| {
                let mut all: Vec<u64> = (first..first + 32).map(|i| index(i) >> shift).collect();
                all.sort_unstable();
                all.dedup();
                all.len() as u64
            };
            Counters {
                global_load_sectors: (0..w).map(|n| warp(32 * n, 3)).sum(),
                global_load_bytes: (0..w).map(|n| 4 * warp(32 * n, 0)).sum(),
                ..global(4, 1)
            }
        }
        "broadcast" => Counters { global_load_sectors: w, global_load_bytes: 4 * w, ..global(4, 1) },
        // k lanes of each warp, and a branch around the access.
        "partial" => Counters {
            global_load_sectors: w * k.div_ceil(8),
            global_load_bytes: w * 4 * k,
            global_store_sectors: w * k.div_ceil(8),
            global_store_bytes: w * 4 * k,
            branches: w,
            divergent_branches: w,
            ..global(4, 1)
        },
        // A column: all lanes in one bank; with padding, each in its own.
        "tile" => shared(4, 0, 31),
        "tile_padded" => shared(4, 0, 0),
        "shared1" => shared(1, 0, wrapped(1)),
        "shared4" => shared(4, 0, wrapped(4)),
        "shared8" => shared(8, 0, wrapped(8)),
        "shared16" => shared(16, 0, wrapped(16)),
        "shared4_scatter" => shared(4, wrapped(4), 0),
        // `k` addresses for the 32 lanes of a warp; no loads or stores but that of the operand.
        "global_atomic" => Counters {
            global_store_requests: 0,
            global_store_sectors: 0,
            global_store_bytes: 0,
            global_atomics: w,
            atomic_collisions: if k < 32 { 32 * w } else { 0 },
            atomic_contention: 32 / k.min(32),
            ..global(4, 1)
        },
        "shared_atomic" => Counters {
            shared_atomics: w,
            atomic_collisions: if k < 32 { 32 * w } else { 0 },
            atomic_contention: 32 / k.min(32),
            barriers: 2 * w,
            ..shared(4, 0, 0)
        },
        // Lanes leave a loop after 0 to k turns: the branch around it and all but the last of its k turns part them.
        "divergent" => Counters { branches: (k + 1) * w, divergent_branches: k * w, ..global(4, 1) },
        // The copy is a load from global memory and a store to shared memory.
        "copy_async" => shared(16, 0, wrapped(16)),
        // Four words stored by number, one loaded: k = 0 the same for all lanes, k = 1 a different one each.
        "local_array" => Counters {
            local_store_requests: 4 * w,
            local_store_sectors: 4 * w * 4,
            local_load_requests: w,
            local_load_sectors: w * if k == 0 { 4 } else { 16 },
            ..global(4, 1)
        },
        other => panic!("{other} has no formula"),
    }
}

#[test]
fn counters_follow_from_the_rules() {
    for row in rows() {
        let counted = profile(&row, 0).total;
        let expected = Counters {
            warp_instructions: counted.warp_instructions,
            thread_instructions: counted.thread_instructions,
            ..by_hand(&row)
        };
        assert_eq!(counted, expected, "{} k = {}", row.kernel, row.k);
    }
}

#[test]
fn the_table_for_gpus_is_what_the_emulator_counts() {
    for row in rows() {
        assert!(!row.stated.is_empty());
        let counted = profile(&row, 0).total;
        for (name, stated) in &row.stated {
            let value = counted.named().find(|(n, _)| n == name).unwrap_or_else(|| panic!("no counter {name}")).1;
            assert_eq!(value, *stated, "{} k = {}: {name}", row.kernel, row.k);
        }
    }
}

#[test]
fn counters_do_not_depend_on_the_number_of_host_threads() {
    for row in rows() {
        let one = profile(&row, 1);
        for workers in [2, 5] {
            assert_eq!(profile(&row, workers), one, "{} on {workers} host threads", row.kernel);
        }
    }
}

#[test]
fn instructions_add_up_to_the_total() {
    for row in rows() {
        let profile = profile(&row, 0);
        let mut sum = Counters::default();
        for instruction in &profile.instructions {
            assert_eq!(&*instruction.function, row.kernel);
            assert!(instruction.ptx_line > 0 && instruction.counters.warp_instructions > 0);
            sum += &instruction.counters;
        }
        assert_eq!(sum, profile.total, "{}", row.kernel);
    }
}

#[test]
fn accesses_are_counted_at_their_line() {
    let text = PTX.lines().collect::<Vec<_>>();
    let profile = run("shared4", 2, 8, [256, 1], 1).profile.expect("asked for");
    for instruction in &profile.instructions {
        let line = text[instruction.ptx_line as usize - 1];
        let counters = &instruction.counters;
        assert_eq!(counters.global_load_requests > 0, line.contains("ld.global"), "{line}");
        assert_eq!(counters.global_store_requests > 0, line.contains("st.global"), "{line}");
        assert_eq!(counters.shared_load_conflicts > 0, line.contains("ld.shared"), "{line}");
        assert_eq!(counters.shared_store_requests > 0, line.contains("st.shared"), "{line}");
        assert_eq!(counters.barriers > 0, line.contains("bar.sync"), "{line}");
        assert_eq!(counters.warp_instructions, 8 * 8, "{line}");
        assert_eq!(counters.thread_instructions, 8 * 256, "{line}");
    }
    assert!(profile.instructions.iter().any(|i| i.source.is_some()));
}

#[test]
fn a_launch_that_is_not_watched_has_no_profile() {
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let module = machine.load(Arc::new(Program::load(PTX).expect("the PTX loads"))).expect("nothing to resolve");
    let data = machine.alloc(4096).expect("memory").0.to_le_bytes();
    let params = [&data[..], &data[..], &1u32.to_le_bytes()[..]].concat();
    let report = machine.launch(module, "strided", &Launch::new([1, 1, 1], [32, 1, 1], params)).expect("ends well");
    assert_eq!(report.profile, None);
}

//! Threads and blocks that wait for each other and still end.

use crate::rig::{every_build, numbers};
use warpwise_simt::FaultKind;

#[test]
fn spin_lock_inside_one_warp() {
    every_build("spin_lock", |rig| {
        for kernel in ["lock_naive", "lock_flag"] {
            for (blocks, threads) in [(1, 32), (2, 64)] {
                let (lock, count) = (rig.upload(&[0_i32]), rig.upload(&[0_i32]));
                rig.launch(kernel, [blocks, 1, 1], [threads, 1, 1], &[&lock, &count]);
                assert_eq!(rig.download::<i32>(count, 1), [(blocks * threads) as i32], "{kernel}");
                assert_eq!(rig.download::<i32>(lock, 1), [0], "{kernel}");
            }
        }
    });
}

#[test]
fn a_lane_waits_for_another() {
    every_build("spin_lock", |rig| {
        let (mailbox, out) = (rig.upload(&[0_i32]), rig.room::<i32>(1));
        rig.launch("lane_waits", [1; 3], [32, 1, 1], &[&mailbox, &out]);
        assert_eq!(rig.download::<i32>(out, 1), [77]);
    });
}

#[test]
fn blocks_wait_for_the_one_before() {
    every_build("block_chain", |rig| {
        let (flags, sums) = (rig.upload(&[0_i32; 200]), rig.room::<i32>(200));
        rig.launch("chain_flags", [200, 1, 1], [32, 1, 1], &[&flags, &sums]);
        assert_eq!(rig.download::<i32>(sums, 200), (1..=200).map(|n| n * (n + 1) / 2).collect::<Vec<_>>());
    });
}

#[test]
fn sixteen_blocks_meet() {
    every_build("block_chain", |rig| {
        for cooperative in [false, true] {
            rig.cooperative = cooperative;
            let (counter, values, out) = (rig.upload(&[0_u32]), rig.room::<i32>(16), rig.room::<i32>(16));
            rig.launch("chain_grid_barrier", [16, 1, 1], [64, 1, 1], &[&counter, &values, &out]);
            assert_eq!(rig.download::<i32>(out, 16), (0..16).map(|block| (block + 2) % 16 + 200).collect::<Vec<_>>());
        }
    });
}

#[test]
fn blocks_that_cannot_run_at_once_are_refused() {
    every_build("block_chain", |rig| {
        rig.cooperative = true;
        let (flags, sums) = (rig.upload(&[0_i32; 1]), rig.room::<i32>(1));
        let fault = rig.try_launch("chain_flags", [1 << 20, 1, 1], [32, 1, 1], &[&flags, &sums]);
        assert_eq!(fault.err().map(|fault| fault.kind), Some(FaultKind::LaunchLimit));
    });
}

#[test]
fn blocks_look_back() {
    every_build("block_chain", |rig| {
        let values: Vec<i32> = numbers(64 * 40).map(|x| x as i32 % 100).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i32>(values.len()));
        let (ticket, status) = (rig.upload(&[0_u32]), rig.upload(&[0_u64; 40]));
        rig.launch("chain_look_back", [40, 1, 1], [64, 1, 1], &[&input, &out, &ticket, &status]);
        let mut sum = 0;
        let expected: Vec<i32> = values
            .iter()
            .map(|value| {
                sum += value;
                sum
            })
            .collect();
        assert_eq!(rig.download::<i32>(out, values.len()), expected);
    });
}

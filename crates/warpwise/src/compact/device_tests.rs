//! Every rung against the reference, on the emulator.

use super::{Compact, Compactable, Condition, Rung, reference};
use crate::agreement::{Random, Sample, bits};
use crate::{Buffer, Device, Error, Geometry};

/// Any order will do for the rung that keeps none.
fn ordered<T: Sample>(rung: Rung, xs: &[T]) -> Vec<u64> {
    let mut bits = bits(xs);
    if rung == Rung::WarpAtomic {
        bits.sort_unstable();
    }
    bits
}

fn sample<T: Sample>(random: &mut Random, n: usize) -> Vec<T> {
    let draw = |random: &mut Random| match random.below(9) {
        0 if T::IS_FLOAT => T::of(f64::NAN),
        i => T::of(i as f64 - 4.0),
    };
    (0..n).map(|_| draw(random)).collect()
}

fn agrees<T: Compactable + Sample>(gpu: &Device) {
    let cpu = Device::cpu();
    let mut random = Random::new(63);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1025, 5000, 40_000] {
        let xs = sample::<T>(&mut random, n);
        let mask: Vec<u8> = (0..n).map(|_| [0, 0, 1, 255][random.below(4)]).collect();
        for &rung in Rung::ALL {
            let device = if rung.name().starts_with("cpu") { &cpu } else { gpu };
            for condition in Condition::all(T::of(1.0)) {
                let found = Compact::new(condition).variant(rung).run(device, &xs).unwrap();
                let truth = reference::compact(&xs, condition);
                let (found, truth) = (ordered(rung, &found), ordered(rung, &truth));
                assert!(found == truth, "{rung} {} {condition:?} of {n}", T::NAME);
            }
            let how = Compact::by_mask(&mask).variant(rung);
            let truth = ordered(rung, &reference::by_mask(&xs, &mask).unwrap());
            assert!(ordered(rung, &how.run(device, &xs).unwrap()) == truth, "{rung} {} mask of {n}", T::NAME);
            // To the beginning of part of a buffer that begins anywhere.
            let mut room = Buffer::from_slice(device, &vec![T::ONE; n + 2]).unwrap();
            let count = how.run_into(device, &xs, &mut room.view_mut(1..=n).unwrap()).unwrap();
            let room = room.to_vec().unwrap();
            assert!(ordered(rung, &room[1..=count]) == truth, "{rung} {} mask of {n}", T::NAME);
            assert!(room[0] == T::ONE && room[n + 1] == T::ONE, "{rung} {n}: nothing beside it is written");
        }
    }
}

#[test]
fn every_rung_agrees() {
    // Reading the kernels takes a while, so that one device has to do.
    let gpu = Device::emulator();
    agrees::<i32>(&gpu);
    agrees::<u32>(&gpu);
    agrees::<f32>(&gpu);
    agrees::<f64>(&gpu);
}

/// Few blocks with many tiles each, inputs that begin anywhere, masks too, and every number of elements a thread.
#[test]
fn tiles_follow_each_other() {
    fn agree<T: Compactable + Sample>(gpu: &Device) {
        let mut random = Random::new(64);
        let per_vector = (16 / size_of::<T>()) as u32;
        for (n, block, grid, rows) in
            [(9_000, 32, 3, 4), (40_000, 64, 5, 8), (40_000, 96, 1, 12), (30_000, 32, 3, 12), (3_000, 256, 2, 4)]
        {
            let geometry = Geometry { block: Some(block), grid: Some(grid), items: Some(rows * per_vector) };
            let xs = sample::<T>(&mut random, n + 3);
            let mask: Vec<u8> = (0..n + 3).map(|_| [0, 1][random.below(2)]).collect();
            let (on_gpu, mask_on_gpu) =
                (Buffer::from_slice(gpu, &xs).unwrap(), Buffer::from_slice(gpu, &mask).unwrap());
            for (skipped, skipped_in_mask) in [(0, 0), (1, 1), (3, 0), (0, 2)] {
                let part = skipped..skipped + n;
                let view = on_gpu.view(part.clone()).unwrap();
                let below = Compact::new(Condition::Less(T::of(1.0))).geometry(geometry);
                let found = below.run(gpu, &view).unwrap();
                let truth = reference::compact(&xs[part.clone()], Condition::Less(T::of(1.0)));
                assert!(bits(&found) == bits(&truth), "{} {n} {block} {skipped}", T::NAME);
                let mask_part = skipped_in_mask..skipped_in_mask + n;
                let mask_view = mask_on_gpu.view(mask_part.clone()).unwrap();
                let found = Compact::by_mask(&mask_view).geometry(geometry).run(gpu, &view).unwrap();
                let truth = reference::by_mask(&xs[part], &mask[mask_part]).unwrap();
                assert!(bits(&found) == bits(&truth), "{} mask {n} {block} {skipped} {skipped_in_mask}", T::NAME);
            }
        }
    }
    let gpu = Device::emulator();
    agree::<f32>(&gpu);
    agree::<f64>(&gpu);
    agree::<i32>(&gpu);
}

#[test]
fn results_go_to_memory_that_is_there() {
    let xs = [5, 1, 6, 2, 7];
    for device in [Device::cpu(), Device::emulator()] {
        let mut out = [0; 5];
        assert_eq!(Compact::new(Condition::Greater(4)).run_into(&device, &xs, &mut out).unwrap(), 3);
        assert_eq!(out[..3], [5, 6, 7]);
        assert_eq!(Compact::by_mask(&[0, 1, 0, 1, 0]).run_into(&device, &xs, &mut out).unwrap(), 2);
        assert_eq!(out[..2], [1, 2]);
        let short = Compact::new(Condition::Less(4)).run_into(&device, &xs, &mut out[1..]);
        assert!(matches!(short, Err(Error::Length { .. })));
    }
}

#[test]
fn wrong_calls_are_refused() {
    let gpu = Device::emulator();
    let with = |rung, block: Option<u32>, items: Option<u32>| {
        let geometry = Geometry { block, items, ..Geometry::default() };
        Compact::new(Condition::Less(3)).variant(rung).geometry(geometry).run(&gpu, &[1, 2, 3])
    };
    for rung in [Rung::TwoPass, Rung::WarpAtomic, Rung::Staged, Rung::LookBack] {
        assert_eq!(with(rung, Some(64), None).unwrap(), [1, 2]);
        assert!(matches!(with(rung, Some(48), None), Err(Error::Block { .. })), "{rung}");
    }
    assert!(matches!(with(Rung::LookBack, Some(512), None), Err(Error::Block { .. })));
    assert!(matches!(with(Rung::LookBack, None, Some(5)), Err(Error::Choice { .. })));
    assert!(matches!(with(Rung::Staged, Some(2048), None), Err(Error::Launch(_))));
    assert!(matches!(with(Rung::CpuPar, None, None), Err(Error::UnknownVariant { .. })));
    let short = Compact::by_mask(&[1, 1]).run(&gpu, &[1, 2, 3]);
    assert!(matches!(short, Err(Error::Length { what: "the mask", expected: 3, found: 2 })));
}

/// Blocks of this rung wait for each other, and not every GPU holds two of them per multiprocessor.
#[test]
fn no_more_blocks_look_back_than_run_at_once() {
    let mut random = Random::new(233);
    let usual = Geometry::default();
    let small = Geometry { block: Some(64), grid: Some(100), ..usual };
    let long = ["gtx-650", "rtx-2080-ti", "a100"].map(|gpu| (gpu, usual, 1 << 22));
    for (gpu, geometry, n) in long.into_iter().chain([("gtx-650", small, 100_000)]) {
        let xs = sample::<i32>(&mut random, n);
        let how = Compact::new(Condition::Less(1)).variant(Rung::LookBack).geometry(geometry);
        let found = how.run(&Device::emulator_of(gpu).unwrap(), &xs).unwrap();
        assert!(found == reference::compact(&xs, Condition::Less(1)), "{gpu}");
    }
}

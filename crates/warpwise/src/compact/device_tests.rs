//! Every rung against the reference, on the emulator.

use super::{Compactable, Condition, Options, VARIANTS, reference, run, run_by_mask, run_by_mask_into, run_into};
use crate::agreement::{Random, Sample, bits};
use crate::{Buffer, Device, Error, Geometry};

fn options(variant: &str) -> Options {
    Options { variant: Some(variant.to_owned()), ..Options::default() }
}

/// Any order will do for the rung that keeps none.
fn ordered<T: Sample>(variant: &str, xs: &[T]) -> Vec<u64> {
    let mut bits = bits(xs);
    if variant == "gpu-2-warp-atomic" {
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
        for variant in VARIANTS {
            let device = if variant.name.starts_with("cpu") { &cpu } else { gpu };
            let options = options(variant.name);
            for condition in Condition::all(T::of(1.0)) {
                let found = run(device, &xs, condition, &options).unwrap();
                let truth = reference::compact(&xs, condition);
                let (found, truth) = (ordered(variant.name, &found), ordered(variant.name, &truth));
                assert!(found == truth, "{} {} {condition:?} of {n}", variant.name, T::NAME);
            }
            let found = run_by_mask(device, &xs, &mask, &options).unwrap();
            let truth = reference::by_mask(&xs, &mask).unwrap();
            let (found, truth) = (ordered(variant.name, &found), ordered(variant.name, &truth));
            assert!(found == truth, "{} {} mask of {n}", variant.name, T::NAME);
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
        for (n, block, grid, rows) in [(9_000, 32, 3, 4), (40_000, 64, 5, 8), (40_000, 96, 1, 12), (3_000, 256, 2, 4)] {
            let geometry = Geometry { block: Some(block), grid: Some(grid), items: Some(rows * per_vector) };
            let options = Options { geometry, ..Options::default() };
            let xs = sample::<T>(&mut random, n + 3);
            let mask: Vec<u8> = (0..n + 3).map(|_| [0, 1][random.below(2)]).collect();
            let (on_gpu, mask_on_gpu) =
                (Buffer::from_slice(gpu, &xs).unwrap(), Buffer::from_slice(gpu, &mask).unwrap());
            for (skipped, skipped_in_mask) in [(0, 0), (1, 1), (3, 0), (0, 2)] {
                let part = skipped..skipped + n;
                let view = on_gpu.view(part.clone()).unwrap();
                let found = run(gpu, &view, Condition::Less(T::of(1.0)), &options).unwrap();
                let truth = reference::compact(&xs[part.clone()], Condition::Less(T::of(1.0)));
                assert!(bits(&found) == bits(&truth), "{} {n} {block} {skipped}", T::NAME);
                let mask_part = skipped_in_mask..skipped_in_mask + n;
                let mask_view = mask_on_gpu.view(mask_part.clone()).unwrap();
                let found = run_by_mask(gpu, &view, &mask_view, &options).unwrap();
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
        let options = Options::default();
        assert_eq!(run_into(&device, &xs, Condition::Greater(4), &mut out, &options), Ok(3));
        assert_eq!(out[..3], [5, 6, 7]);
        assert_eq!(run_by_mask_into(&device, &xs, &[0, 1, 0, 1, 0], &mut out, &options), Ok(2));
        assert_eq!(out[..2], [1, 2]);
        assert!(matches!(
            run_into(&device, &xs, Condition::Less(4), &mut out[1..], &options),
            Err(Error::Length { .. })
        ));
    }
}

#[test]
fn wrong_calls_are_refused() {
    let gpu = Device::emulator();
    let with = |variant: &str, block: Option<u32>, items: Option<u32>| {
        let geometry = Geometry { block, items, ..Geometry::default() };
        run(&gpu, &[1, 2, 3], Condition::Less(3), &Options { variant: Some(variant.to_owned()), geometry })
    };
    for variant in ["gpu-1-two-pass", "gpu-2-warp-atomic", "gpu-3-staged", "gpu-4-look-back"] {
        assert_eq!(with(variant, Some(64), None), Ok(vec![1, 2]));
        assert!(matches!(with(variant, Some(48), None), Err(Error::Block { .. })), "{variant}");
    }
    assert!(matches!(with("gpu-4-look-back", Some(512), None), Err(Error::Block { .. })));
    assert!(matches!(with("gpu-4-look-back", None, Some(5)), Err(Error::Choice { .. })));
    assert!(matches!(with("gpu-3-staged", Some(2048), None), Err(Error::Launch(_))));
    assert!(matches!(with("cpu-par", None, None), Err(Error::UnknownVariant { .. })));
    let short = run_by_mask(&gpu, &[1, 2, 3], &[1, 1], &Options::default());
    assert_eq!(short, Err(Error::Length { what: "the mask", expected: 3, found: 2 }));
}

//! Every way to finish, on the emulator.

use super::{Extreme, Finish, Options, Order, PRIMITIVE, VARIANTS, cpu, gpu, place, reference, run};
use crate::agreement::Random;
use crate::{Device, Error, Geometry, Operator, Variant};

fn rung(name: &str) -> &'static Variant {
    PRIMITIVE.rung(name).unwrap()
}

fn options(variant: &str, finish: Finish, block: Option<u32>) -> Options {
    let geometry = Geometry { block, ..Geometry::default() };
    Options { variant: Some(variant.to_owned()), geometry, finish, ..Options::default() }
}

#[test]
fn every_finish_agrees() {
    let gpu = Device::emulator();
    for n in [1, 33, 257, 1025, 10_000] {
        let xs: Vec<i32> = Random::new(34).elements::<i32>(n).iter().map(|x| x % 100).collect();
        let sum = reference::reduce(Operator::Sum, &xs).unwrap();
        let least = reference::place(Extreme::Min, &xs).unwrap();
        for variant in &VARIANTS[2..] {
            for finish in Finish::ALL {
                let block = if variant.name == "gpu-11-fixed-tree" { 256 } else { 64 };
                let options = options(variant.name, finish, Some(block));
                let what = format!("{} {n} {}", variant.name, finish.name());
                assert_eq!(run(&gpu, Operator::Sum, &xs, &options), Ok(sum), "{what}");
                assert_eq!(place(&gpu, Extreme::Min, &xs, &options), Ok(least), "{what}");
            }
        }
    }
}

/// A block that takes one element leaves as many partials as elements, and would never end.
#[test]
fn blocks_that_reduce_nothing_are_refused() {
    let refused = run(&Device::emulator(), Operator::Sum, &[1, 2, 3], &options(VARIANTS[2].name, Finish::Gpu, Some(1)));
    assert!(matches!(refused, Err(Error::Block { .. })));
}

/// The bits of the CPU, for any grid and any start address.
#[test]
fn the_reproducible_order_has_the_bits_of_the_cpu() {
    let device = Device::emulator();
    let session = device.session().unwrap();
    let all: Vec<f32> = Random::new(35).elements(40_001);
    let on_device = session.allocate_copy(&all).unwrap();
    for (n, first, grid) in [(1, 0, 1), (8192, 0, 5), (8193, 1, 2), (30_000, 0, 1), (40_000, 0, 3), (40_000, 1, 5)] {
        for operator in [Operator::Sum, Operator::Product] {
            let expected = cpu::par(operator, &all[first..first + n]).unwrap();
            let geometry = Geometry { grid: Some(grid), ..Geometry::default() };
            let options = Options { geometry, order: Order::Reproducible, ..Options::default() };
            let input = on_device.argument().plus(4 * first as u64);
            let found = gpu::values::<f32>(session, rung("gpu-11-fixed-tree"), operator, input, n, &options).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{} of {n} from {first}", operator.name());
        }
    }
    let options = Options { order: Order::Reproducible, ..Options::default() };
    let xs: Vec<f64> = Random::new(36).elements(10_000);
    let expected = cpu::par(Operator::Sum, &xs).unwrap();
    assert_eq!(run(&device, Operator::Sum, &xs, &options).unwrap().to_bits(), expected.to_bits());
    let nan = run(&device, Operator::Sum, &[f32::INFINITY, f32::NEG_INFINITY], &options).unwrap();
    assert_eq!(nan.to_bits(), f32::NAN.to_bits());
    assert!(run(&device, Operator::Sum, &[-0.0_f32; 9000], &options).unwrap().is_sign_positive());
}

/// Tiles that are combined on the way, by blocks and by warps, with columns that begin and end anywhere.
#[test]
fn columns_of_tiles_have_the_bits_of_the_cpu() {
    const TILE: usize = 4096;
    let device = Device::emulator();
    let session = device.session().unwrap();
    let all: Vec<f64> = Random::new(38).elements(199 * TILE + 100);
    let on_device = session.allocate_copy(&all).unwrap();
    for (tiles, grid) in [(63, 2), (64, 20), (65, 3), (129, 50), (129, 1), (199, 7), (199, 70)] {
        let n = tiles * TILE + 100;
        let geometry = Geometry { grid: Some(grid), ..Geometry::default() };
        let options = Options { geometry, order: Order::Reproducible, ..Options::default() };
        let rung = rung("gpu-11-fixed-tree");
        let found = gpu::values::<f64>(session, rung, Operator::Sum, on_device.argument(), n, &options).unwrap();
        let expected = cpu::par(Operator::Sum, &all[..n]).unwrap();
        assert_eq!(found.to_bits(), expected.to_bits(), "{tiles} tiles, {grid} blocks");
    }
}

#[test]
fn rungs_without_a_reproducible_order_are_refused() {
    let reproducible = |variant: &str| Options { order: Order::Reproducible, ..options(variant, Finish::Gpu, None) };
    let refused = run(&Device::emulator(), Operator::Sum, &[1.0_f32], &reproducible("gpu-10-posted")).unwrap_err();
    assert_eq!(refused, Error::Order { variant: "gpu-10-posted", instead: "gpu-11-fixed-tree" });
    let refused = run(&Device::cpu(), Operator::Product, &[1.0_f64], &reproducible("cpu-seq")).unwrap_err();
    assert_eq!(refused, Error::Order { variant: "cpu-seq", instead: "cpu-par" });
    // If the order does not matter, any rung will do.
    assert_eq!(run(&Device::cpu(), Operator::Sum, &[1, 2], &reproducible("cpu-seq")), Ok(3));
    assert_eq!(run(&Device::cpu(), Operator::Max, &[1.0, 2.0], &reproducible("cpu-seq")), Ok(2.0));
}

/// Blocks of several tiles, large and small, and their remainders; from any address.
#[test]
fn posted_partials_agree_from_any_address() {
    let device = Device::emulator();
    let session = device.session().unwrap();
    let all: Vec<i32> = Random::new(37).elements::<i32>(30_001).iter().map(|x| x % 1000).collect();
    let on_device = session.allocate_copy(&all).unwrap();
    for (n, first, block, grid) in [(5, 1, 32, 3), (30_000, 0, 32, 4), (30_000, 1, 96, 3), (29_999, 1, 256, 2)] {
        let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
        let options = Options { geometry, ..Options::default() };
        let (xs, input) = (&all[first..first + n], on_device.argument().plus(4 * first as u64));
        let sum = gpu::values::<i32>(session, rung("gpu-10-posted"), Operator::Sum, input, n, &options).unwrap();
        assert_eq!(sum, reference::reduce(Operator::Sum, xs).unwrap(), "{n} {first} {block}");
        let least = gpu::place::<i32>(session, rung("gpu-10-posted"), Extreme::Min, input, n, &options).unwrap();
        assert_eq!(least, reference::place(Extreme::Min, xs).unwrap(), "{n} {first} {block}");
    }
}

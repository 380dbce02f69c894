//! Every way to finish, on the emulator.

use super::{Extreme, Finish, Order, PRIMITIVE, Reduce, Rung, cpu, gpu, reference};
use crate::agreement::Random;
use crate::{Device, Error, Geometry, Operator, Variant};

fn rung(name: &str) -> &'static Variant {
    PRIMITIVE.rung(name).unwrap()
}

fn with_block(rung: Rung, block: u32) -> Reduce {
    Reduce::new().variant(rung).geometry(Geometry { block: Some(block), ..Geometry::default() })
}

#[test]
fn every_finish_agrees() {
    let gpu = Device::emulator();
    for n in [1, 33, 257, 1025, 10_000] {
        let xs: Vec<i32> = Random::new(34).elements::<i32>(n).iter().map(|x| x % 100).collect();
        let sum = reference::reduce(Operator::Sum, &xs).unwrap();
        let least = reference::place(Extreme::Min, &xs).unwrap();
        for &rung in &Rung::ALL[2..] {
            for finish in Finish::ALL {
                let how = with_block(rung, if rung == Rung::FixedTree { 256 } else { 64 }).finish(finish);
                let what = format!("{rung} {n} {}", finish.name());
                assert_eq!(how.run(&gpu, &xs).unwrap(), sum, "{what}");
                assert_eq!(how.run_buffer(&gpu, &xs).unwrap().to_vec().unwrap(), [sum], "{what}");
                assert_eq!(how.place(&gpu, Extreme::Min, &xs).unwrap(), least, "{what}");
            }
        }
    }
}

/// A block that takes one element leaves as many partials as elements, and would never end.
#[test]
fn blocks_that_reduce_nothing_are_refused() {
    let refused = with_block(Rung::Interleaved, 1).run(&Device::emulator(), &[1, 2, 3]);
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
            let how = Reduce::new().operator(operator).geometry(geometry).order(Order::Reproducible);
            let input = on_device.argument().plus(4 * first as u64);
            let found = gpu::values::<f32>(session, rung("gpu-11-fixed-tree"), input, n, &how).unwrap();
            assert_eq!(found.to_bits(), expected.to_bits(), "{} of {n} from {first}", operator.name());
        }
    }
    let how = Reduce::new().order(Order::Reproducible);
    let xs: Vec<f64> = Random::new(36).elements(10_000);
    let expected = cpu::par(Operator::Sum, &xs).unwrap();
    assert_eq!(how.run(&device, &xs).unwrap().to_bits(), expected.to_bits());
    let nan = how.run(&device, &[f32::INFINITY, f32::NEG_INFINITY]).unwrap();
    assert_eq!(nan.to_bits(), f32::NAN.to_bits());
    assert!(how.run(&device, &[-0.0_f32; 9000]).unwrap().is_sign_positive());
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
        let how = Reduce::new().geometry(geometry).order(Order::Reproducible);
        let rung = rung("gpu-11-fixed-tree");
        let found = gpu::values::<f64>(session, rung, on_device.argument(), n, &how).unwrap();
        let expected = cpu::par(Operator::Sum, &all[..n]).unwrap();
        assert_eq!(found.to_bits(), expected.to_bits(), "{tiles} tiles, {grid} blocks");
    }
}

#[test]
fn rungs_without_a_reproducible_order_are_refused() {
    let reproducible = |rung| Reduce::new().variant(rung).order(Order::Reproducible);
    let refused = reproducible(Rung::Posted).run(&Device::emulator(), &[1.0_f32]).unwrap_err();
    assert!(matches!(refused, Error::Order { variant: "gpu-10-posted", instead: "gpu-11-fixed-tree" }));
    let sequential = reproducible(Rung::CpuSeq);
    let refused = sequential.clone().operator(Operator::Product).run(&Device::cpu(), &[1.0_f64]).unwrap_err();
    assert!(matches!(refused, Error::Order { variant: "cpu-seq", instead: "cpu-par" }));
    // If the order does not matter, any rung will do.
    assert_eq!(sequential.run(&Device::cpu(), &[1, 2]).unwrap(), 3);
    assert_eq!(sequential.operator(Operator::Max).run(&Device::cpu(), &[1.0, 2.0]).unwrap(), 2.0);
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
        let how = Reduce::new().geometry(geometry);
        let (xs, input) = (&all[first..first + n], on_device.argument().plus(4 * first as u64));
        let sum = gpu::values::<i32>(session, rung("gpu-10-posted"), input, n, &how).unwrap();
        assert_eq!(sum, reference::reduce(Operator::Sum, xs).unwrap(), "{n} {first} {block}");
        let least = gpu::place::<i32>(session, rung("gpu-10-posted"), Extreme::Min, input, n, &how).unwrap();
        assert_eq!(least, reference::place(Extreme::Min, xs).unwrap(), "{n} {first} {block}");
    }
}

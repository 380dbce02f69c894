//! Every way to finish, on the emulator.

use super::{Extreme, Finish, Options, VARIANTS, place, reference, run};
use crate::agreement::Random;
use crate::{Device, Error, Geometry, Operator};

fn options(variant: &str, finish: Finish, block: Option<u32>) -> Options {
    let geometry = Geometry { block, ..Geometry::default() };
    Options { variant: Some(variant.to_owned()), geometry, finish }
}

#[test]
fn every_finish_agrees() {
    let gpu = Device::emulator();
    for n in [1, 33, 257, 1025, 10_000] {
        let xs: Vec<i32> = Random(34).vec::<i32>(n).iter().map(|x| x % 100).collect();
        let sum = reference::reduce(Operator::Sum, &xs).unwrap();
        let least = reference::place(Extreme::Min, &xs).unwrap();
        for variant in &VARIANTS[2..] {
            for finish in Finish::ALL {
                let options = options(variant.name, finish, Some(64));
                let what = format!("{} {n} {}", variant.name, finish.name());
                assert_eq!(run(&gpu, Operator::Sum, &xs, &options), Ok(sum), "{what}");
                assert_eq!(place(&gpu, Extreme::Min, &xs, &options), Ok(least), "{what}");
            }
        }
    }
}

/// A block that takes one element leaves as many as there were, and would never end.
#[test]
fn blocks_that_reduce_nothing_are_refused() {
    let refused = run(&Device::emulator(), Operator::Sum, &[1, 2, 3], &options(VARIANTS[2].name, Finish::Gpu, Some(1)));
    assert!(matches!(refused, Err(Error::Block { .. })));
}

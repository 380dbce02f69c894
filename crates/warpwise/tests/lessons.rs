//! What the ladders teach is true on the emulator.

use warpwise::convolve2d::{Convolve2d, Edge, Filter, Rung};
use warpwise::scan::{self, Scan};
use warpwise::vecadd::{self, VecAdd};
use warpwise::{Border, Device, Error};

#[test]
fn one_block_holds_at_most_1024_threads() {
    let device = Device::emulator();
    let one_block = VecAdd::new().variant(vecadd::Rung::OneBlock);
    let xs = vec![1i32; 1024];
    assert_eq!(one_block.run(&device, &xs, &xs).expect("as many threads as that"), [2; 1024]);
    let xs = vec![1i32; 1025];
    let error = one_block.run(&device, &xs, &xs).expect_err("one more");
    assert!(matches!(error, Error::Launch(_)) && error.to_string().contains("1024"), "{error}");
    // The device still works.
    assert_eq!(vecadd::add(&device, &[1], &[2]).expect("it works"), [3]);
}

#[test]
fn who_fills_the_tile_does_not_matter() {
    let device = Device::emulator();
    let pixels: Vec<f32> = (0..61 * 83).map(|i| (i * 37 % 101) as f32 / 7.0).collect();
    let filtered = |rung| {
        let (filter, edge) = (Filter::default(), Edge::Border(Border::Replicate));
        let how = Convolve2d::new(&filter).edge(edge).variant(rung);
        how.run(&device, &pixels, (61, 83)).expect("the filter fits")
    };
    let bits = |image: Vec<f32>| image.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(filtered(Rung::TiledSerialLoad)), bits(filtered(Rung::Tiled)));
}

#[test]
fn in_place_hillis_steele_is_right_by_its_barriers() {
    // Blocks of many warps, so that warps would overtake each other without barriers.
    let device = Device::emulator();
    let xs: Vec<u32> = (1..=1000).collect();
    let sums = Scan::new().variant(scan::Rung::HillisSteele).run(&device, &xs).expect("fits one block");
    assert!(sums.iter().zip(1u32..).all(|(&sum, i)| sum == i * (i + 1) / 2));
}

#[test]
fn every_variant_of_the_specification_is_there() {
    let ladders = [
        ("vecadd", 6),
        ("reduce", 13),
        ("scan", 10),
        ("histogram", 9),
        ("matmul", 13),
        ("convolve1d", 6),
        ("convolve2d", 9),
        ("heat", 8),
        ("radiator", 6),
        ("hello", 1),
    ];
    for (name, variants) in ladders {
        let primitive = warpwise::primitive::find(name).expect("it is in the list");
        assert!(primitive.variants.len() >= variants, "{name} has {} variants", primitive.variants.len());
    }
}

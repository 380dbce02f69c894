//! Sizes past 2^31 elements on the CPU. They need several gigabytes, so they run only on request: `cargo test --release
//! -p warpwise --test large -- --ignored`.

use warpwise::reduce::{self, Extreme};
use warpwise::scan::Kind;
use warpwise::{Device, Operator, histogram, scan};

const N: usize = (1 << 31) + 12345;

/// Bytes with a pattern whose sums are known, and one that stands out at the very end.
fn bytes() -> Vec<u8> {
    let mut xs: Vec<u8> = (0..N).map(|i| (i % 251) as u8).collect();
    xs[N - 2] = 255;
    xs
}

#[test]
#[ignore = "takes 5 GiB of memory"]
fn more_elements_than_31_bits_count() {
    let device = Device::cpu();
    let xs = bytes();

    let counts = histogram::by_value(&device, &xs).expect("any length is fine");
    assert_eq!(counts.iter().sum::<u64>(), N as u64);
    let of = |value: usize| (N - value).div_ceil(251) as u64;
    let replaced = (N - 2) % 251;
    for (value, &count) in counts[..251].iter().enumerate() {
        assert_eq!(count, of(value) - u64::from(value == replaced), "value {value}");
    }
    assert_eq!(counts[255], 1);

    assert_eq!(reduce::cpu::par(Operator::Max, &xs), Ok(255));
    assert_eq!(reduce::cpu::par_place(Extreme::Max, &xs), Ok(N - 2));
    let sum = xs.iter().fold(0u8, |sum, &x| sum.wrapping_add(x));
    assert_eq!(reduce::cpu::par(Operator::Sum, &xs), Ok(sum));

    let mut out = vec![0u8; N];
    scan::cpu::par(Operator::Sum, Kind::Inclusive, &xs, &mut out).expect("the slices are equally long");
    assert_eq!(out[N - 1], sum);
    assert_eq!(out[1 << 31], xs[..=1 << 31].iter().fold(0u8, |sum, &x| sum.wrapping_add(x)));
}

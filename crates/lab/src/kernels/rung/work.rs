//! The calls that make a rung run.

use super::Extent;
use warpwise::histogram::Binning;
use warpwise::matmul::Layout;
use warpwise::radiator::{Preset, Radiator};
use warpwise::{
    Border, Device, Element, Error, Float, Operator, convolve1d, convolve2d, heat, hello, histogram, matmul, radiator,
    reduce, scan, vecadd,
};

/// Steps of the simulations: enough to see that a launch is repeated.
const STEPS: usize = 2;

/// Runs a rung and returns the bytes of its buffers.
pub(super) fn run(device: &Device, primitive: &str, variant: &str, ty: &str, extent: Extent) -> Result<u64, Error> {
    macro_rules! of {
        ($call:ident: $($ty:ident)*) => {
            match ty {
                $(stringify!($ty) => $call::<$ty>(device, variant, extent),)*
                _ => unreachable!("the catalogue has no such type"),
            }
        };
    }
    match primitive {
        "vecadd" => of!(add: i32 f32 f64),
        "reduce" => of!(sum: i32 u32 i64 u64 f32 f64),
        "scan" => of!(prefix: i32 u32 i64 u64 f32 f64),
        "histogram" => of!(count: u8 u32 i32 f32 f64),
        "matmul" => of!(multiply: f32 f64),
        "convolve1d" => of!(filter: i32 f32 f64),
        "convolve2d" => of!(smooth: u8 f32),
        "heat" => of!(spread: f32 f64),
        "radiator" => of!(radiate: f32 f64),
        _ => hello::greet(device, (extent.columns.div_ceil(256)) as u32, 256).map(|text| text.len() as u64),
    }
}

/// Data that is the same every time (SplitMix64): integers of all sizes, floats in [-1, 1).
fn data<T: Element>(n: usize) -> Vec<T> {
    let mut state = 0u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let element = |bits: u64| T::from_random(bits, (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
    (0..n).map(|_| element(next())).collect()
}

fn bytes<T>(elements: usize) -> u64 {
    (elements * size_of::<T>()) as u64
}

fn name(variant: &str) -> Option<String> {
    Some(variant.to_owned())
}

fn add<T: vecadd::Summand>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = vecadd::Options { variant: name(variant), ..Default::default() };
    let xs = data::<T>(extent.columns);
    vecadd::run_buffer(device, &xs, &xs, &options)?;
    Ok(bytes::<T>(3 * extent.columns))
}

fn sum<T: reduce::Reducible>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = reduce::Options { variant: name(variant), ..Default::default() };
    reduce::run(device, Operator::Sum, &data::<T>(extent.columns), &options)?;
    Ok(bytes::<T>(extent.columns))
}

fn prefix<T: scan::Scannable>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = scan::Options { variant: name(variant), ..Default::default() };
    scan::run_buffer(device, Operator::Sum, scan::Kind::Inclusive, &data::<T>(extent.columns), &options)?;
    Ok(bytes::<T>(2 * extent.columns))
}

fn count<T: histogram::Countable>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = histogram::Options { variant: name(variant), ..Default::default() };
    let xs = data::<T>(extent.columns);
    let binning = match T::NAME {
        "u8" => Binning::Value,
        "f32" | "f64" => Binning::Even { bins: 256, lo: -1.0, hi: 1.0 },
        _ => Binning::Modulo { bins: 256 },
    };
    histogram::run_buffer(device, binning, &xs, &options)?;
    Ok(bytes::<T>(extent.columns) + bytes::<u64>(256))
}

fn multiply<T: matmul::Scalar>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = matmul::Options { variant: name(variant), ..Default::default() };
    let side = extent.columns;
    let layout = Layout::new(side, side);
    let factor = data::<T>(side * side);
    matmul::run_buffer(device, (&factor, layout), (&factor, layout), &options)?;
    Ok(bytes::<T>(3 * side * side))
}

fn filter<T: convolve1d::Signal>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = convolve1d::Options { variant: name(variant), ..Default::default() };
    let xs = data::<T>(extent.columns);
    convolve1d::run_buffer(device, &data::<T>(9), Border::Zero, &xs, &options)?;
    Ok(bytes::<T>(2 * extent.columns))
}

fn smooth<T: convolve2d::Pixel>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = convolve2d::Options { variant: name(variant), ..Default::default() };
    let (rows, columns) = (extent.rows, extent.columns);
    let image = data::<T>(rows * columns);
    let edge = convolve2d::Edge::Border(Border::Zero);
    convolve2d::run_buffer(device, &convolve2d::Filter::default(), edge, &image, (rows, columns), &options)?;
    Ok(bytes::<T>(2 * rows * columns))
}

fn spread<T: Float>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = heat::Options { variant: name(variant), ..Default::default() };
    let cells = extent.rows * extent.columns;
    let (temperature, conductivity) = (data::<T>(cells), vec![T::from_f64(0.5); cells]);
    let cylinder = heat::Cylinder::new(extent.rows, extent.columns, &temperature, &conductivity)?;
    heat::run(device, cylinder, heat::Limits { iterations: STEPS, threshold: 0.0 }, &options)?;
    Ok(bytes::<T>(3 * cells))
}

fn radiate<T: Float>(device: &Device, variant: &str, extent: Extent) -> Result<u64, Error> {
    let options = radiator::Options { variant: name(variant), ..Default::default() };
    let grid = Radiator::new(Preset::Year2019, extent.rows, extent.columns)?;
    let mut simulation = radiator::Simulation::<T>::with_options(device, grid, &options)?;
    simulation.run(STEPS)?;
    Ok(bytes::<T>(2 * extent.rows * extent.columns))
}

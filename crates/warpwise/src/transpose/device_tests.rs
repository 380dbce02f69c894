//! Every rung against the reference, on the emulator.

use super::{Options, Transposable, VARIANTS, reference, run, run_buffer, run_buffer_into, run_into};
use crate::agreement::{Random, Sample, bits};
use crate::matmul::{Layout, Matrix, MatrixMut};
use crate::{Buffer, Device, Error, Geometry};

fn options(variant: &str) -> Options {
    Options { variant: Some(variant.to_owned()), ..Options::default() }
}

/// The transpose of part of some elements into part of others.
fn truth<T: Sample>((xs, from): (&[T], Layout), (background, to): (&[T], Layout)) -> Vec<T> {
    let mut out = background.to_vec();
    let into = MatrixMut::with_stride(&mut out[to.offset..], to.rows, to.columns, to.stride).unwrap();
    reference::transpose(from.view(xs).unwrap(), into).unwrap();
    out
}

fn agrees<T: Transposable + Sample>(shapes: &[(usize, usize)]) {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(53);
    for &(rows, columns) in shapes {
        // Rows that begin at boundaries, and rows that begin anywhere.
        let strides = [(columns, rows, 0), (columns.next_multiple_of(16), rows.next_multiple_of(16), 16)];
        for (stride, out_stride, offset) in strides.into_iter().chain([(columns + 3, rows + 1, 5), (columns, rows, 1)])
        {
            let from = Layout { offset, stride, ..Layout::new(rows, columns) };
            let to = Layout { offset, stride: out_stride, ..Layout::new(columns, rows) };
            let [xs, background] = [from, to].map(|l| random.elements::<T>(l.end().unwrap().max(l.offset) + 3));
            let expected = bits(&truth((&xs, from), (&background, to)));
            for variant in VARIANTS {
                let device = if variant.name.starts_with("cpu") { &cpu } else { &gpu };
                let there =
                    (Buffer::from_slice(device, &xs).unwrap(), Buffer::from_slice(device, &background).unwrap());
                let out = run_buffer_into(device, (&there.0, from), (there.1, to), &options(variant.name)).unwrap();
                let what = format!("{} {} {rows} x {columns}, {stride} to {out_stride}", variant.name, T::NAME);
                assert!(bits(&out.to_vec().unwrap()) == expected, "{what}");
            }
        }
    }
}

#[test]
fn every_rung_agrees_on_bytes() {
    agrees::<u8>(&[(0, 4), (1, 1), (1, 33), (31, 2), (33, 40), (128, 300), (257, 401)]);
}

#[test]
fn every_rung_agrees_on_floats() {
    agrees::<f32>(&[(4, 0), (1, 1), (1, 33), (31, 2), (65, 130), (128, 64)]);
    agrees::<f64>(&[(1, 1), (31, 2), (65, 100), (64, 64)]);
}

/// Every tile of the last rung, at rows that begin at boundaries and at others.
#[test]
fn tiles_can_be_chosen() {
    fn agree<T: Transposable + Sample>(tiles: &[(u32, u32)]) {
        let gpu = Device::emulator();
        let mut random = Random::new(54);
        for (&(block, items), (rows, columns)) in tiles.iter().flat_map(|t| [(t, (300, 272)), (t, (272, 301))]) {
            let xs = random.elements::<T>(rows * columns);
            let geometry = Geometry { block: Some(block), items: Some(items), grid: None };
            let from = Matrix::new(&xs, rows, columns).unwrap();
            let found = run(&gpu, from, &Options { geometry, ..Options::default() }).unwrap();
            let layouts = (Layout::new(rows, columns), Layout::new(columns, rows));
            let expected = truth((&xs, layouts.0), (&xs, layouts.1));
            assert!(bits(&found) == bits(&expected), "{} {block} {items} {rows} x {columns}", T::NAME);
        }
    }
    agree::<u8>(&[(256, 64), (256, 128)]);
    agree::<f32>(&[(256, 16), (256, 32), (512, 16)]);
    agree::<f64>(&[(256, 8), (256, 16), (512, 8)]);
}

#[test]
fn blocks_are_free() {
    let xs = Random::new(55).elements::<f32>(50 * 70);
    let from = Matrix::new(&xs, 50, 70).unwrap();
    let gpu = Device::emulator();
    let with = |variant: &str, block: Option<u32>, items: Option<u32>| {
        let geometry = Geometry { block, items, ..Geometry::default() };
        run(&gpu, from, &Options { variant: Some(variant.to_owned()), geometry })
    };
    let expected = run(&Device::cpu(), from, &Options::default()).unwrap();
    for (variant, block) in [("gpu-1-naive-read", 32), ("gpu-2-naive-write", 1024), ("gpu-4-padded", 96)] {
        assert_eq!(with(variant, Some(block), None).unwrap(), expected, "{variant}");
    }
    assert!(matches!(with("gpu-3-tile", Some(48), None), Err(Error::Block { .. })));
    assert!(matches!(with("gpu-3-tile", Some(2048), None), Err(Error::Launch(_))));
    assert!(matches!(with("gpu-6-vector", Some(128), None), Err(Error::Block { .. })));
    assert!(matches!(with("gpu-6-vector", None, Some(7)), Err(Error::Choice { .. })));
    assert!(matches!(with("cpu-seq", None, None), Err(Error::UnknownVariant { .. })));
}

#[test]
fn strides_are_kept_on_the_host() {
    let xs: Vec<f64> = (0..40).map(f64::from).collect();
    for device in [Device::cpu(), Device::emulator()] {
        let mut out = [-1.0; 12];
        let from = Matrix::with_stride(&xs, 3, 2, 10).unwrap();
        run_into(&device, from, MatrixMut::with_stride(&mut out, 2, 3, 5).unwrap(), &Options::default()).unwrap();
        assert_eq!(out, [0.0, 10.0, 20.0, -1.0, -1.0, 1.0, 11.0, 21.0, -1.0, -1.0, -1.0, -1.0]);
    }
}

#[test]
fn wrong_layouts_are_refused() {
    for device in [Device::cpu(), Device::emulator()] {
        let xs = [1_u8; 12];
        let short = run_buffer(&device, (&xs, Layout::new(4, 4)), &Options::default());
        assert!(matches!(short, Err(Error::Length { .. })));
        let overlapping = Layout { stride: 2, ..Layout::new(4, 3) };
        assert!(matches!(run_buffer(&device, (&xs, overlapping), &Options::default()), Err(Error::Stride { .. })));
        let out = Buffer::from_slice(&device, &xs).unwrap();
        let same = (out, Layout::new(4, 3));
        let refused = run_buffer_into(&device, (&xs, Layout::new(4, 3)), same, &Options::default());
        assert!(matches!(refused, Err(Error::Length { .. })));
    }
}

/// A buffer of another device comes back on this one.
#[test]
fn results_come_to_the_device() {
    let (cpu, gpu) = (Device::cpu(), Device::emulator());
    for (device, other) in [(&cpu, &gpu), (&gpu, &cpu)] {
        let (xs, out) = (Buffer::from_slice(other, b"abcdef").unwrap(), Buffer::from_slice(other, b"......").unwrap());
        let layouts = (Layout::new(2, 3), Layout::new(3, 2));
        let out = run_buffer_into(device, (&xs, layouts.0), (out, layouts.1), &Options::default()).unwrap();
        assert_eq!((out.device().name(), out.to_vec().unwrap()), (device.name(), b"adbecf".to_vec()));
    }
}

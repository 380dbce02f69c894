//! Every rung against the reference, on the emulator.

use super::{Rung, Transposable, Transpose, reference, transpose_into};
use crate::agreement::{Random, Sample, bits};
use crate::matmul::{HostMatrixMut, Layout, Matrix, MatrixMut};
use crate::{Buffer, Device, Error, Geometry};

/// The transpose of part of some elements into part of others.
fn truth<T: Sample>((xs, from): (&[T], Layout), (background, to): (&[T], Layout)) -> Vec<T> {
    let mut out = background.to_vec();
    let into = HostMatrixMut::with_stride(&mut out[to.offset..], to.rows, to.columns, to.stride).unwrap();
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
            for &rung in Rung::ALL {
                let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                let (there, mut out) =
                    (Buffer::from_slice(device, &xs).unwrap(), Buffer::from_slice(device, &background).unwrap());
                let matrix = Matrix::with_layout(&there, from).unwrap();
                let how = Transpose::new().variant(rung);
                how.run_into(device, &matrix, &mut MatrixMut::with_layout(&mut out, to).unwrap()).unwrap();
                let what = format!("{rung} {} {rows} x {columns}, {stride} to {out_stride}", T::NAME);
                assert!(bits(&out.to_vec().unwrap()) == expected, "{what}");
                // There and back, without the gaps.
                let plain: Vec<T> = (0..rows).flat_map(|i| from.view(&xs).unwrap().row(i)).copied().collect();
                let back = how.run(device, &matrix.transposed()).unwrap();
                assert!(bits(&back) == bits(&plain), "{what}: the transpose of the transpose");
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
            let found = Transpose::new().geometry(geometry).run(&gpu, &from).unwrap();
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
    let with = |rung, block: Option<u32>, items: Option<u32>| {
        let geometry = Geometry { block, items, ..Geometry::default() };
        Transpose::new().variant(rung).geometry(geometry).run(&gpu, &from)
    };
    let expected = Transpose::new().run(&Device::cpu(), &from).unwrap();
    for (rung, block) in [(Rung::NaiveRead, 32), (Rung::NaiveWrite, 1024), (Rung::Padded, 96)] {
        assert_eq!(with(rung, Some(block), None).unwrap(), expected, "{rung}");
    }
    assert!(matches!(with(Rung::Tile, Some(48), None), Err(Error::Block { .. })));
    assert!(matches!(with(Rung::Tile, Some(2048), None), Err(Error::Launch(_))));
    assert!(matches!(with(Rung::Vector, Some(128), None), Err(Error::Block { .. })));
    assert!(matches!(with(Rung::Vector, None, Some(7)), Err(Error::Choice { .. })));
    assert!(matches!(with(Rung::CpuSeq, None, None), Err(Error::UnknownVariant { .. })));
}

#[test]
fn strides_are_kept_on_the_host() {
    let xs: Vec<f64> = (0..40).map(f64::from).collect();
    for device in [Device::cpu(), Device::emulator()] {
        let mut out = [-1.0; 12];
        let from = Matrix::with_stride(&xs, 3, 2, 10).unwrap();
        let mut to = MatrixMut::with_stride(&mut out, 2, 3, 5).unwrap();
        Transpose::new().run_into(&device, &from, &mut to).unwrap();
        assert_eq!(out, [0.0, 10.0, 20.0, -1.0, -1.0, 1.0, 11.0, 21.0, -1.0, -1.0, -1.0, -1.0]);
    }
}

#[test]
fn wrong_shapes_are_refused() {
    for device in [Device::cpu(), Device::emulator()] {
        let (xs, mut out) = ([1_u8; 12], [0; 12]);
        assert!(matches!(Matrix::new(&xs, 4, 4), Err(Error::Length { .. })));
        assert!(matches!(Matrix::with_stride(&xs, 4, 3, 2), Err(Error::Stride { .. })));
        let from = Matrix::new(&xs, 4, 3).unwrap();
        let refused = Transpose::new().run_into(&device, &from, &mut MatrixMut::new(&mut out, 4, 3).unwrap());
        assert!(matches!(refused, Err(Error::Length { .. })));
        assert!(matches!(transpose_into(&device, &xs, (4, 3), &mut out[1..]), Err(Error::Length { .. })));
        assert!(matches!(from.part(0..5, 0..3), Err(Error::View { .. })));
        assert!(matches!(from.transposed().part(0..4, 0..3), Err(Error::View { .. })));
        assert!(from.transposed().part(0..3, 1..4).is_ok());
    }
}

#[test]
fn matrices_of_another_device_are_refused() {
    let (cpu, gpu) = (Device::cpu(), Device::emulator());
    for (device, other) in [(&cpu, &gpu), (&gpu, &cpu)] {
        let (xs, mut out) = (Buffer::from_slice(other, b"abcdef").unwrap(), Buffer::zeros(other, 6).unwrap());
        let refused = Transpose::new().run(device, &Matrix::new(&xs, 2, 3).unwrap());
        assert!(matches!(refused, Err(Error::OtherDevice { .. })));
        assert!(matches!(transpose_into(device, b"abcdef", (2, 3), &mut out), Err(Error::OtherDevice { .. })));
    }
}

//! Every rung against the reference, on the emulator.

use super::gpu::parts;
use super::{Layout, Matrix, MatrixMut, Options, Scalar, VARIANTS, is_offered, reference, run_buffer};
use crate::agreement::{Random, Sample, assert_agree};
use crate::{Buffer, Device, Error, Geometry};

fn options(variant: &str, block: Option<u32>) -> Options {
    Options { variant: Some(variant.to_owned()), geometry: Geometry { block, ..Geometry::default() } }
}

/// Every rung on the part of two larger matrices that starts `offset` elements in.
fn agrees<T: Scalar + Sample>(sizes: &[[usize; 3]], gap: usize, offset: usize) {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(27);
    for &[m, k, n] in sizes {
        let layout = |rows, columns| Layout { stride: columns + gap, offset, ..Layout::new(rows, columns) };
        let (a_layout, b_layout) = (layout(m, k), layout(k, n));
        let a: Vec<T> = random.elements(a_layout.end().unwrap());
        let b: Vec<T> = random.elements(b_layout.end().unwrap());
        let mut truth = vec![T::Exact::default(); m * n];
        let (a_view, b_view) = (a_layout.view(&a).unwrap(), b_layout.view(&b).unwrap());
        reference::multiply(a_view, b_view, MatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
        // Tensor-core rungs take one type, and tf32 has an accuracy of its own: see the tests of those rungs.
        let is_for = |name: &str| is_offered::<T>(&gpu, name) && name != "gpu-9-tensor-tf32";
        for variant in VARIANTS.iter().filter(|v| is_for(v.name)) {
            let device = if variant.name.starts_with("cpu") { &cpu } else { &gpu };
            let (a, b) = (Buffer::from_slice(device, &a).unwrap(), Buffer::from_slice(device, &b).unwrap());
            let c = run_buffer(device, (&a, a_layout), (&b, b_layout), &options(variant.name, None)).unwrap();
            let what = format!("{} {} {m} x {k} x {n}", variant.name, T::NAME);
            assert_agree(&what, &c.to_vec().unwrap(), &truth, k);
        }
    }
}

#[test]
fn every_rung_agrees() {
    agrees::<f32>(&[[0, 3, 2], [2, 0, 3], [1, 1, 1], [31, 32, 33], [129, 9, 130], [65, 70, 2]], 0, 0);
    agrees::<f64>(&[[1, 1, 1], [33, 31, 32], [65, 9, 66], [1, 130, 70]], 0, 0);
}

#[test]
fn parts_of_matrices_work() {
    agrees::<f32>(&[[40, 12, 36]], 4, 4);
    agrees::<f32>(&[[17, 19, 23]], 3, 1);
    agrees::<f64>(&[[17, 19, 23]], 1, 1);
}

#[test]
fn blocks_are_free_where_they_can_be() {
    let gpu = Device::emulator();
    let ones = vec![1.0_f32; 40 * 40];
    let square = (&ones, Layout::new(40, 40));
    for (variant, block) in [("gpu-1-uncoalesced", 96), ("gpu-2-naive", 7), ("gpu-3-tiled", 49), ("gpu-3-tiled", 1024)]
    {
        let c = run_buffer(&gpu, square, square, &options(variant, Some(block))).unwrap();
        assert_eq!(c.to_vec().unwrap(), vec![40.0; 1600], "{variant} {block}");
    }
    for (variant, block) in
        [("gpu-3-tiled", 128), ("gpu-4-register-1d", 256), ("gpu-7-warp-tiled", 128), ("gpu-8-wide-tiles", 128)]
    {
        let refused = run_buffer(&gpu, square, square, &options(variant, Some(block))).unwrap_err();
        assert!(matches!(refused, Error::Block { .. }), "{refused}");
    }
}

/// More rows than a grid can have blocks in y: several launches.
#[test]
fn very_many_rows_are_done_in_bands() {
    let rows = 65535 * 4 + 5;
    let a: Vec<f32> = (0..rows).map(|i| (i % 1000) as f32).collect();
    let (column, one) = ((&a, Layout::new(rows, 1)), (&[2.0], Layout::new(1, 1)));
    let c = run_buffer(&Device::emulator(), column, one, &options("gpu-3-tiled", Some(16))).unwrap();
    let expected: Vec<f32> = a.iter().map(|x| 2.0 * x).collect();
    assert!(c.to_vec().unwrap() == expected);
}

#[test]
fn wrong_shapes_are_refused() {
    let gpu = Device::emulator();
    let data = [0.0; 6];
    let try_it = |a, b| run_buffer(&gpu, (&data, a), (&data, b), &Options::default()).unwrap_err();
    assert!(matches!(try_it(Layout::new(2, 3), Layout::new(2, 3)), Error::Shapes { .. }));
    assert!(matches!(try_it(Layout::new(3, 3), Layout::new(3, 2)), Error::Length { .. }));
    assert!(matches!(try_it(Layout { stride: 2, ..Layout::new(2, 3) }, Layout::new(3, 2)), Error::Stride { .. }));
    let a = Matrix::new(&data, 2, 3).unwrap();
    assert!(matches!(super::multiply(&gpu, a, a), Err(Error::Shapes { .. })));
}

/// In parts, as on a device that copies while it computes: the same bits as in one piece.
#[test]
fn rows_in_parts_are_the_rows_of_the_whole() {
    let gpu = Device::emulator();
    let session = gpu.session().unwrap();
    let mut random = Random::new(28);
    for ([m, k, n], cut) in [([600, 40, 33], 200), ([513, 17, 5], 256), ([40, 8, 8], 1000), ([1, 5, 300], 1)] {
        let (a, b): (Vec<f32>, Vec<f32>) = (random.elements(m * k), random.elements(k * n));
        let (a, b) = ((&*a, Layout::new(m, k)), (&*b, Layout::new(k, n)));
        for variant in VARIANTS.iter().filter(|v| v.name.starts_with("gpu") && is_offered::<f32>(&gpu, v.name)) {
            let mut c = vec![f32::NAN; m * n];
            let done = parts::multiply(session, variant, [a, b], &mut c, Geometry::default(), |_| Some(cut)).unwrap();
            assert_eq!(done, matches!(variant.name, "gpu-8-wide-tiles" | "gpu-9-tensor-tf32" | "gpu-10-tensor-split"));
            if done {
                let whole = run_buffer(&gpu, a, b, &options(variant.name, None)).unwrap().to_vec().unwrap();
                assert!(c == whole, "{} {m} x {k} x {n}", variant.name);
            }
        }
        let none = parts::multiply(session, &VARIANTS[9], [a, b], &mut vec![0.0; m * n], Geometry::default(), |_| None);
        assert!(!none.unwrap());
    }
}

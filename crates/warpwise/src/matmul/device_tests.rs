//! Every rung against the reference, on the emulator.

use super::gpu::parts;
use super::{HostMatrixMut, Layout, Matmul, Matrix, MatrixMut, PRIMITIVE, Rung, Scalar, is_offered, reference};
use crate::agreement::{Random, Sample, assert_agree, bits};
use crate::{Buffer, Device, Error, Geometry};

fn with(rung: Rung, block: u32) -> Matmul {
    Matmul::new().variant(rung).geometry(Geometry { block: Some(block), ..Geometry::default() })
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
        reference::multiply(a_view, b_view, HostMatrixMut::new(&mut truth, m, n).unwrap()).unwrap();
        // Tensor-core rungs take one type, and tf32 has an accuracy of its own: see the tests of those rungs.
        let is_for = |name: &str| is_offered::<T>(&gpu, name) && name != "gpu-9-tensor-tf32";
        for &rung in Rung::ALL.iter().filter(|rung| is_for(rung.name())) {
            let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
            let (a, b) = (Buffer::from_slice(device, &a).unwrap(), Buffer::from_slice(device, &b).unwrap());
            let (a, b) = (Matrix::with_layout(&a, a_layout).unwrap(), Matrix::with_layout(&b, b_layout).unwrap());
            let c = Matmul::new().variant(rung).run_buffer(device, &a, &b).unwrap();
            let what = format!("{rung} {} {m} x {k} x {n}", T::NAME);
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
    let square = Matrix::new(&ones, 40, 40).unwrap();
    for (rung, block) in [(Rung::Uncoalesced, 96), (Rung::Naive, 7), (Rung::Tiled, 49), (Rung::Tiled, 1024)] {
        let c = with(rung, block).run(&gpu, &square, &square).unwrap();
        assert_eq!(c, vec![40.0; 1600], "{rung} {block}");
    }
    for (rung, block) in [(Rung::Tiled, 128), (Rung::Register1d, 256), (Rung::WarpTiled, 128), (Rung::WideTiles, 128)] {
        let refused = with(rung, block).run(&gpu, &square, &square).unwrap_err();
        assert!(matches!(refused, Error::Block { .. }), "{refused}");
    }
}

/// More rows than a grid can have blocks in y: several launches.
#[test]
fn very_many_rows_are_done_in_bands() {
    let rows = 65535 * 4 + 5;
    let a: Vec<f32> = (0..rows).map(|i| (i % 1000) as f32).collect();
    let (column, one) = (Matrix::new(&a, rows, 1).unwrap(), Matrix::new(&[2.0], 1, 1).unwrap());
    let c = with(Rung::Tiled, 16).run(&Device::emulator(), &column, &one).unwrap();
    let expected: Vec<f32> = a.iter().map(|x| 2.0 * x).collect();
    assert!(c == expected);
}

#[test]
fn wrong_shapes_are_refused() {
    let gpu = Device::emulator();
    let data = [0.0; 6];
    assert!(matches!(Matrix::new(&data, 3, 3), Err(Error::Length { .. })));
    assert!(matches!(Matrix::with_stride(&data, 2, 3, 2), Err(Error::Stride { .. })));
    let a = Matrix::new(&data, 2, 3).unwrap();
    assert!(matches!(super::multiply(&gpu, &a, &a), Err(Error::Shapes { .. })));
    let mut c = [0.0; 6];
    let refused = super::multiply_into(&gpu, &a, &a.transposed(), &mut MatrixMut::new(&mut c, 2, 3).unwrap());
    assert!(matches!(refused, Err(Error::Shapes { .. })));
    let elsewhere = Buffer::from_slice(&Device::cpu(), &data).unwrap();
    let refused = super::multiply(&gpu, &Matrix::new(&elsewhere, 2, 3).unwrap(), &a.transposed());
    assert!(matches!(refused, Err(Error::OtherDevice { .. })));
}

/// Transposed factors, parts of matrices, and what is there before, on the host and on the device: the same bits as of
/// the plain product.
#[test]
fn products_are_scaled_and_added() {
    fn agree<T: Scalar + Sample>() {
        let mut random = Random::new(29);
        for device in [Device::cpu(), Device::emulator()] {
            for [m, k, n] in [[3, 5, 4], [33, 17, 40], [2, 0, 3], [0, 3, 2]] {
                let (a, b): (Vec<T>, Vec<T>) = (random.elements(m * k), random.elements(k * n));
                let turned = |xs: &[T], rows: usize, columns: usize| -> Vec<T> {
                    (0..rows * columns).map(|i| xs[i % rows * columns + i / rows]).collect()
                };
                let (at, bt) = (turned(&a, m, k), turned(&b, k, n));
                let (plain_a, plain_b) = (Matrix::new(&a, m, k).unwrap(), Matrix::new(&b, k, n).unwrap());
                let product = super::multiply(&device, &plain_a, &plain_b).unwrap();
                let (at_there, bt_there) =
                    (Buffer::from_slice(&device, &at).unwrap(), Buffer::from_slice(&device, &bt).unwrap());
                let operands = [
                    (plain_a.clone(), plain_b.clone()),
                    (Matrix::new(&at, k, m).unwrap().transposed(), Matrix::new(&bt_there, n, k).unwrap().transposed()),
                    (Matrix::new(&at_there, k, m).unwrap().transposed(), plain_b.clone()),
                ];
                for (a, b) in &operands {
                    for (alpha, beta) in [(1.0, 0.0), (2.0, 0.0), (1.0, 1.0), (-0.5, 3.0), (0.0, 1.0)] {
                        // Into the middle of a larger matrix; with beta = 0 what is there does not matter.
                        let there: Vec<T> = match beta == 0.0 {
                            true => vec![T::of(f64::NAN); (m + 2) * (n + 3)],
                            false => random.elements((m + 2) * (n + 3)),
                        };
                        let expected: Vec<T> = (0..there.len())
                            .map(|i| {
                                let (row, column) = (i / (n + 3), i % (n + 3));
                                if !(1..=m).contains(&row) || !(2..n + 2).contains(&column) {
                                    return there[i];
                                }
                                let x = T::of(alpha).times(product[(row - 1) * n + column - 2]);
                                if beta == 0.0 { x } else { x.plus(T::of(beta).times(there[i])) }
                            })
                            .collect();
                        let how = Matmul::new().alpha(alpha).beta(beta);
                        let (mut here, mut buffer) = (there.clone(), Buffer::from_slice(&device, &there).unwrap());
                        let mut whole = MatrixMut::new(&mut here, m + 2, n + 3).unwrap();
                        how.run_into(&device, a, b, &mut whole.part(1..m + 1, 2..n + 2).unwrap()).unwrap();
                        let mut whole = MatrixMut::new(&mut buffer, m + 2, n + 3).unwrap();
                        how.run_into(&device, a, b, &mut whole.part(1..m + 1, 2..n + 2).unwrap()).unwrap();
                        let what = format!("{} {} {m} x {k} x {n}, {alpha} {beta}", device.name(), T::NAME);
                        assert_eq!(bits(&here), bits(&expected), "{what}, on the host");
                        assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&expected), "{what}, on the device");
                    }
                }
            }
        }
    }
    agree::<f32>();
    agree::<f64>();
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
        let offered = |rung: &&Rung| rung.name().starts_with("gpu") && is_offered::<f32>(&gpu, rung.name());
        for &rung in Rung::ALL.iter().filter(offered) {
            let variant = PRIMITIVE.rung(rung.name()).unwrap();
            let mut c = vec![f32::NAN; m * n];
            let done = parts::multiply(session, variant, [a, b], &mut c, Geometry::default(), |_| Some(cut)).unwrap();
            assert_eq!(done, matches!(variant.name, "gpu-8-wide-tiles" | "gpu-9-tensor-tf32" | "gpu-10-tensor-split"));
            if done {
                let (a, b) = (Matrix::new(a.0, m, k).unwrap(), Matrix::new(b.0, k, n).unwrap());
                let whole = Matmul::new().variant(rung).run_buffer(&gpu, &a, &b).unwrap().to_vec().unwrap();
                assert!(c == whole, "{rung} {m} x {k} x {n}");
            }
        }
        let none =
            parts::multiply(session, &super::VARIANTS[9], [a, b], &mut vec![0.0; m * n], Geometry::default(), |_| None);
        assert!(!none.unwrap());
    }
}

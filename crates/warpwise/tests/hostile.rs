//! Sizes and choices that make no sense are refused: no call panics, and none takes forever.

use warpwise::convolve2d::{Convolve2d, Edge, Filter};
use warpwise::heat::Cylinder;
use warpwise::histogram::{Binning, Histogram};
use warpwise::matmul::{Matrix, MatrixMut};
use warpwise::primitive::{Problem, Runner, Step};
use warpwise::radiator::{Preset, Radiate, Radiator};
use warpwise::reduce::Reduce;
use warpwise::scan::Scan;
use warpwise::{Border, Buffer, Device, Error, Geometry, Operator, PRIMITIVES, RunsOn};
use warpwise::{compact, convolve1d, reduce, transpose, vecadd};

const SIZES: [usize; 8] = [0, 1, 2, 3, 1 << 31, 1 << 62, usize::MAX / 2, usize::MAX];

fn devices() -> [Device; 2] {
    [Device::cpu(), Device::emulator()]
}

fn is_refused<T>(result: Result<T, Error>) -> bool {
    result.is_err()
}

#[test]
fn buffers_of_any_length() {
    for device in devices() {
        for size in SIZES {
            for make in [Buffer::<f64>::zeros, Buffer::<f64>::uninit] {
                // A large one may be given: nothing of it is touched.
                if let Ok(buffer) = make(&device, size) {
                    assert_eq!(buffer.len(), size);
                }
            }
            let mut three = Buffer::from_slice(&device, &[1, 2, 3]).expect("it fits");
            for end in SIZES {
                let fits = size <= end && end <= 3;
                assert_eq!(three.view(size..end).is_ok(), fits, "{size}..{end}");
                assert_eq!(three.view_mut(size..end).is_ok(), fits, "{size}..{end}");
                let _ = (three.view(size..=end).is_ok(), three.view(..=end).is_ok(), three.view(size..).is_ok());
            }
        }
    }
}

#[test]
fn matrices_of_any_shape() {
    let (data, mut out) = ([1.0_f32; 12], [0.0_f32; 12]);
    for device in devices() {
        for rows in SIZES {
            for columns in SIZES {
                for stride in [0, columns, columns.saturating_add(1), usize::MAX] {
                    let Ok(matrix) = Matrix::with_stride(&data, rows, columns, stride) else { continue };
                    for range in [0..rows, rows..rows, 0..usize::MAX, usize::MAX..usize::MAX] {
                        let _ = matrix.part(range.clone(), 0..columns).map(|part| part.transposed());
                        let _ = matrix.transposed().part(range, std::ops::Range { start: 1, end: 0 });
                    }
                    if rows.max(columns) < 100 {
                        let turned = transpose::matrix(&device, &matrix).expect("it fits");
                        assert_eq!(turned.len(), rows * columns);
                    }
                }
                let _ = MatrixMut::new(&mut out, rows, columns).is_ok();
                let _ = transpose::transpose(&device, &data, (rows, columns)).is_ok();
                let filter = Filter::default();
                for edge in [Edge::Valid, Edge::Border(Border::Wrap)] {
                    let how = Convolve2d::new(&filter).edge(edge);
                    assert_eq!(how.run(&device, &data, (rows, columns)).is_ok(), rows.checked_mul(columns) == Some(12));
                }
                let _ = Filter::new(&data, rows, columns).is_ok();
                let _ = Cylinder::new(rows, columns, &data, &data).is_ok();
            }
        }
    }
    assert!(is_refused(Radiator::new(Preset::Year2019, usize::MAX, 2)));
    let empty = Radiator::new(Preset::Year2019, 0, usize::MAX).expect("nothing is nothing");
    assert!(Radiate::new().run::<f32>(&Device::cpu(), empty, usize::MAX).is_ok_and(|values| values.is_empty()));
}

#[test]
fn lengths_that_do_not_match() {
    for device in devices() {
        for n in [0, 1, 5] {
            let mut out = vec![0; n];
            assert!(is_refused(vecadd::add(&device, &[1; 4], &vec![1; n])));
            assert!(is_refused(vecadd::add_into(&device, &[1; 4], &[1; 4], &mut out)));
            assert!(is_refused(Scan::new().run_into(&device, &[1; 4], &mut out)));
            assert!(n == 1 || is_refused(Reduce::new().run_into(&device, &[1; 4], &mut out)));
            assert!(is_refused(compact::by_mask(&device, &[1; 4], &vec![1; n])));
            assert!(is_refused(compact::compact_into(&device, &[1; 4], compact::Condition::Less(1), &mut out)));
            assert!(is_refused(convolve1d::filter_into(&device, &[1], Border::Zero, &[1; 4], &mut out)));
        }
        for width in [0, 2, 130, 131] {
            assert!(is_refused(convolve1d::filter(&device, &vec![1; width], Border::Zero, &[1; 4])));
        }
        assert!(is_refused(reduce::max::<f32>(&device, &[])));
        assert!(is_refused(reduce::argmin::<u64>(&device, &[])));
        assert!(Reduce::new().operator(Operator::Product).run::<i32>(&device, &[]).is_ok_and(|one| one == 1));
        assert!(reduce::checked_sum::<u8>(&device, &[]).is_ok_and(|zero| zero == 0));
    }
}

#[test]
fn bins_of_any_number_and_range() {
    for device in devices() {
        for bins in SIZES {
            let _ = Histogram::new(Binning::Modulo { bins }).run(&device, &[1_u32, 2, 3]).is_ok();
            for (lo, hi) in [(0.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0), (f64::MIN, f64::MAX), (0.0, f64::INFINITY)] {
                let binning = Binning::Even { bins: bins.min(1 << 21), lo, hi };
                let _ = Histogram::new(binning).run(&device, &[1.0_f32, f32::NAN, -1.0]).is_ok();
                let _ = binning.bin_of(0.5_f64);
            }
        }
        for copies in [0, 3, 64, u32::MAX] {
            let _ = Histogram::new(Binning::Letter).copies(copies).run(&device, b"text").is_ok();
        }
    }
}

/// Every rung of every primitive with launches that make no sense.
#[test]
fn launches_of_any_geometry() {
    let (cpu, gpu) = (Device::cpu(), Device::emulator());
    for primitive in PRIMITIVES.iter().filter(|primitive| primitive.computes()) {
        let extent = primitive.extents.of(9);
        let case = (primitive.case)(&Problem { extent, ..Problem::usual(primitive) }).expect("a small problem");
        for variant in primitive.variants {
            let device = if variant.runs_on == RunsOn::Cpu { &cpu } else { &gpu };
            for value in [0, 1, 31, 100_000, u32::MAX] {
                let some = Some(value);
                let none = Geometry::default();
                for geometry in [
                    Geometry { block: some, ..none },
                    Geometry { grid: some, ..none },
                    Geometry { items: some, ..none },
                    Geometry { block: some, items: some, grid: Some(1) },
                ] {
                    let runner = Runner { device: device.clone(), variant: Some(variant), geometry };
                    let mut job = case.job(&runner);
                    if job.whole().is_ok() {
                        assert!(job.step(Step::Prepare).is_ok(), "{} {} {geometry:?}", primitive.name, variant.name);
                    }
                }
            }
        }
    }
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Device>();
    shared::<Buffer<f32>>();
    shared::<warpwise::View<'_, f32>>();
    shared::<warpwise::ViewMut<'_, f32>>();
    shared::<Matrix<'_, f64>>();
    shared::<MatrixMut<'_, f64>>();
    shared::<Error>();
    shared::<(Reduce, Scan, Histogram, Convolve2d<'_>, convolve1d::Convolve1d<'_, i32>)>();
    shared::<(vecadd::VecAdd, compact::Compact<'_, u32>, transpose::Transpose, warpwise::matmul::Matmul)>();
    shared::<(warpwise::heat::Heat, Radiate)>();
    // One device, many threads: calls follow each other.
    let (device, xs) = (Device::emulator(), vec![1_u32; 3000]);
    let sums: Vec<u64> = std::thread::scope(|scope| {
        let call = || reduce::sum(&device, &xs).expect("it works");
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(call)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(sums, [3000; 4]);
}

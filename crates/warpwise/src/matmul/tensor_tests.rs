//! The tensor-core rungs on the emulator: what they refuse, and how large their errors are.

use super::gpu::{Factor, Product, double, few, hopper};
use super::{Layout, Matmul, Matrix, Rung, is_offered, multiply};
use crate::agreement::Random;
use crate::device::Staged;
use crate::{Device, Error};

fn product(device: &Device, variant: &str, [m, n, k]: [usize; 3], a: &[f32], b: &[f32]) -> Vec<f32> {
    let (a, b) = (Matrix::new(a, m, k).unwrap(), Matrix::new(b, k, n).unwrap());
    Matmul::new().variant(variant.parse::<Rung>().unwrap()).run(device, &a, &b).unwrap()
}

/// The root mean square of the error; that of each element is relative to the sum of the magnitudes of its products.
fn error([m, n, k]: [usize; 3], a: &[f32], b: &[f32], c: &[f32]) -> f64 {
    let mut sum = 0.0;
    for i in 0..m {
        for j in 0..n {
            let products = || (0..k).map(|l| f64::from(a[i * k + l]) * f64::from(b[l * n + j]));
            let (exact, size) = (products().sum::<f64>(), products().map(f64::abs).sum::<f64>());
            let error = (f64::from(c[i * n + j]) - exact) / size.max(f64::MIN_POSITIVE);
            sum += error * error;
        }
    }
    (sum / (m * n) as f64).sqrt()
}

/// Factors of random numbers, modified by functions of row and column.
fn factors(
    [m, n, k]: [usize; 3],
    a_of: impl Fn(f32, usize, usize) -> f32,
    b_of: impl Fn(f32, usize, usize) -> f32,
) -> (Vec<f32>, Vec<f32>) {
    let mut random = Random::new(41);
    let mut draw = |rows: usize, columns: usize, of: &dyn Fn(f32, usize, usize) -> f32| -> Vec<f32> {
        (0..rows * columns).map(|i| of(random.unit() as f32, i / columns, i % columns)).collect()
    };
    (draw(m, k, &a_of), draw(k, n, &b_of))
}

const SIZES: [usize; 3] = [130, 140, 300];

/// A power of two that depends on a number, up to 2^30 and down to 2^-30.
fn scale(i: usize) -> f32 {
    2.0_f32.powi((i * 37 % 61) as i32 - 30)
}

#[test]
fn the_split_is_as_accurate_as_f32() {
    let gpu = Device::emulator();
    let plain = |x: f32, _: usize, _: usize| x;
    let inputs = [
        ("random", factors(SIZES, plain, plain)),
        ("positive", factors(SIZES, |x, _, _| x.abs(), |x, _, _| x.abs())),
        ("scaled rows and columns", factors(SIZES, |x, i, _| x * scale(i), |x, _, j| x * scale(j))),
        ("scaled terms", factors(SIZES, |x, _, l| x * scale(l), |x, l, _| x / scale(l))),
        // Every second product cancels nearly all of the one before.
        (
            "cancelling",
            factors(
                SIZES,
                |_, i, l| 1.0 + ((i + l / 2) % 50) as f32 * 0.01,
                |_, l, j| {
                    let sign = if l % 2 == 0 { 1.0 } else { -1.000_001 };
                    sign * (1.0 + ((j * 7 + l / 2) % 90) as f32 * 0.013)
                },
            ),
        ),
    ];
    for (name, (a, b)) in &inputs {
        let of = |variant: &str| error(SIZES, a, b, &product(&gpu, variant, SIZES, a, b));
        let (split, f32_error) = (of(hopper::SPLIT), of("gpu-7-warp-tiled"));
        assert!(split <= f32_error, "{name}: {split:.3e}, in f32 {f32_error:.3e}");
    }
}

#[test]
fn few_rows_are_multiplied_in_narrow_strips_and_in_wide_ones() {
    let gpu = Device::emulator();
    let plain = |x: f32, _: usize, _: usize| x;
    // The widest have more narrow strips than the GPU has multiprocessors.
    for sizes in [[1, 130, 67], [2, 33, 700], [3, 4100, 61], [4, 31, 1], [1, 4300, 530], [2, 4301, 70], [4, 4400, 9]] {
        let (a, b) = factors(sizes, plain, plain);
        let error = error(sizes, &a, &b, &product(&gpu, few::SHARED_SUMS, sizes, &a, &b));
        assert!(error < 1e-7, "{sizes:?}: {error:.3e}");
    }
}

/// Tiles that several blocks share, and tiles of one block, among any number of blocks: the results are as with one
/// block.
#[test]
fn shared_tiles_have_the_sums_of_whole_ones() {
    let gpu = Device::emulator();
    let session = gpu.session().unwrap();
    let sizes @ [m, n, k] = [200, 260, 700];
    // Numbers of few bits: sums are exact in any order.
    let (a, b) = factors(sizes, |x, _, _| (x * 8.0).round(), |x, _, _| (x * 8.0).round());
    let staged = [&a, &b].map(|x| Staged::new(session, &x[..]).unwrap());
    let factor = |i: usize, rows, columns| Factor { buffer: staged[i].argument(), layout: Layout::new(rows, columns) };
    for name in [hopper::TF32, hopper::SPLIT] {
        for blocks in [1, 4, 5, 7, 50] {
            let out = session.allocate((m * n * 4) as u64).unwrap();
            let c = Factor { buffer: out.argument(), layout: Layout::new(m, n) };
            let product = Product { a: factor(0, m, k), b: factor(1, k, n), c };
            hopper::multiply(session, name, product, blocks).unwrap();
            let found: Vec<f32> = session.download_vec(out.ptr(), m * n).unwrap();
            assert_eq!(error(sizes, &a, &b, &found), 0.0, "{name}, {blocks} blocks");
        }
    }
}

#[test]
fn tf32_is_right_to_three_digits_and_says_so() {
    let gpu = Device::emulator();
    let (a, b) = factors(SIZES, |x, _, _| x, |x, _, _| x);
    let found = error(SIZES, &a, &b, &product(&gpu, hopper::TF32, SIZES, &a, &b));
    assert!((1e-6..2e-4).contains(&found), "{found:.3e}");
    // Numbers of few bits are exact.
    let (a, b) = factors(SIZES, |x, _, _| (x * 8.0).round(), |x, _, _| (x * 8.0).round());
    assert_eq!(error(SIZES, &a, &b, &product(&gpu, hopper::TF32, SIZES, &a, &b)), 0.0);
}

/// What the split cannot handle is computed as by rung 8, bit for bit: infinities, NaNs and numbers near the ends of
/// the range.
#[test]
fn numbers_out_of_range_are_multiplied_in_f32() {
    let gpu = Device::emulator();
    let sizes = [33, 40, 72];
    for special in [f32::INFINITY, f32::NAN, 1e38, 1e-38, f32::from_bits(1)] {
        let place = |x: f32, i: usize, j: usize| if (i, j) == (3, 5) { special } else { x };
        for (a, b) in [factors(sizes, place, |x, _, _| x), factors(sizes, |x, _, _| x, place)] {
            let bits =
                |variant| -> Vec<u32> { product(&gpu, variant, sizes, &a, &b).into_iter().map(f32::to_bits).collect() };
            // Rows of whole vectors are summed in the order of k, as in the rung below.
            assert_eq!(bits(hopper::SPLIT), bits("gpu-7-warp-tiled"), "{special:e}");
        }
    }
}

#[test]
fn other_devices_and_types_are_refused() {
    let (older, gpu) = (Device::emulator_of("rtx-2080-ti").unwrap(), Device::emulator());
    for variant in [hopper::TF32, hopper::SPLIT] {
        let how = Matmul::new().variant(variant.parse::<Rung>().unwrap());
        let (single, double) = (Matrix::new(&[1.0_f32], 1, 1).unwrap(), Matrix::new(&[1.0_f64], 1, 1).unwrap());
        let narrow = how.run(&older, &single, &single).unwrap_err();
        let wide = how.run(&gpu, &double, &double).unwrap_err();
        for refused in [&narrow, &wide] {
            assert!(matches!(refused, Error::Needs { .. }), "{refused}");
        }
        assert!(narrow.to_string().contains("needs a GPU of compute capability 9.0: use gpu-8-wide-tiles"), "{narrow}");
        assert!(is_offered::<f32>(&gpu, variant) && !is_offered::<f64>(&gpu, variant));
        assert!(!is_offered::<f32>(&older, variant));
    }
    let three = Matrix::new(&[3.0_f32], 1, 1).unwrap();
    let refused = Matmul::new().variant(Rung::TensorF64).run(&gpu, &three, &three).unwrap_err();
    assert!(refused.to_string().contains("needs matrices of f64"), "{refused}");
    assert!(is_offered::<f64>(&gpu, double::DOUBLE) && !is_offered::<f64>(&older, double::DOUBLE));
    // Without a name, the library chooses one that works.
    assert_eq!(multiply(&older, &three, &three).unwrap(), [9.0]);
}

#[test]
fn tensor_cores_are_chosen_for_large_products_only() {
    let (older, gpu) = (Device::emulator_of("rtx-2080-ti").unwrap(), Device::emulator());
    let best = |device: &Device, sizes| hopper::is_best::<f32>(device.session().unwrap(), sizes);
    assert!(best(&gpu, [4096; 3]) && !best(&gpu, [512; 3]) && !best(&older, [4096; 3]));
    assert!(!best(&gpu, [1 << 16, 1 << 16, 8]), "short sums");
    let [gpu, older] = [&gpu, &older].map(|device| device.session().unwrap());
    assert!(!hopper::is_best::<f64>(gpu, [4096; 3]));
    assert!(double::is_best::<f64>(gpu, [1000; 3]) && !double::is_best::<f64>(gpu, [100; 3]));
    assert!(!double::is_best::<f32>(gpu, [1000; 3]) && !double::is_best::<f64>(older, [1000; 3]));
}

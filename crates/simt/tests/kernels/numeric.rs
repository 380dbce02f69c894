//! Number formats, mathematics, and accesses of many widths.

use half::f16;

use crate::rig::{assert_close, every_build, numbers};

fn halves(values: &[f32]) -> Vec<u16> {
    values.iter().map(|&value| f16::from_f32(value).to_bits()).collect()
}

#[test]
fn half_arithmetic() {
    every_build("half", |rig| {
        let x: Vec<f32> = numbers(64).map(|x| (x % 41) as f32 - 20.0).collect();
        let y: Vec<f32> = numbers(64).map(|x| (x / 64 % 31) as f32 * 0.5).collect();
        let (a, b, out) = (rig.upload(&halves(&x)), rig.upload(&halves(&y)), rig.room::<u16>(64));
        rig.launch("half_axpy", [2, 1, 1], [32, 1, 1], &[&a, &b, &out, &2.5_f32]);
        let both = || x.iter().zip(&y);
        let expected: Vec<f32> = both().map(|(x, y)| 2.5 * x + y).collect();
        assert_eq!(rig.download::<u16>(out, 64), halves(&expected));

        let (sum, product, larger) = (rig.room::<u16>(64), rig.room::<u16>(64), rig.room::<u16>(64));
        rig.launch("half_pairs", [1; 3], [32, 1, 1], &[&a, &b, &sum, &product, &larger]);
        assert_eq!(rig.download::<u16>(sum, 64), halves(&both().map(|(x, y)| x + y).collect::<Vec<_>>()));
        assert_eq!(rig.download::<u16>(product, 64), halves(&both().map(|(x, y)| x * y).collect::<Vec<_>>()));
        let picked = (0..64).map(|i| if x[i & !1] > y[i & !1] { x[i] } else { y[i] });
        assert_eq!(rig.download::<u16>(larger, 64), halves(&picked.collect::<Vec<_>>()));
    });
}

#[test]
fn half_conversions() {
    every_build("half", |rig| {
        let values =
            [0.0_f32, -0.0, 1.0, 0.1, -2.75, 65504.0, 65519.9, 65520.0, 6e-8, 2.9e-8, 1e-5, 1234.5, -1e6, 0.333];
        let count = values.len();
        let (input, bits) = (rig.upload(&values), rig.room::<u16>(count));
        let (back, whole) = (rig.room::<f32>(count), rig.room::<i32>(count));
        rig.launch("half_convert", [1; 3], [count as u32, 1, 1], &[&input, &bits, &back, &whole]);
        assert_eq!(rig.download::<u16>(bits, count), halves(&values));
        let rounded: Vec<f32> = values.iter().map(|&value| f16::from_f32(value).to_f32()).collect();
        assert_eq!(rig.download::<f32>(back, count), rounded);
        // out of range clamps, as Rust's `as` does
        assert_eq!(rig.download::<i32>(whole, count), rounded.iter().map(|&value| value as i32).collect::<Vec<_>>());
    });
}

#[test]
fn double_mathematics() {
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function, f64); 11] = [
        ("sin", f64::sin, 1e-15),
        ("exp", f64::exp, 1e-15),
        ("pow", |x| x.abs().powf(1.7), 2e-15),
        ("log", |x| (x.abs() + 0.5).ln(), 1e-15),
        ("sqrt", |x| x.abs().sqrt(), 0.0),
        ("reciprocal", |x| 1.0 / (x + 20.0), 0.0),
        ("cos", |x| (x * 1000.0).cos(), 1e-15),
        ("atan2", |x| x.atan2(2.0), 1e-15),
        ("floor and rint", |x| x.floor() + (x * 0.5).round_ties_even() * 10.0, 0.0),
        ("fmod", |x| x % 0.7, 0.0),
        ("rsqrt", |x| 1.0 / (x.abs() + 1.0).sqrt(), 3e-16),
    ];
    every_build("math", |rig| {
        let values: Vec<f64> = numbers(64).map(|x| f64::from(x as i32) / 2e8).collect();
        let (input, out) = (rig.upload(&values), rig.room::<f64>(64 * functions.len()));
        rig.launch("math_double", [1; 3], [64, 1, 1], &[&input, &out, &64_i32]);
        let results = rig.download::<f64>(out, 64 * functions.len());
        for ((name, function, bound), results) in functions.iter().zip(results.chunks(64)) {
            assert_close(name, results, values.iter().map(|&x| function(x)), *bound);
        }
    });
}

#[test]
fn single_mathematics() {
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function, f64); 8] = [
        ("sin", f64::sin, 2e-7),
        ("exp", f64::exp, 3e-7),
        ("pow", |x| x.abs().powf(f64::from(1.7_f32)), 1e-6),
        ("log", |x| f64::from(x.abs() as f32 + 0.5).ln(), 2e-7),
        ("sqrt", |x| f64::from((x.abs() as f32).sqrt()), 0.0),
        ("quotient", |x| f64::from(x as f32 / (x as f32 + 20.0)), 0.0),
        ("tanh", f64::tanh, 2e-7),
        ("rsqrt", |x| 1.0 / f64::from(x.abs() as f32 + 1.0).sqrt(), 2e-7),
    ];
    every_build("math", |rig| {
        let values: Vec<f32> = numbers(64).map(|x| x as i32 as f32 / 2e8).collect();
        let (input, out) = (rig.upload(&values), rig.room::<f32>(64 * functions.len()));
        rig.launch("math_float", [1; 3], [64, 1, 1], &[&input, &out, &64_i32]);
        let results: Vec<f64> = rig.download::<f32>(out, 64 * functions.len()).into_iter().map(f64::from).collect();
        for ((name, function, bound), results) in functions.iter().zip(results.chunks(64)) {
            assert_close(name, results, values.iter().map(|&x| function(f64::from(x))), *bound);
        }
    });
}

#[test]
fn wide_integers() {
    let functions: [fn(i64, i64) -> i64; 8] = [
        |a, b| a / b,
        |a, b| a % b,
        |a, b| (a as u64 / b as u64) as i64,
        |a, b| ((i128::from(a) * i128::from(b)) >> 64) as i64,
        |a, _| {
            let first = if a == 0 { 0 } else { a.trailing_zeros() + 1 };
            i64::from(a.count_ones() + 100 * a.leading_zeros() + 10000 * first)
        },
        |a, _| a.reverse_bits(),
        |a, b| i64::from(((a as i32 / 7) as u32).wrapping_add(b as u32 % 10)),
        |a, b| {
            let bytes = [a as u32, b as u32].map(u32::to_le_bytes).concat();
            i64::from(u32::from_le_bytes([bytes[7], bytes[1], bytes[5], bytes[3]]))
        },
    ];
    every_build("math", |rig| {
        let wide = |shift: u32| {
            numbers(64)
                .zip(numbers(128).skip(64))
                .map(move |(a, b)| (i64::from(a as i32) << 32 | i64::from(b)) >> (b % 8 * shift))
        };
        let a: Vec<i64> = wide(7).collect();
        let b: Vec<i64> = wide(5).map(|x| if x == 0 { 3 } else { x.rotate_left(9) | 1 }).collect();
        let (left, right, out) = (rig.upload(&a), rig.upload(&b), rig.room::<i64>(64 * functions.len()));
        rig.launch("math_integer", [1; 3], [64, 1, 1], &[&left, &right, &out, &64_i32]);
        let results = rig.download::<i64>(out, 64 * functions.len());
        for (row, (function, results)) in functions.iter().zip(results.chunks(64)).enumerate() {
            let expected: Vec<i64> = a.iter().zip(&b).map(|(&a, &b)| function(a, b)).collect();
            assert_eq!(results, expected, "row {row}");
        }
    });
}

#[test]
fn vectors_of_floats_and_bytes() {
    every_build("vectors", |rig| {
        let a: Vec<f32> = numbers(256).map(|x| (x % 1000) as f32).collect();
        let b: Vec<f32> = numbers(256).map(|x| (x / 1000 % 1000) as f32).collect();
        let (left, right, out) = (rig.upload(&a), rig.upload(&b), rig.room::<f32>(256));
        rig.launch("vector_add", [2, 1, 1], [32, 1, 1], &[&left, &right, &out]);
        assert_eq!(rig.download::<f32>(out, 256), a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<_>>());

        let pixels: Vec<u8> = numbers(100 * 4).map(|x| x as u8).collect();
        let grey = |p: &[u8]| ((77 * u32::from(p[0]) + 150 * u32::from(p[1]) + 29 * u32::from(p[2])) >> 8) as u8;
        let (input, out) = (rig.upload(&pixels), rig.room::<u8>(100));
        rig.launch("vector_grey", [4, 1, 1], [32, 1, 1], &[&input, &out, &100_i32]);
        assert_eq!(rig.download::<u8>(out, 100), pixels.chunks(4).map(grey).collect::<Vec<_>>());
    });
}

#[test]
fn transposition_through_dynamic_shared_memory() {
    every_build("vectors", |rig| {
        let (width, height) = (40_usize, 23_usize);
        let cells: Vec<i16> = numbers(width * height).map(|x| x as i16).collect();
        let expected: Vec<i16> = (0..width * height).map(|i| cells[i % height * width + i / height]).collect();
        let (input, out) = (rig.upload(&cells), rig.room::<i16>(cells.len()));
        rig.shared = 16 * 17 * 2;
        rig.launch("transpose", [3, 2, 1], [16, 16, 1], &[&input, &out, &(width as i32), &(height as i32)]);
        assert_eq!(rig.download::<i16>(out, cells.len()), expected);
    });
}

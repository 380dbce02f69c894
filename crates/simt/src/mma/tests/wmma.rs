//! `wmma` from memory to memory, against plain matrix products.

use super::{
    super::{
        element::{Element, Lanes, Layout, WideLanes},
        wmma::{Wmma, WmmaFragment},
    },
    Noise, encode, matrix, plain, put, take, words,
};

#[test]
fn wmma_loads_multiplies_and_stores() {
    let cases = [
        ("f16", "f32", &["m16n16k16", "m32n8k16", "m8n32k16"][..]),
        ("f16", "f16", &["m16n16k16", "m32n8k16", "m8n32k16"][..]),
        ("bf16", "f32", &["m16n16k16", "m32n8k16", "m8n32k16"][..]),
        ("s8", "s32", &["m16n16k16", "m32n8k16", "m8n32k16"][..]),
        ("u8", "s32", &["m16n16k16", "m32n8k16", "m8n32k16"][..]),
        ("tf32", "f32", &["m16n16k8"][..]),
    ];
    for (factor, sum, shapes) in cases {
        for shape in shapes {
            for layout in ["row", "col"] {
                wmma_case(factor, sum, shape, layout);
            }
        }
    }
}

/// Loads from dense memory as an executor would.
fn wmma_load(text: &str, memory: &[i32]) -> (WmmaFragment, Vec<Lanes>) {
    let Some(Wmma::Load { fragment, layout }) = Wmma::parse("wmma", &words(text)) else { panic!("{text}") };
    let mut registers = vec![[0; 32]; fragment.registers];
    let stride = fragment.default_stride(layout);
    for lane in 0..32 {
        for i in 0..fragment.elements() {
            put(fragment.element, &mut registers, lane, i, memory[fragment.offset(layout, lane, i, stride)]);
        }
    }
    (fragment, registers)
}

fn wmma_case(factor: &str, sum: &str, shape: &str, layout: &str) {
    let prefix = |kind: &str| format!("wmma.{kind}.sync.aligned.{layout}.{shape}.global");
    let types = if factor == "f16" { format!("{sum}.{sum}") } else { format!("{sum}.{factor}.{factor}.{sum}") };
    let text = format!("wmma.mma.sync.aligned.{layout}.{layout}.{shape}.{types}");
    let Some(Wmma::Mma(spec)) = Wmma::parse("wmma", &words(&text)) else { panic!("{text}") };
    let (m, n, k) = (spec.d.rows, spec.d.columns, spec.a.columns);
    let element = Element::parse(factor).expect("a type");
    let mut noise = Noise(3);
    let mut values = |size| matrix(&mut noise, element, size);
    let (x, y, z) = (values(m * k), values(k * n), values(m * n));
    // Memory order: as is for rows, transposed for columns.
    let memory = |rows: usize, columns: usize, values: &[i32]| -> Vec<i32> {
        if layout == "row" {
            return values.to_vec();
        }
        (0..rows * columns).map(|i| values[i % rows * columns + i / rows]).collect()
    };
    let (a, fa) = wmma_load(&format!("{}.{factor}", prefix("load.a")), &memory(m, k, &x));
    let (b, fb) = wmma_load(&format!("{}.{factor}", prefix("load.b")), &memory(k, n, &y));
    let (c, fc) = wmma_load(&format!("{}.{sum}", prefix("load.c")), &memory(m, n, &z));
    assert_eq!((a, b, c), (spec.a, spec.b, spec.c));
    let expected = match (factor, sum) {
        ("f16", "f16") => (8, 8, 4),
        ("f16", _) => (8, 8, 8),
        ("bf16", _) => (m / 4, n / 4, 8),
        ("tf32", _) => (4, 4, 8),
        _ => (m / 8, n / 8, 8),
    };
    assert_eq!((a.registers, b.registers, c.registers), expected, "{text}");
    let mut fd = vec![[0; 32]; spec.d.registers];
    spec.execute(&mut fd, &fa, &fb, &fc);
    let text = format!("{}.{sum}", prefix("store.d"));
    let Some(Wmma::Store { fragment, layout: order }) = Wmma::parse("wmma", &words(&text)) else { panic!("{text}") };
    let mut stored = vec![u32::MAX; m * n];
    for lane in 0..32 {
        for i in 0..fragment.elements() {
            let offset = fragment.offset(order, lane, i, fragment.default_stride(order));
            stored[offset] = take(fragment.element, &fd, lane, i);
        }
    }
    let want = memory(m, n, &plain((m, n, k), &x, &y, &z, |x, y| x * y));
    let want: Vec<u32> = want.into_iter().map(|value| encode(fragment.element, value)).collect();
    assert_eq!(stored, want, "{text}");
}

#[test]
fn wmma_f64() {
    let text = "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64";
    let Some(Wmma::Mma(spec)) = Wmma::parse("wmma", &words(text)) else { panic!("{text}") };
    assert!(spec.is_f64());
    assert_eq!((spec.a.registers, spec.b.registers, spec.c.registers), (1, 1, 2));
    let spread = |fragment: &WmmaFragment, value: fn(usize, usize) -> f64| -> Vec<WideLanes> {
        let word = |lane, i| {
            let (row, column) = fragment.element(lane, i);
            value(row, column).to_bits()
        };
        (0..fragment.registers).map(|i| std::array::from_fn(|lane| word(lane, i))).collect()
    };
    let a = spread(&spec.a, |row, column| (row * 4 + column) as f64);
    let b = spread(&spec.b, |row, column| if row == column { 1.0 } else { 0.0 });
    let c = spread(&spec.c, |_, _| 0.5);
    let mut d = vec![[0; 32]; 2];
    spec.execute_f64(&mut d, &a, &b, &c);
    assert_eq!(d, spread(&spec.d, |row, column| 0.5 + if column < 4 { (row * 4 + column) as f64 } else { 0.0 }));
    assert_eq!(spec.a.offset(Layout::Col, 5, 0, 8), 9);
}

#[test]
fn wmma_satfinite_bounds_floats() {
    let text = "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite";
    let Some(Wmma::Mma(spec)) = Wmma::parse("wmma", &words(text)) else { panic!("{text}") };
    let mut d = vec![[0; 32]; 4];
    spec.execute(&mut d, &[[0x7bff_7bff; 32]; 8], &[[0xfbff_fbff; 32]; 8], &[[0; 32]; 4]);
    assert_eq!(d[0][0], 0xfbff_fbff);
    spec.execute(&mut d, &[[0x7fff_7fff; 32]; 8], &[[0; 32]; 8], &[[0; 32]; 4]);
    assert_eq!(d[0][0], 0);
}

//! Fragments against plain matrix products, with the layouts of [`tables`].

mod tables;
mod wmma;

use self::tables::{At, TABLES};
use super::{
    element::{Element, Lanes, WideLanes},
    ldmatrix,
    spec::MmaSpec,
    wmma::Wmma,
};
use crate::float::{Bf16, F16, Fp8, Half16};

fn words(text: &str) -> Vec<Box<str>> {
    text.split('.').skip(1).map(Box::from).collect()
}

fn mma(text: &str) -> MmaSpec {
    MmaSpec::parse("mma", &words(text)).unwrap_or_else(|| panic!("{text}"))
}

/// Small integers, exact in every element type but the narrowest, which take fewer.
struct Noise(u32);

impl Noise {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 16
    }

    fn value(&mut self, element: Element) -> i32 {
        let noise = self.next() as i32;
        match element {
            Element::B1 => noise & 1,
            Element::Int { bits: 4, signed: true } => (noise & 15) - 8,
            Element::Int { bits: 4, signed: false } => noise & 15,
            Element::Int { bits: 8, signed: true } => (noise & 255) - 128,
            Element::Int { bits: 8, signed: false } => noise & 255,
            Element::S32 => noise * 1000 - 30_000_000,
            _ => (noise & 7) - 3,
        }
    }
}

fn encode(element: Element, value: i32) -> u32 {
    match element {
        Element::F16 => F16::from_f32(value as f32).into(),
        Element::Bf16 => Bf16::from_f32(value as f32).into(),
        Element::Tf32 | Element::F32 => (value as f32).to_bits(),
        Element::Fp8(format) => format.encode_f32(value as f32, false).into(),
        _ => value as u32 & (u32::MAX >> (32 - element.bits())),
    }
}

fn put(element: Element, fragment: &mut [Lanes], lane: usize, index: usize, value: i32) {
    let per = (32 / element.bits()) as usize;
    fragment[index / per][lane] |= encode(element, value) << (index % per * element.bits() as usize);
}

fn take(element: Element, fragment: &[Lanes], lane: usize, index: usize) -> u32 {
    let per = (32 / element.bits()) as usize;
    let word = fragment[index / per][lane] >> (index % per * element.bits() as usize);
    if element.bits() == 32 { word } else { word & 0xffff }
}

fn matrix(noise: &mut Noise, element: Element, size: usize) -> Vec<i32> {
    (0..size).map(|_| noise.value(element)).collect()
}

/// The plain product, by a rule for one pair.
fn plain(shape: (usize, usize, usize), a: &[i32], b: &[i32], c: &[i32], times: fn(i32, i32) -> i32) -> Vec<i32> {
    let (m, n, k) = shape;
    let sum = |row: usize, column: usize| (0..k).map(|i| times(a[row * k + i], b[i * n + column])).sum::<i32>();
    (0..m * n).map(|i| c[i] + sum(i / n, i % n)).collect()
}

fn check(table: &str, text: &str, times: fn(i32, i32) -> i32) {
    let table = TABLES.iter().find(|candidate| candidate.name == table).expect("a table");
    let elements: Vec<Element> = words(text).iter().filter_map(|word| Element::parse(word)).collect();
    let &[d, a, b, c] = elements.as_slice() else { panic!("{text}") };
    let spec = mma(text);
    let (m, n, k) = table.shape;
    let registers = spec.registers();
    let bits = |element: Element| element.bits() as usize;
    assert_eq!(registers.a * 32, table.counts.0 * bits(a), "{text}");
    assert_eq!(registers.b * 32, table.counts.1 * bits(b), "{text}");
    assert_eq!(registers.c * 32, table.counts.2 * bits(c), "{text}");
    assert_eq!(registers.d * 32, table.counts.2 * bits(d), "{text}");
    let mut noise = Noise(text.len() as u32);
    let (x, y, z) = (matrix(&mut noise, a, m * k), matrix(&mut noise, b, k * n), matrix(&mut noise, c, m * n));
    let mut fa = vec![[0; 32]; registers.a];
    let mut fb = vec![[0; 32]; registers.b];
    let mut fc = vec![[0; 32]; registers.c];
    let mut fd = vec![[0xaaaa_aaaa; 32]; registers.d];
    for lane in 0..32 {
        for i in 0..table.counts.0 {
            let (row, column) = (table.a)(lane, i);
            put(a, &mut fa, lane, i, x[row * k + column]);
        }
        for i in 0..table.counts.1 {
            let (row, column) = (table.b)(lane, i);
            put(b, &mut fb, lane, i, y[row * n + column]);
        }
        for i in 0..table.counts.2 {
            let (row, column) = (table.c)(lane, i);
            put(c, &mut fc, lane, i, z[row * n + column]);
        }
    }
    spec.execute(&mut fd, &fa, &fb, &fc);
    let want = plain(table.shape, &x, &y, &z, times);
    for lane in 0..32 {
        for i in 0..table.counts.2 {
            let (row, column) = (table.c)(lane, i);
            assert_eq!(take(d, &fd, lane, i), encode(d, want[row * n + column]), "{text} lane {lane} element {i}");
        }
    }
}

#[test]
fn mma_follows_the_tables() {
    let times = |x: i32, y: i32| x * y;
    for sums in ["f32.f16.f16.f32", "f16.f16.f16.f16"] {
        check("m16n8k8 16-bit", &format!("mma.sync.aligned.m16n8k8.row.col.{sums}"), times);
        check("m16n8k16 16-bit", &format!("mma.sync.aligned.m16n8k16.row.col.{sums}"), times);
    }
    check("m16n8k8 16-bit", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", times);
    check("m16n8k16 16-bit", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", times);
    check("m16n8k4 tf32", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", times);
    check("m16n8k8 tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", times);
    for sum in ["f16", "f32"] {
        for (a, b) in [("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e5m2")] {
            check("m16n8k16 8-bit", &format!("mma.sync.aligned.m16n8k16.row.col.{sum}.{a}.{b}.{sum}"), times);
            check("m16n8k32 8-bit", &format!("mma.sync.aligned.m16n8k32.row.col.{sum}.{a}.{b}.{sum}"), times);
        }
    }
    for sat in ["", ".satfinite"] {
        for (a, b) in [("u8", "u8"), ("u8", "s8"), ("s8", "u8"), ("s8", "s8")] {
            for shape in ["m8n8k16", "m16n8k16", "m16n8k32"] {
                let text = format!("mma.sync.aligned.{shape}.row.col{sat}.s32.{a}.{b}.s32");
                check(&format!("{shape} 8-bit"), &text, times);
            }
        }
        for (a, b) in [("u4", "u4"), ("u4", "s4"), ("s4", "u4"), ("s4", "s4")] {
            for shape in ["m8n8k32", "m16n8k32", "m16n8k64"] {
                let text = format!("mma.sync.aligned.{shape}.row.col{sat}.s32.{a}.{b}.s32");
                check(&format!("{shape} 4-bit"), &text, times);
            }
        }
    }
    for shape in ["m8n8k128", "m16n8k128", "m16n8k256"] {
        let table = format!("{shape} bits");
        check(&table, &format!("mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.xor.popc"), |x, y| x ^ y);
        check(&table, &format!("mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.and.popc"), |x, y| x & y);
    }
}

#[test]
fn f64_mma_follows_the_tables() {
    let f64_tables = [("m8n8k4 f64", "m8n8k4"), ("m16n8k4 tf32", "m16n8k4"), ("m16n8k8 tf32", "m16n8k8")];
    for (name, shape) in f64_tables.into_iter().chain([("m16n8k16 f64", "m16n8k16")]) {
        let table = TABLES.iter().find(|candidate| candidate.name == name).expect("a table");
        let spec = mma(&format!("mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64"));
        assert!(spec.is_f64());
        let registers = spec.registers();
        assert_eq!((registers.a, registers.b, registers.c), table.counts);
        let (m, n, k) = table.shape;
        let mut noise = Noise(5);
        let mut values = |size| matrix(&mut noise, Element::F64, size);
        let (x, y, z) = (values(m * k), values(k * n), values(m * n));
        let spread = |count: usize, columns: usize, at: At, values: &[i32]| -> Vec<WideLanes> {
            let word = |lane, i| {
                let (row, column) = at(lane, i);
                f64::from(values[row * columns + column]).to_bits()
            };
            (0..count).map(|i| std::array::from_fn(|lane| word(lane, i))).collect()
        };
        let mut d = vec![[0; 32]; registers.d];
        spec.execute_f64(
            &mut d,
            &spread(table.counts.0, k, table.a, &x),
            &spread(table.counts.1, n, table.b, &y),
            &spread(table.counts.2, n, table.c, &z),
        );
        let want = plain(table.shape, &x, &y, &z, |x, y| x * y);
        assert_eq!(d, spread(table.counts.2, n, table.c, &want), "{name}");
    }
}

#[test]
fn quad_pairs_follow_the_tables() {
    for (a_layout, b_layout) in [("row", "row"), ("row", "col"), ("col", "row"), ("col", "col")] {
        for (d, c) in [("f32", "f32"), ("f16", "f16"), ("f32", "f16")] {
            let spec = mma(&format!("mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d}.f16.f16.{c}"));
            let (d, c) = (Element::parse(d).expect("a type"), Element::parse(c).expect("a type"));
            let registers = spec.registers();
            assert_eq!((registers.a, registers.b, registers.c), (2, 2, if c == Element::F16 { 4 } else { 8 }));
            let at_c = |element: Element, lane: usize, i: usize| {
                let high = if lane < 16 { 0 } else { 4 };
                if element == Element::F16 {
                    (lane % 4 + high, i)
                } else {
                    ((lane & 0b1) + (i & 0b10) + high, (i & 0b100) + (lane & 0b10) + (i & 0b1))
                }
            };
            let mut noise = Noise(9);
            let mut four =
                |size: usize| -> Vec<Vec<i32>> { (0..4).map(|_| matrix(&mut noise, Element::F16, size)).collect() };
            let (x, y, z) = (four(32), four(32), four(64));
            let mut fa = vec![[0; 32]; 2];
            let mut fb = vec![[0; 32]; 2];
            let mut fc = vec![[0; 32]; registers.c];
            let mut fd = vec![[0; 32]; registers.d];
            for lane in 0..32 {
                let (pair, high) = (lane % 16 / 4, if lane < 16 { 0 } else { 4 });
                for i in 0..4 {
                    let (row, column) = if a_layout == "row" { (lane % 4 + high, i) } else { (i + high, lane % 4) };
                    put(Element::F16, &mut fa, lane, i, x[pair][row * 4 + column]);
                    let (row, column) = if b_layout == "row" { (lane % 4, i + high) } else { (i, lane % 4 + high) };
                    put(Element::F16, &mut fb, lane, i, y[pair][row * 8 + column]);
                }
                for i in 0..8 {
                    let (row, column) = at_c(c, lane, i);
                    put(c, &mut fc, lane, i, z[pair][row * 8 + column]);
                }
            }
            spec.execute(&mut fd, &fa, &fb, &fc);
            for pair in 0..4 {
                let want = plain((8, 8, 4), &x[pair], &y[pair], &z[pair], |x, y| x * y);
                for lane in (0..32).filter(|lane| lane % 16 / 4 == pair) {
                    for i in 0..8 {
                        let (row, column) = at_c(d, lane, i);
                        assert_eq!(take(d, &fd, lane, i), encode(d, want[row * 8 + column]));
                    }
                }
            }
        }
    }
}

#[test]
fn sums_saturate_or_wrap() {
    let full = |sign: u32| vec![[sign; 32]; 4];
    let c = vec![[i32::MAX as u32; 32]; 4];
    let mut d = vec![[0; 32]; 4];
    let text = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32";
    mma(text).execute(&mut d, &full(0x0101_0101), &full(0x0101_0101), &c);
    assert_eq!(d[0][0] as i32, i32::MAX.wrapping_add(32));
    mma("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32").execute(
        &mut d,
        &full(0x0101_0101),
        &full(0x0101_0101),
        &c,
    );
    assert_eq!(d[3][31] as i32, i32::MAX);
}

#[test]
fn f64_sums_round_in_the_named_direction() {
    let wide = |value: f64| vec![[value.to_bits(); 32]; 2];
    for (rounding, want) in [("", 1.0), (".rn", 1.0), (".rp", 1f64.next_up()), (".rz", 1.0)] {
        let mut d = wide(0.0);
        let spec = mma(&format!("mma.sync.aligned.m8n8k4.row.col{rounding}.f64.f64.f64.f64"));
        let (mut a, mut b) = (vec![[0; 32]; 1], vec![[0; 32]; 1]);
        a[0][0] = 2f64.powi(-50).to_bits();
        b[0][0] = 2f64.powi(-50).to_bits();
        spec.execute_f64(&mut d, &a, &b, &wide(1.0));
        assert_eq!(f64::from_bits(d[0][0]), want, "{rounding}");
    }
}

#[test]
fn unknown_forms_are_refused() {
    for text in [
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        "mma.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32",
        "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32",
        "mma",
    ] {
        assert_eq!(MmaSpec::parse("mma", &words(text)), None, "{text}");
    }
    for text in ["wmma.load.d.sync.aligned.row.m16n16k16.f16", "wmma.load.a.sync.aligned.row.m16n16k8.f16", "wmma"] {
        assert_eq!(Wmma::parse("wmma", &words(text)), None, "{text}");
    }
}

#[test]
fn short_operands_do_not_panic() {
    let spec = mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    let mut d = vec![[7; 32]; 9];
    spec.execute(&mut d, &[], &[[0; 32]; 20], &[]);
    assert_eq!((d[3][0], d[4][0]), (0, 7));
}

#[test]
fn sums_round_once() {
    // 2048 + 1 + 2^-10 is above the middle between 2048 and 2050 in f16; rounding each step would stay at 2048.
    let spec = mma("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16");
    let one = u32::from(F16::ONE);
    let small = u32::from(F16::from_f32(2f32.powi(-10)));
    let mut a = vec![[0; 32]; 2];
    let mut b = vec![[0; 32]; 1];
    a[0][0] = one | small << 16;
    b[0][0] = one | one << 16;
    let c = vec![[u32::from(F16::from_f32(2048.0)); 32]; 2];
    let mut d = vec![[0; 32]; 2];
    spec.execute(&mut d, &a, &b, &c);
    assert_eq!(d[0][0] as u16, F16::from_f32(2050.0));
    let fp8 = Element::Fp8(Fp8::E4m3);
    assert!(fp8.to_f64(0x7f).is_nan());
    assert_eq!(Element::Tf32.to_f64(0x3f80_1fff), 1.0);
    assert_eq!(Element::F32.round_f64(f64::NAN), 0x7fff_ffff);
}

#[test]
fn eight_by_eight_distribution() {
    let rows: [[u16; 8]; 8] = std::array::from_fn(|row| std::array::from_fn(|column| (row * 8 + column) as u16));
    let plain = ldmatrix::distribute(&rows, false);
    let trans = ldmatrix::distribute(&rows, true);
    for lane in 0..32 {
        let (row, column) = (lane / 4, lane % 4 * 2);
        assert_eq!(plain[lane], u32::from(rows[row][column]) | u32::from(rows[row][column + 1]) << 16);
        assert_eq!(trans[lane], u32::from(rows[column][row]) | u32::from(rows[column + 1][row]) << 16);
        for flag in [false, true] {
            for (half, (row, column)) in ldmatrix::ldmatrix_source(lane, flag).into_iter().enumerate() {
                assert_eq!(ldmatrix::ldmatrix_holder(row, column, flag), (lane, half));
            }
        }
    }
    assert_eq!(ldmatrix::collect(&trans, true), rows);
    assert_eq!(ldmatrix::movmatrix(&plain), trans);
    assert_eq!(ldmatrix::movmatrix(&trans), plain);
    assert_eq!(ldmatrix::row_address_lane(3, 7), 31);
}

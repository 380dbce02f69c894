//! Random expressions give the same bits in a plain evaluation, in blocks at every SIMD level, and on the emulator.

use crate::device::{Session, Staged};
use crate::expression::check::program;
use crate::expression::kind::Kind;
use crate::expression::mapped::{HostBytes, Mapped, Source};
use crate::expression::{Expression, cpu, gpu, plain};
use crate::random::Random;
use crate::simd::Level;
use crate::simd::stream::Stores;
use crate::{Device, Element, Error};

/// Input of a type known when the test runs.
struct Bits {
    kind: Kind,
    elements: Vec<u64>,
    /// The same in memory, at a multiple of 8 bytes.
    memory: Vec<u64>,
}

impl Bits {
    fn new(kind: Kind, elements: Vec<u64>) -> Self {
        let bytes: Vec<u8> = elements.iter().flat_map(|bits| bits.to_le_bytes()[..kind.bytes()].to_vec()).collect();
        let mut memory = vec![0; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut::<u64, u8>(&mut memory)[..bytes.len()].copy_from_slice(&bytes);
        Self { kind, elements, memory }
    }
}

impl Source for &Bits {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn check(&self, _: &Device) -> Result<(), Error> {
        Ok(())
    }

    fn on_host(&self) -> Result<HostBytes<'_>, Error> {
        let bytes: &[u8] = bytemuck::cast_slice(&self.memory);
        Ok(HostBytes::Borrowed(&bytes[..self.elements.len() * self.kind.bytes()]))
    }

    fn staged(&self, session: &Session) -> Result<Staged, Error> {
        Staged::new(session, &self.memory)
    }

    fn host_address(&self) -> Option<usize> {
        None
    }
}

/// Numbers of all sizes, and those that are special.
fn elements(random: &mut Random, kind: Kind, count: usize) -> Vec<u64> {
    let special: &[f64] =
        &[0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.5, 2.5, -3.7, 1e30, 7.0];
    let mut one = || {
        let bits = random.bits();
        match (kind, bits % 4) {
            (Kind::F32, 0) => u64::from((special[(bits >> 8) as usize % special.len()] as f32).to_bits()),
            (Kind::F64, 0) => special[(bits >> 8) as usize % special.len()].to_bits(),
            (Kind::F32, 1) => bits >> 32,
            (Kind::F64, 1) => bits,
            (Kind::F32, _) => u64::from((random.unit() as f32 * 20.0).to_bits()),
            (Kind::F64, _) => (random.unit() * 20.0).to_bits(),
            (_, 0 | 1) => kind.bits_of_int(i128::from(bits as i64 >> 40) % 12),
            _ => kind.bits_of_int(i128::from(bits as i64)),
        }
    };
    (0..count).map(|_| one()).collect()
}

/// A random expression; most of them have a type.
fn expression(random: &mut Random, depth: usize) -> String {
    let part = |random: &mut Random| expression(random, depth - 1);
    if depth == 0 {
        const LEAVES: [&str; 10] = ["x", "y", "x", "y", "3", "0.5", "2", "1.25", "7", "x"];
        return LEAVES[random.below(LEAVES.len())].to_owned();
    }
    match random.below(14) {
        0..=4 => {
            const OPERATORS: [&str; 11] = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "+", "*"];
            let op = OPERATORS[random.below(OPERATORS.len())];
            format!("({} {op} {})", part(random), part(random))
        }
        5 | 6 => {
            const FUNCTIONS: [&str; 6] = ["abs", "sqrt", "exp", "log", "floor", "-"];
            format!("{}({})", FUNCTIONS[random.below(FUNCTIONS.len())], part(random))
        }
        7 | 8 => format!("{}({}, {})", ["min", "max"][random.below(2)], part(random), part(random)),
        9 => {
            const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
            let op = COMPARISONS[random.below(COMPARISONS.len())];
            let flag = format!("({} {op} {})", part(random), part(random));
            format!("where({flag} & ~(x == y), {}, {})", part(random), part(random))
        }
        10 => format!("({}) ** {}", part(random), ["2", "3", "5", "0", "0.5", "-1"][random.below(6)]),
        11 => format!("u8({} < {})", part(random), part(random)),
        _ => format!("{}({})", Kind::ALL[1 + random.below(7)].name(), part(random)),
    }
}

fn same(kind: Kind, a: u64, b: u64) -> bool {
    let is_nan = |bits: u64| match kind {
        Kind::F32 => f32::from_bits(bits as u32).is_nan(),
        Kind::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    a == b || (is_nan(a) && is_nan(b))
}

fn bits<R: Element>(value: R) -> u64 {
    let mut bytes = [0; 8];
    bytes[..size_of::<R>()].copy_from_slice(bytemuck::bytes_of(&value));
    u64::from_le_bytes(bytes)
}

fn check<R: Element>(text: &str, mapped: &Mapped<'_, R>, expected: &[u64], kind: Kind, device: &Device) {
    let compare = |place: &str, found: &[R]| {
        for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
            let found = bits(found);
            assert!(same(kind, found, expected), "{text}, element {i}, {place}: {found:#x}, not {expected:#x}");
        }
    };
    for level in Level::available() {
        // Results past the caches begin anywhere in a line, and nothing beside them is written.
        for (stores, before) in
            [(Stores::Cached, 0), (Stores::Streamed, 0), (Stores::Streamed, 1), (Stores::Streamed, 7)]
        {
            let mut room = vec![R::ONE; before + expected.len() + 1];
            let (first, rest) = room.split_at_mut(before);
            let (found, last) = rest.split_at_mut(expected.len());
            cpu::collect_into_at(mapped, level, stores, found).unwrap();
            compare(level.name(), found);
            assert!(first.iter().chain(&*last).all(|beside| *beside == R::ONE), "{text}, {}", level.name());
        }
    }
    compare("cpu", &cpu::collect(mapped).unwrap());
    let session = device.session().expect("the emulator");
    let out = gpu::map(&mapped.parts, session).unwrap();
    compare("emulator", &session.download_vec::<R>(out.ptr(), expected.len()).unwrap());
}

#[test]
fn random_expressions_agree_everywhere() {
    let device = Device::emulator();
    let mut random = Random::new(19);
    let mut checked = 0;
    for round in 0..400 {
        let kinds = [Kind::ALL[1 + random.below(7)], Kind::ALL[1 + random.below(7)]];
        let text = expression(&mut random, 1 + round % 4);
        let Ok(tree) = text.parse::<Expression>() else { panic!("{text} is well formed") };
        let Ok(program) = program(&[&tree], &kinds) else { continue };
        let count = [1, 5, 64, 333, 1024, 1025, 2100][round % 7];
        let inputs = kinds.map(|kind| Bits::new(kind, elements(&mut random, kind, count)));
        let expected: Vec<u64> =
            (0..count).map(|i| plain::evaluate(&program, &[inputs[0].elements[i], inputs[1].elements[i]])[0]).collect();
        let kind = program.kind(program.results[0]);
        let sources = || inputs.iter().map(|input| Box::new(input) as Box<dyn Source>).collect();
        let text = format!("{text} of {kinds:?}");
        macro_rules! of {
            ($($kind:ident $t:ty),*) => {
                match kind {
                    Kind::Bool => check::<u8>(&text, &Mapped::new(program, sources(), count), &expected, kind, &device),
                    $(Kind::$kind => {
                        check::<$t>(&text, &Mapped::new(program, sources(), count), &expected, kind, &device);
                    })*
                }
            };
        }
        of!(U8 u8, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64);
        checked += 1;
    }
    assert!(checked > 200, "only {checked} of 400 expressions have a type");
}

//! Loads that could have been kept in a register: an observer written outside the emulator.
//!
//! ```text
//! cargo run -p warpwise-simt --example repeated_loads
//! ```
//!
//! It counts, line by line, how often a thread loads a value from an address that it has already loaded the same value
//! from. A compiler that cannot rule out a write in between, for lack of `__restrict__` or a local variable, loads it
//! again every time.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use warpwise_simt::observe::{Access, AccessKind, Block, Observer, Space};
use warpwise_simt::{Gpu, Launch, Machine, Program};

/// What `nvcc` makes of
///
/// ```cuda
/// 1  __global__ void polynomial(const float *x, const float *c, int terms, float *out) {
/// 2      int i = blockIdx.x * blockDim.x + threadIdx.x;
/// 3      out[i] = 0;
/// 4      for (int k = 0; k < terms; k++)
/// 5          out[i] = out[i] * x[i] + c[k];
/// 6  }
/// ```
///
/// written by hand, with a line of the source for each load.
const KERNEL: &str = r#"
.version 7.0
.target sm_70
.address_size 64
.file 1 "polynomial.cu"

.visible .entry polynomial(.param .u64 x, .param .u64 c, .param .u32 terms, .param .u64 out)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<8>;
    .loc 1 2 5
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [c];
    ld.param.u32 %r1, [terms];
    ld.param.u64 %rd3, [out];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mul.wide.u32 %rd4, %r5, 4;
    add.u64 %rd5, %rd1, %rd4;
    add.u64 %rd6, %rd3, %rd4;
    .loc 1 3 5
    mov.f32 %f1, 0f00000000;
    st.global.f32 [%rd6], %f1;
    mov.u32 %r6, 0;
LOOP:
    .loc 1 4 5
    setp.ge.u32 %p1, %r6, %r1;
    @%p1 bra DONE;
    .loc 1 5 18
    ld.global.f32 %f1, [%rd6];
    .loc 1 5 27
    ld.global.f32 %f2, [%rd5];
    .loc 1 5 34
    ld.global.f32 %f3, [%rd2];
    .loc 1 5 16
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd6], %f4;
    .loc 1 4 34
    add.u64 %rd2, %rd2, 4;
    add.u32 %r6, %r6, 1;
    bra LOOP;
DONE:
    ret;
}
"#;

/// What was observed of one instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    line: String,
    instruction: String,
    loads: u64,
    repeated: u64,
}

/// A thread of a block, and an address that it has loaded from.
type Source = (u64, u32, Space, u64);

/// The observer of one host thread.
#[derive(Default)]
struct RepeatedLoads {
    /// What each thread last loaded from each address.
    known: HashMap<Source, Vec<u8>>,
    /// By instruction.
    rows: BTreeMap<u32, Row>,
}

impl Observer for RepeatedLoads {
    fn access(&mut self, access: &Access<'_>) {
        // The hardware has a separate cache for parameters and constants.
        if access.kind() != AccessKind::Load || matches!(access.space(), Space::Parameter | Space::Constant) {
            return;
        }
        let row = self.rows.entry(access.pc()).or_insert_with(|| {
            let place = access.place();
            let line = match place.source {
                Some(source) => format!("line {}:{}", source.line, source.column),
                None => format!("PTX line {}", place.ptx_line),
            };
            Row { line, instruction: place.instruction.to_string(), ..Row::default() }
        });
        for lane in access.lanes() {
            let Some(value) = access.loaded(lane) else { continue };
            row.loads += 1;
            let address = access.addresses()[lane as usize];
            let source = (access.block().number(), access.thread(lane), access.space(), address);
            if self.known.get(&source) == Some(&value) {
                row.repeated += 1;
            } else {
                self.known.insert(source, value);
            }
        }
    }

    fn block_ends(&mut self, block: &Block<'_>) {
        self.known.retain(|&(number, ..), _| number != block.number());
    }
}

/// Runs the kernel and sums what the observers of all host threads saw.
fn observe(blocks: u32, threads: u32, terms: u32) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let mut machine = Machine::new(Gpu::named("h200").ok_or("no such GPU")?);
    let module = machine.load(Arc::new(Program::load(KERNEL)?))?;
    let floats = |n: u32| -> Vec<u8> { (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect() };
    let n = blocks * threads;
    let (x, c, out) =
        (machine.alloc(4 * u64::from(n))?, machine.alloc(4 * u64::from(terms))?, machine.alloc(4 * u64::from(n))?);
    machine.write(x, &floats(n))?;
    machine.write(c, &floats(terms))?;
    let mut params = [x.0, c.0].map(u64::to_le_bytes).concat();
    params.extend(u64::from(terms).to_le_bytes());
    params.extend(out.0.to_le_bytes());
    let launch = Launch::new([blocks, 1, 1], [threads, 1, 1], params);
    let (report, observers) = machine.launch_observed(module, "polynomial", &launch, RepeatedLoads::default);
    report?;
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    for (pc, seen) in observers.into_iter().flat_map(|observer| observer.rows) {
        let row = rows.entry(pc).or_insert_with(|| Row { loads: 0, repeated: 0, ..seen.clone() });
        row.loads += seen.loads;
        row.repeated += seen.repeated;
    }
    Ok(rows.into_values().collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{:<12} {:>8} {:>9} {:>6}  instruction", "place", "loads", "repeated", "share");
    for Row { line, instruction, loads, repeated } in observe(8, 128, 16)? {
        let share = 100.0 * repeated as f64 / loads.max(1) as f64;
        println!("{line:<12} {loads:>8} {repeated:>9} {share:>5.0}%  {instruction}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_change_is_loaded_again() -> Result<(), Box<dyn std::error::Error>> {
        let rows = observe(3, 64, 10)?;
        let counts: Vec<(&str, u64, u64)> = rows.iter().map(|r| (&*r.line, r.loads, r.repeated)).collect();
        let threads = 3 * 64;
        // out[i] starts as 0 and is 0 again after the first step, like c[0]; then it grows. x[i] is the same every
        // time, c[k] is a different address every time.
        let expected = [
            ("line 5:18", 10 * threads, threads),
            ("line 5:27", 10 * threads, 9 * threads),
            ("line 5:34", 10 * threads, 0),
        ];
        assert_eq!(counts, expected);
        Ok(())
    }

    #[test]
    fn a_refused_launch_has_no_observers() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new(Gpu::named("h200").ok_or("no such GPU")?);
        let module = machine.load(Arc::new(Program::load(KERNEL)?))?;
        let launch = Launch::new([1, 1, 1], [4096, 1, 1], Vec::new());
        let (report, observers) = machine.launch_observed(module, "polynomial", &launch, RepeatedLoads::default);
        assert!(report.is_err() && observers.is_empty());
        Ok(())
    }
}

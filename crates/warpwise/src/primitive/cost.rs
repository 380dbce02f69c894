//! What a primitive must move and compute: rates are these divided by the time.
//!
//! Bytes are what any implementation has to move: operands that are read and results that are written, each once.
//! Anything a variant moves beyond that shows as a lower rate.

use super::Problem;

/// What a primitive must do, for each element of its extent.
///
/// ```
/// let add = &warpwise::primitive::find("vecadd")?.work;
/// assert_eq!((add.inputs, add.outputs), (2.0, 1.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Operands that are read.
    pub inputs: f64,
    /// Results that are written, as large as an operand.
    pub outputs: f64,
    /// Additional bytes.
    pub more_bytes: fn(&Problem) -> f64,
    /// Operations: additions, multiplications, comparisons, on integers too.
    pub operations: fn(&Problem) -> f64,
    /// How often everything is read and written.
    pub passes: fn(&Problem) -> f64,
}

impl Work {
    /// One operation on every element, in one pass.
    pub(crate) const fn simple(inputs: f64, outputs: f64) -> Self {
        Self { inputs, outputs, more_bytes: |_| 0.0, operations: |_| 1.0, passes: |_| 1.0 }
    }
}

/// The minimum that solving a problem takes.
///
/// ```
/// use warpwise::primitive::{Cost, Problem, find};
///
/// let cost = Cost::of(&Problem::usual(find("vecadd")?));
/// assert_eq!(cost.bytes, 3.0 * 4.0 * 2_f64.powi(24));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Bytes that must be moved.
    pub bytes: f64,
    /// Operations.
    pub operations: f64,
    /// Elements, once for every iteration.
    pub elements: f64,
}

impl Cost {
    /// The cost of a problem.
    ///
    /// ```
    /// use warpwise::primitive::{Cost, Problem, find};
    ///
    /// assert_eq!(Cost::of(&Problem::usual(find("reduce")?)).operations, 2_f64.powi(24));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn of(problem: &Problem) -> Self {
        let work = &problem.primitive.work;
        let (n, steps) = (problem.elements() as f64, problem.steps() as f64);
        Self {
            bytes: operands(problem) * (work.passes)(problem) + (work.more_bytes)(problem),
            operations: (work.operations)(problem) * n * steps,
            elements: n * steps,
        }
    }

    /// Bytes of all buffers of a problem.
    ///
    /// ```
    /// use warpwise::primitive::{Cost, Problem, find};
    ///
    /// assert_eq!(Cost::footprint(&Problem::usual(find("heat")?)), 3 * 8 * 2048 * 2048);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn footprint(problem: &Problem) -> u64 {
        (operands(problem) + (problem.primitive.work.more_bytes)(problem)) as u64
    }

    /// Bytes of memory needed to verify a problem: operands, results and the reference's results, which take 8 bytes an
    /// element; on the emulator the device's memory too.
    ///
    /// ```
    /// use warpwise::primitive::{Cost, Problem, find};
    ///
    /// let problem = Problem::usual(find("scan")?);
    /// assert!(Cost::host_memory(&problem, true) > Cost::host_memory(&problem, false));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn host_memory(problem: &Problem, emulated: bool) -> u128 {
        let work = &problem.primitive.work;
        let copies = if emulated { 2.0 } else { 1.0 };
        let size = problem.ty.bytes() as f64;
        let per_element = copies * (work.inputs + 2.0 * work.outputs) * size + 8.0 * work.outputs;
        let (rows, cols) = problem.extent.plane();
        // In 128 bits, because the sizes come unchecked from the user.
        (rows as u128).saturating_mul(cols as u128).saturating_mul(per_element.ceil() as u128)
    }
}

/// Bytes of operands and results.
fn operands(problem: &Problem) -> f64 {
    let work = &problem.primitive.work;
    (work.inputs + work.outputs) * problem.elements() as f64 * problem.ty.bytes() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PRIMITIVES;
    use crate::primitive::{Extent, Setting, Settings, Type, find};

    fn problem(name: &str, ty: Type, extent: Extent) -> Problem {
        let settings = Settings::default().with("iterations", Setting::Number(5));
        Problem { ty, extent, settings, ..Problem::usual(find(name).unwrap()) }
    }

    #[test]
    fn every_primitive_is_declared() {
        for primitive in PRIMITIVES.iter().filter(|p| p.computes()) {
            let cost = Cost::of(&problem(primitive.name, primitive.types[0], Extent::Plane { rows: 4, cols: 4 }));
            assert!(cost.bytes > 0.0 && cost.operations >= 0.0 && cost.elements > 0.0, "{}", primitive.name);
        }
    }

    #[test]
    fn costs_by_hand() {
        let cost = |name, ty, extent| Cost::of(&problem(name, ty, extent));
        let add = cost("vecadd", Type::F64, Extent::Length(10));
        assert_eq!(add, Cost { bytes: 240.0, operations: 10.0, elements: 10.0 });
        assert_eq!(cost("reduce", Type::I32, Extent::Length(10)).bytes, 40.0);
        assert_eq!(cost("histogram", Type::U8, Extent::Length(10)).bytes, 10.0 + 8.0 * 256.0);
        let product = cost("matmul", Type::F32, Extent::Side(10));
        assert_eq!(product, Cost { bytes: 1200.0, operations: 2000.0, elements: 100.0 });
        let heat = cost("heat", Type::F64, Extent::Plane { rows: 2, cols: 3 });
        assert_eq!(heat, Cost { bytes: 720.0, operations: 360.0, elements: 30.0 });
        let radiator = cost("radiator", Type::F32, Extent::Plane { rows: 2, cols: 3 });
        assert_eq!(radiator, Cost { bytes: 48.0, operations: 300.0, elements: 30.0 });
    }

    #[test]
    fn footprints_of_absurd_sizes_do_not_overflow() {
        let huge = problem("matmul", Type::F32, Extent::Side(usize::MAX));
        assert!(Cost::host_memory(&huge, true) > u128::from(u64::MAX));
    }
}

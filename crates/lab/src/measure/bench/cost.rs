//! What every primitive must move and compute, declared once: rates are these divided by the time.
//!
//! Bytes are what any implementation has to move: operands that are read and results that are written, each once. What
//! a variant moves beyond that is its own affair, and shows as a low rate.

use super::Problem;

/// What a primitive must do, for each element of its extent.
struct Declaration {
    primitive: &'static str,
    /// Operands that are read.
    inputs: f64,
    /// Results that are written, as large as an operand.
    outputs: f64,
    /// Bytes besides.
    more_bytes: fn(&Problem) -> f64,
    /// Operations: additions, multiplications, comparisons, on integers too.
    operations: fn(&Problem) -> f64,
    /// How often everything is read and written.
    passes: fn(&Problem) -> f64,
}

const NONE: fn(&Problem) -> f64 = |_| 0.0;
const ONE: fn(&Problem) -> f64 = |_| 1.0;

#[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
const DECLARATIONS: &[Declaration] = &[
    Declaration { primitive: "vecadd", inputs: 2.0, outputs: 1.0, more_bytes: NONE, operations: ONE, passes: ONE },
    Declaration { primitive: "reduce", inputs: 1.0, outputs: 0.0, more_bytes: NONE, operations: ONE, passes: ONE },
    Declaration { primitive: "scan", inputs: 1.0, outputs: 1.0, more_bytes: NONE, operations: ONE, passes: ONE },
    Declaration {
        primitive: "histogram",
        inputs: 1.0,
        outputs: 0.0,
        more_bytes: |p| 8.0 * p.bins() as f64,
        operations: ONE,
        passes: ONE,
    },
    Declaration {
        primitive: "matmul",
        inputs: 2.0,
        outputs: 1.0,
        more_bytes: NONE,
        // A product and a sum for each element of a row.
        operations: |p| 2.0 * p.plane().0 as f64,
        passes: ONE,
    },
    Declaration {
        primitive: "convolve1d",
        inputs: 1.0,
        outputs: 1.0,
        more_bytes: NONE,
        operations: |_| 2.0 * super::work::MASK_WIDTH as f64,
        passes: ONE,
    },
    Declaration {
        primitive: "convolve2d",
        inputs: 1.0,
        outputs: 1.0,
        more_bytes: NONE,
        operations: |_| 2.0 * 25.0,
        passes: ONE,
    },
    Declaration {
        primitive: "heat",
        // Temperatures and conductivities.
        inputs: 2.0,
        outputs: 1.0,
        more_bytes: NONE,
        operations: |_| 12.0,
        // Whether to go on is known only when a step is complete, so no step can begin before.
        passes: |p| p.settings.iterations as f64,
    },
    Declaration {
        primitive: "radiator",
        inputs: 1.0,
        outputs: 1.0,
        more_bytes: NONE,
        // Five products, four sums, one division.
        operations: |_| 10.0,
        // Rows have nothing to do with each other: each can stay on chip for all steps.
        passes: ONE,
    },
];

/// What solving a problem takes at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Bytes that must be moved.
    pub bytes: f64,
    /// Operations.
    pub operations: f64,
    /// Elements, once for every iteration.
    pub elements: f64,
}

fn declaration(primitive: &str) -> &'static Declaration {
    DECLARATIONS.iter().find(|d| d.primitive == primitive).expect("every primitive that is timed is declared")
}

#[allow(clippy::cast_precision_loss, reason = "counts far below 2^53")]
impl Cost {
    /// The cost of a problem.
    pub fn of(problem: &Problem) -> Self {
        let declared = declaration(problem.primitive.name);
        let steps =
            if super::problem::repeats(problem.primitive.name) { problem.settings.iterations as f64 } else { 1.0 };
        let (n, size) = (problem.elements() as f64, problem.element_bytes() as f64);
        Self {
            bytes: (declared.inputs + declared.outputs) * n * size * (declared.passes)(problem)
                + (declared.more_bytes)(problem),
            operations: (declared.operations)(problem) * n * steps,
            elements: n * steps,
        }
    }
}

/// Bytes of memory that measuring a problem takes: operands, results and the reference's, which is 8 bytes an element;
/// on the emulator the device's memory too.
pub(crate) fn footprint(problem: &Problem, emulated: bool) -> u128 {
    let declared = declaration(problem.primitive.name);
    let size = problem.element_bytes() as f64;
    let copies = if emulated { 2.0 } else { 1.0 };
    let per_element = copies * (declared.inputs + 2.0 * declared.outputs) * size + 8.0 * declared.outputs;
    let (rows, cols) = problem.plane();
    // In 128 bits, because the sizes are still what the user typed.
    (rows as u128).saturating_mul(cols as u128).saturating_mul(per_element.ceil() as u128)
}

#[cfg(test)]
mod tests {
    use super::super::problem::benchable;
    use super::super::{Data, Extent, Settings};
    use super::*;

    fn problem(name: &str, ty: &'static str, extent: Extent) -> Problem {
        let primitive = benchable().find(|p| p.name == name).unwrap();
        let settings = Settings { iterations: 5, ..Settings::default() };
        Problem { primitive, ty, extent, data: Data::Random, settings }
    }

    #[test]
    fn every_primitive_is_declared() {
        for primitive in benchable() {
            let cost = Cost::of(&problem(primitive.name, primitive.types[0], Extent::Plane { rows: 4, cols: 4 }));
            assert!(cost.bytes > 0.0 && cost.operations > 0.0 && cost.elements > 0.0, "{}", primitive.name);
        }
        assert_eq!(DECLARATIONS.len(), benchable().count());
    }

    #[test]
    fn costs_by_hand() {
        let cost = |name, ty, extent| Cost::of(&problem(name, ty, extent));
        assert_eq!(cost("vecadd", "f64", Extent::Length(10)), Cost { bytes: 240.0, operations: 10.0, elements: 10.0 });
        assert_eq!(cost("reduce", "i32", Extent::Length(10)).bytes, 40.0);
        assert_eq!(cost("histogram", "u8", Extent::Length(10)).bytes, 10.0 + 8.0 * 256.0);
        let product = cost("matmul", "f32", Extent::Side(10));
        assert_eq!(product, Cost { bytes: 1200.0, operations: 2000.0, elements: 100.0 });
        let heat = cost("heat", "f64", Extent::Plane { rows: 2, cols: 3 });
        assert_eq!(heat, Cost { bytes: 720.0, operations: 360.0, elements: 30.0 });
        let radiator = cost("radiator", "f32", Extent::Plane { rows: 2, cols: 3 });
        assert_eq!(radiator, Cost { bytes: 48.0, operations: 300.0, elements: 30.0 });
    }

    #[test]
    fn footprints_of_absurd_sizes_do_not_overflow() {
        let huge = problem("matmul", "f32", Extent::Side(usize::MAX));
        assert!(footprint(&huge, true) > u128::from(u64::MAX));
    }
}

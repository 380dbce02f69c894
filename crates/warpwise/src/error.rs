//! What can be wrong with the input of a primitive.

use crate::device::DeviceError;

/// Why a primitive cannot compute what it was asked for: one sentence on what is wrong and what to do.
///
/// ```
/// use warpwise::{Operator, reduce};
///
/// let error = reduce::cpu::par::<f32>(Operator::Max, &[]).unwrap_err();
/// assert_eq!(error.to_string(), "max of no elements is undefined: give at least one");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A minimum or maximum of nothing.
    #[error("{operator} of no elements is undefined: give at least one")]
    Empty {
        /// The operator's name.
        operator: &'static str,
    },
    /// Slices that belong together have different lengths.
    #[error("{what} has {found} elements but needs {expected}: make the lengths match")]
    Length {
        /// The slice in question.
        what: &'static str,
        /// How long it should be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// A view that reaches past its buffer.
    #[error("elements {first} to {end} are not all within a buffer of {len} elements: ask for a range within it")]
    View {
        /// The first element asked for.
        first: usize,
        /// One past the last.
        end: usize,
        /// The buffer's length in elements.
        len: usize,
    },
    /// Offsets of segments that do not ascend, or reach past the end.
    #[error(
        "offset {offset}, number {at}, is below the one before it or above {n}: let offsets ascend up to the length"
    )]
    Offsets {
        /// Which one.
        at: usize,
        /// The offset.
        offset: u64,
        /// The number of elements.
        n: usize,
    },
    /// A number of bins outside 1..=2^20.
    #[error("{bins} bins are out of range: ask for 1 to 1048576")]
    Bins {
        /// The number asked for.
        bins: usize,
    },
    /// A binning that makes no sense for the type.
    #[error("{binning} bins do not work on {element}: use {instead}")]
    Binning {
        /// The binning's name.
        binning: &'static str,
        /// The element type's name.
        element: &'static str,
        /// A binning that does work.
        instead: &'static str,
    },
    /// A range of values that contains nothing.
    #[error("the range [{lo}, {hi}) is empty or not finite: give two finite numbers, the lower one first")]
    Range {
        /// The lower end.
        lo: f64,
        /// The upper end.
        hi: f64,
    },
    /// A mask or filter whose size is even, zero or too large.
    #[error("a {what} of {size} is not supported: use an odd number from 1 to {limit}")]
    Odd {
        /// What has the size.
        what: &'static str,
        /// The size given.
        size: usize,
        /// The largest size.
        limit: usize,
    },
    /// A matrix view whose rows overlap.
    #[error("a stride of {stride} is too short for rows of {columns} columns: use at least {columns}")]
    Stride {
        /// Elements from one row to the next.
        stride: usize,
        /// Elements in a row.
        columns: usize,
    },
    /// Matrices that cannot be multiplied.
    #[error(
        "a {a_rows} x {a_columns} matrix times a {b_rows} x {b_columns} one does not give {c_rows} x {c_columns}: make rows and columns match"
    )]
    Shapes {
        /// Rows of the left factor.
        a_rows: usize,
        /// Columns of the left factor.
        a_columns: usize,
        /// Rows of the right factor.
        b_rows: usize,
        /// Columns of the right factor.
        b_columns: usize,
        /// Rows of the result.
        c_rows: usize,
        /// Columns of the result.
        c_columns: usize,
    },
    /// A shape with too many elements to count.
    #[error("{rows} x {columns} elements are more than this machine can address: use a smaller size")]
    TooLarge {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
    /// A GPU that the emulator does not know.
    #[error("there is no GPU {name}: use one of {known}")]
    UnknownGpu {
        /// The name given.
        name: String,
        /// The valid names.
        known: String,
    },
    /// An unknown primitive.
    #[error("there is no primitive {name}: use one of {known}")]
    UnknownPrimitive {
        /// The name given.
        name: String,
        /// The valid names.
        known: String,
    },
    /// A variant that the primitive does not have, or not on this device.
    #[error("{primitive} has no variant {name} on the {device}: use one of {known}")]
    UnknownVariant {
        /// The primitive.
        primitive: &'static str,
        /// The name given.
        name: String,
        /// The device's name.
        device: String,
        /// The valid names.
        known: String,
    },
    /// A rung that the primitive does not have on any device.
    #[error("{primitive} has no variant {name}: use one of {known}")]
    UnknownRung {
        /// The primitive.
        primitive: &'static str,
        /// The name given.
        name: String,
        /// The valid names.
        known: String,
    },
    /// A block that the variant cannot work with.
    #[error("{variant} does not work with blocks of {block} threads: use {needs}")]
    Block {
        /// The variant.
        variant: String,
        /// Threads of a block.
        block: u32,
        /// The block sizes that work.
        needs: &'static str,
    },
    /// More elements than a variant that uses one block can take.
    #[error("{variant} uses one block, which takes at most {limit} elements here, not {elements}: use {instead}")]
    OneBlock {
        /// The variant.
        variant: &'static str,
        /// Elements given.
        elements: usize,
        /// The most that it takes.
        limit: usize,
        /// A variant that takes more.
        instead: &'static str,
    },
    /// A choice that a variant does not offer.
    #[error("{variant} does not work with {what} {value}: use {needs}")]
    Choice {
        /// The variant.
        variant: &'static str,
        /// What was chosen.
        what: &'static str,
        /// The value given.
        value: usize,
        /// The values that work.
        needs: &'static str,
    },
    /// A variant with an order of its own, although the reproducible one was asked for.
    #[error("{variant} has no reproducible order: leave out the variant, or use {instead}")]
    Order {
        /// The variant.
        variant: &'static str,
        /// A variant that has one.
        instead: &'static str,
    },
    /// A variant that needs another device or other data.
    #[error("{variant} needs {needs}: use {instead} here")]
    Needs {
        /// The variant.
        variant: &'static str,
        /// What it needs.
        needs: &'static str,
        /// A variant that works.
        instead: &'static str,
    },
    /// An expression that cannot be understood, or has no type.
    #[error("{}{why}", place(*column))]
    Expression {
        /// The column of its text, from 1; 0 if there is none.
        column: usize,
        /// What is wrong, and what to write instead.
        why: String,
    },
    /// A primitive that does nothing on the CPU.
    #[error("{primitive} runs on a GPU only: use Device::emulator() on a machine without one")]
    NeedsGpu {
        /// The primitive.
        primitive: &'static str,
    },
    /// A sum that does not fit the type of its elements.
    #[error("the sum {sum} does not fit {element}: ask for wide_sum, or for wrapping_sum")]
    Overflow {
        /// The sum.
        sum: i128,
        /// The name of the type.
        element: &'static str,
    },
    /// A buffer that lives on another device than the one that was called.
    #[error("the buffer is on {found}, not on {called}: copy it with to(&device)")]
    OtherDevice {
        /// Where it is.
        found: String,
        /// The device of the call.
        called: String,
    },
    /// Not enough memory on the device.
    #[error("the device does not have enough memory: {wanted} bytes asked for, {free} free; use a smaller size")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes still free.
        free: u64,
    },
    /// No usable GPU.
    #[error("no CUDA device: {0}")]
    NoCuda(#[source] DeviceError),
    /// A buffer that was lost with its context.
    #[error("the buffer was lost when a kernel failed and the context was rebuilt: create it again")]
    Lost,
    /// A launch that the device does not allow.
    #[error("launch error: {0}")]
    Launch(#[source] DeviceError),
    /// A kernel that stopped.
    #[error("a kernel stopped: {0}")]
    Kernel(#[source] DeviceError),
}

/// Where in an expression something is.
fn place(column: usize) -> String {
    if column == 0 { "in the expression, ".to_owned() } else { format!("column {column} of the expression: ") }
}

impl Error {
    /// What is wrong with an expression, and where.
    pub(crate) fn expression(column: usize, why: impl Into<String>) -> Self {
        Self::Expression { column, why: why.into() }
    }

    /// A buffer of another device than that of the call.
    pub(crate) fn other_device(found: &crate::Device, called: String) -> Self {
        let name = found.name();
        let article = if name == called { "another" } else { "the" };
        Self::OtherDevice { found: format!("{article} {name}"), called: format!("the {called}") }
    }

    /// Checks the length of a slice.
    pub(crate) fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Length { what, expected, found }) }
    }

    /// Checks a size that must be odd.
    pub(crate) fn check_odd(what: &'static str, size: usize, limit: usize) -> Result<(), Self> {
        if size % 2 == 1 && size <= limit { Ok(()) } else { Err(Self::Odd { what, size, limit }) }
    }

    /// The number of elements of a shape.
    pub(crate) fn area(rows: usize, columns: usize) -> Result<usize, Self> {
        rows.checked_mul(columns).ok_or(Self::TooLarge { rows, columns })
    }
}

#[cfg(feature = "gpu")]
impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Self {
        use warpwise_gpu::FaultKind;
        match error {
            DeviceError::OutOfMemory { wanted, free } => Self::OutOfMemory { wanted, free },
            DeviceError::Lost => Self::Lost,
            DeviceError::Fault(ref fault) if fault.kind == FaultKind::LaunchLimit => Self::Launch(error),
            other => Self::Kernel(other),
        }
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::vecadd::{Rung, VecAdd};
    use std::error::Error as _;

    /// What the device said is the source, down to the fault itself.
    #[test]
    fn sources_are_kept() {
        let one_block = VecAdd::new().variant(Rung::OneBlock);
        let error = one_block.run(&crate::Device::emulator(), &[1; 1025], &[2; 1025]).unwrap_err();
        let source = error.source().and_then(|source| source.downcast_ref::<DeviceError>());
        let Some(DeviceError::Fault(fault)) = source else { panic!("{error:?}") };
        assert_eq!(fault.kind, warpwise_gpu::FaultKind::LaunchLimit);
        assert_eq!(error.to_string(), format!("launch error: {}", fault.message));
        assert!(Error::Lost.source().is_none());
        let none = Error::NoCuda(DeviceError::Driver("no driver".to_owned()));
        assert_eq!(none.source().map(ToString::to_string).as_deref(), Some("no driver"));
    }
}

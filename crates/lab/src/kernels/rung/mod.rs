//! One rung of a primitive on test data, on a watched emulator: what `explain` and `check` look at.

mod work;

use crate::kernels::run::parse_count;
use warpwise::trace::{Trace, Watch};
use warpwise::{Device, PRIMITIVES, Primitive, RunsOn, Variant};

/// A rung to be watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RungRequest {
    /// The primitive.
    pub primitive: String,
    /// The rung.
    pub variant: String,
    /// Elements, or the side of square matrices; a size that suits the emulator where it is left out.
    pub n: Option<u64>,
    /// Rows and columns, for images and grids.
    pub size: Option<(u64, u64)>,
    /// Element type; the primitive's first one where it is left out.
    pub element: Option<String>,
    /// The GPU whose limits apply.
    pub gpu: String,
}

/// Why a rung cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum RungError {
    /// An unknown name, or data that the primitive does not take.
    #[error(transparent)]
    Library(#[from] warpwise::Error),
    /// A variant that is not for GPUs.
    #[error("{variant} runs on the CPU, and has no kernel to look at: use one of {known}")]
    NoKernel {
        /// As asked for.
        variant: String,
        /// The rungs there are.
        known: String,
    },
    /// A type that the primitive does not have.
    #[error("{primitive} does not work on {element}: use one of {known}")]
    Element {
        /// The primitive.
        primitive: &'static str,
        /// As asked for.
        element: String,
        /// The types there are.
        known: String,
    },
    /// A size of the wrong kind.
    #[error("{primitive} takes {takes}")]
    Size {
        /// The primitive.
        primitive: &'static str,
        /// What to write.
        takes: &'static str,
    },
    /// More data than makes sense to emulate.
    #[error("{bytes} bytes of data are more than is watched here: use at most {limit}")]
    TooLarge {
        /// What was asked for.
        bytes: u128,
        /// The limit.
        limit: u64,
    },
}

/// What a rung did.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) primitive: &'static Primitive,
    pub(crate) variant: &'static Variant,
    pub(crate) element: &'static str,
    /// `n = 1048576` or `512 x 512`.
    pub(crate) size: String,
    /// Bytes of all buffers.
    pub(crate) footprint: u64,
    pub(crate) trace: Trace,
}

/// The data a rung works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Most bytes of a buffer: beyond it an emulator is not the tool.
const LARGEST: u64 = 1 << 30;

impl RungRequest {
    /// Runs the rung, watched; a kernel that stops is an error.
    pub(crate) fn watch(&self, watch: Watch) -> Result<Watched, RungError> {
        let (watched, stopped) = self.observe(watch)?;
        stopped.map_or(Ok(watched), |error| Err(error.into()))
    }

    /// Runs the rung, watched. Where a kernel stops, the trace ends with its launch; also tells the error that it is.
    pub(crate) fn observe(&self, watch: Watch) -> Result<(Watched, Option<warpwise::Error>), RungError> {
        let (primitive, variant) = self.rung()?;
        let element = match &self.element {
            None => primitive.types.first().copied().unwrap_or("u32"),
            Some(wanted) => {
                primitive.types.iter().find(|t| *t == wanted).copied().ok_or_else(|| RungError::Element {
                    primitive: primitive.name,
                    element: wanted.clone(),
                    known: primitive.types.join(", "),
                })?
            }
        };
        let extent = self.extent(primitive, variant)?;
        let device = Device::emulator_watching(&self.gpu, watch)?;
        device.start_trace();
        let outcome = work::run(&device, primitive.name, variant.name, element, extent);
        let trace = device.take_trace()?;
        let (footprint, stopped) = match outcome {
            Ok(footprint) => (footprint, None),
            Err(error) if trace.launches.iter().any(|l| l.fault.is_some()) => (0, Some(error)),
            Err(error) => return Err(error.into()),
        };
        let size = match primitive.name {
            "matmul" | "convolve2d" | "heat" | "radiator" => format!("{} x {}", extent.rows, extent.columns),
            _ => format!("n = {}", extent.columns),
        };
        Ok((Watched { primitive, variant, element, size, footprint, trace }, stopped))
    }

    /// The rung of these names.
    pub(crate) fn rung(&self) -> Result<(&'static Primitive, &'static Variant), RungError> {
        let primitive =
            PRIMITIVES.iter().find(|p| p.name == self.primitive).ok_or_else(|| warpwise::Error::UnknownPrimitive {
                name: self.primitive.clone(),
                known: PRIMITIVES.iter().map(|p| p.name).collect::<Vec<_>>().join(", "),
            })?;
        let rungs = || primitive.variants.iter().filter(|v| v.runs_on == RunsOn::Gpu);
        let known = || rungs().map(|v| v.name).collect::<Vec<_>>().join(", ");
        if primitive.variants.iter().any(|v| v.name == self.variant && v.runs_on == RunsOn::Cpu) {
            return Err(RungError::NoKernel { variant: self.variant.clone(), known: known() });
        }
        let variant = rungs().find(|v| v.name == self.variant).ok_or_else(|| warpwise::Error::UnknownVariant {
            primitive: primitive.name,
            name: self.variant.clone(),
            device: "emulator".to_owned(),
            known: known(),
        })?;
        Ok((primitive, variant))
    }

    /// The data, by what was asked for or by what suits.
    fn extent(&self, primitive: &'static Primitive, variant: &Variant) -> Result<Extent, RungError> {
        let plane = matches!(primitive.name, "matmul" | "convolve2d" | "heat" | "radiator");
        if !plane && self.size.is_some() {
            return Err(RungError::Size { primitive: primitive.name, takes: "a length: -n N" });
        }
        let (rows, columns) = match (self.size, self.n) {
            (Some(size), _) => size,
            (None, Some(n)) if plane => (n, n),
            (None, Some(n)) => (1, n),
            (None, None) => usual(primitive.name, variant.name),
        };
        if primitive.name == "matmul" && rows != columns {
            return Err(RungError::Size { primitive: primitive.name, takes: "the side of square matrices: -n N" });
        }
        let bytes = u128::from(rows) * u128::from(columns) * 8;
        if bytes > u128::from(LARGEST) {
            return Err(RungError::TooLarge { bytes, limit: LARGEST });
        }
        if bytes == 0 {
            return Err(RungError::Size { primitive: primitive.name, takes: "at least one element" });
        }
        Ok(Extent { rows: rows as usize, columns: columns as usize })
    }
}

/// Sizes that show what a rung does within a second or so.
fn usual(primitive: &str, variant: &str) -> (u64, u64) {
    match (primitive, variant) {
        ("vecadd", "gpu-one-block") => (1, 1024),
        ("scan", "gpu-1-hillis-steele" | "gpu-2-double-buffer" | "gpu-3-blelloch" | "gpu-4-blelloch-padded") => {
            (1, 1024)
        }
        ("matmul", _) => (256, 256),
        ("convolve2d" | "heat", _) => (512, 512),
        ("radiator", _) => (64, 1024),
        ("hello", _) => (1, 1024),
        _ => (1, 1 << 20),
    }
}

/// Reads `ROWSxCOLUMNS`.
///
/// ```
/// assert_eq!(warpwise_lab::parse_size("480x2^9"), Ok((480, 512)));
/// assert!(warpwise_lab::parse_size("480").is_err());
/// ```
pub fn parse_size(text: &str) -> Result<(u64, u64), String> {
    // `0x10` is a number.
    let mut marks = text.char_indices().filter(|(_, c)| matches!(c, 'x' | 'X' | ',')).map(|(at, _)| at);
    let split = marks.find(|&at| text[..at].trim() != "0");
    let (rows, columns) =
        split.map(|at| (&text[..at], &text[at + 1..])).ok_or("write ROWSxCOLUMNS, such as 480x640")?;
    Ok((parse_count(rows)?, parse_count(columns)?))
}

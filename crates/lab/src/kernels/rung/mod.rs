//! One rung of a primitive on test data, on a watched emulator, for `explain` and `check`.

use crate::kernels::run::parse_count;
use warpwise::primitive::{self, Cost, Extent, Problem, Runner, Settings, Type};
use warpwise::trace::{SharedFollower, Trace, Watch};
use warpwise::{Device, Geometry, Primitive, RunsOn, Variant};

/// A rung to watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RungRequest {
    /// The primitive.
    pub primitive: String,
    /// The rung.
    pub variant: String,
    /// Elements, or the side of square matrices; by default a size that suits the emulator.
    pub n: Option<u64>,
    /// Rows and columns, for images and grids.
    pub size: Option<(u64, u64)>,
    /// Element type; the primitive's first one if it is omitted.
    pub element: Option<String>,
    /// The GPU whose limits apply.
    pub gpu: String,
    /// Launch geometry, where the rung takes it.
    pub geometry: Geometry,
    /// What operands are filled with; the primitive's usual data if it is omitted.
    pub input: Option<String>,
    /// Parameters of the primitive, beside those that it is watched with.
    pub settings: Settings,
}

/// Why a rung cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum RungError {
    /// An unknown name, or data that the primitive does not accept.
    #[error(transparent)]
    Library(#[from] warpwise::Error),
    /// A variant that is not for GPUs.
    #[error("{variant} runs on the CPU and has no kernel to examine: use one of {known}")]
    NoKernel {
        /// As requested.
        variant: String,
        /// The available rungs.
        known: String,
    },
    /// A type that the primitive does not have.
    #[error("{primitive} does not work on {element}: use one of {known}")]
    Element {
        /// The primitive.
        primitive: &'static str,
        /// As requested.
        element: String,
        /// The available types.
        known: String,
    },
    /// A choice that the primitive does not offer.
    #[error("{flag}: {problem}")]
    Flag {
        /// The flag.
        flag: String,
        /// What is wrong, and what to do.
        problem: String,
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
    #[error("{bytes} bytes of data are too many to emulate: use at most {limit}")]
    TooLarge {
        /// The requested size.
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
    /// Bytes of an element.
    pub(crate) element_bytes: u64,
    /// `n = 1048576` or `512 x 512`.
    pub(crate) size: String,
    /// Elements of the data.
    pub(crate) elements: u64,
    /// Bytes of all buffers.
    pub(crate) footprint: u64,
    pub(crate) trace: Trace,
}

/// Maximum bytes of a buffer: beyond this, an emulator is the wrong tool.
const LARGEST: u64 = 1 << 31;

impl RungRequest {
    /// Runs the rung on the watched emulator; a kernel that stops is an error.
    pub(crate) fn watch(&self, watch: Watch) -> Result<Watched, RungError> {
        let (watched, stopped) = self.observe(watch)?;
        stopped.map_or(Ok(watched), |error| Err(error.into()))
    }

    /// Runs the rung on the watched emulator. If a kernel stops, the trace ends with its launch; there is an error too.
    pub(crate) fn observe(&self, watch: Watch) -> Result<(Watched, Option<warpwise::Error>), RungError> {
        self.observe_on(Device::emulator_watching(&self.gpu, watch)?)
    }

    /// Runs the rung on an emulator whose instructions are followed, to its end or until a kernel stops.
    pub(crate) fn follow(&self, follower: SharedFollower) -> Result<(), RungError> {
        self.observe_on(Device::emulator_followed(&self.gpu, follower)?).map(drop)
    }

    fn observe_on(&self, device: Device) -> Result<(Watched, Option<warpwise::Error>), RungError> {
        let (primitive, variant) = self.rung()?;
        let mut problem = Problem::watched(primitive, variant);
        if let Some(wanted) = &self.element {
            let known = |ty: &Type| primitive.types.contains(ty);
            problem.ty = Type::parse(wanted).filter(known).ok_or_else(|| RungError::Element {
                primitive: primitive.name,
                element: wanted.clone(),
                known: primitive.type_names().join(", "),
            })?;
        }
        problem.extent = self.extent(&problem)?;
        if let Some(wanted) = &self.input {
            let known = primitive.inputs.iter().find(|input| *input == wanted);
            problem.input = known.ok_or_else(|| RungError::Flag {
                flag: "--input".into(),
                problem: format!("there is no {wanted}: use one of {}", primitive.inputs.join(", ")),
            })?;
        }
        for parameter in primitive.parameters {
            if let Some(setting) = self.settings.get(parameter.name) {
                let wrong = |problem| RungError::Flag { flag: format!("--{}", parameter.name), problem };
                parameter.check(setting).map_err(wrong)?;
                problem.settings = problem.settings.clone().with(parameter.name, setting);
            }
        }
        let case = (primitive.case)(&problem)?;
        let runner = Runner { device: device.clone(), variant: Some(variant), geometry: self.geometry };
        device.start_trace();
        let outcome = case.job(&runner).whole();
        let trace = device.take_trace()?;
        let (footprint, stopped) = match outcome {
            Ok(()) => (Cost::footprint(&problem), None),
            Err(error) if trace.launches.iter().any(|l| l.fault.is_some()) => (0, Some(error)),
            Err(error) => return Err(error.into()),
        };
        let (rows, columns) = problem.extent.plane();
        let size = if primitive.extents.is_flat() { format!("{rows} x {columns}") } else { format!("n = {columns}") };
        let element = problem.ty.name();
        let element_bytes = problem.ty.bytes() as u64;
        let elements = problem.elements() as u64;
        Ok((Watched { primitive, variant, element, element_bytes, size, elements, footprint, trace }, stopped))
    }

    /// The rung of these names.
    pub(crate) fn rung(&self) -> Result<(&'static Primitive, &'static Variant), RungError> {
        let primitive = primitive::find(&self.primitive)?;
        if primitive.variant(&self.variant).is_some_and(|v| v.runs_on == RunsOn::Cpu) {
            return Err(RungError::NoKernel { variant: self.variant.clone(), known: primitive.rungs() });
        }
        Ok((primitive, primitive.rung(&self.variant)?))
    }

    /// The extent of the data, as requested or by default.
    fn extent(&self, usual: &Problem) -> Result<Extent, RungError> {
        let primitive = usual.primitive;
        let wrong = |takes| RungError::Size { primitive: primitive.name, takes };
        let extents = primitive.extents;
        if !extents.is_flat() && self.size.is_some() {
            return Err(wrong("a length: -n N"));
        }
        let (rows, columns) = match (self.size, self.n) {
            (Some(size), _) => size,
            (None, Some(n)) if extents.is_flat() => (n, n),
            (None, Some(n)) => (1, n),
            (None, None) => return Ok(usual.extent),
        };
        if !extents.takes_planes() && extents.is_flat() && rows != columns {
            return Err(wrong("the side of square matrices: -n N"));
        }
        let bytes = u128::from(rows) * u128::from(columns) * 8;
        if bytes > u128::from(LARGEST) {
            return Err(RungError::TooLarge { bytes, limit: LARGEST });
        }
        if bytes == 0 {
            return Err(wrong("at least one element"));
        }
        let (rows, cols) = (rows as usize, columns as usize);
        Ok(if rows == cols || !extents.is_flat() { extents.of(cols) } else { Extent::Plane { rows, cols } })
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

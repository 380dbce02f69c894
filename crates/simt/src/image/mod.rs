//! The image of a decoded module: its functions, the tables that instructions refer to, and source places.
//!
//! Everything but the instructions themselves, which are in the [`Program`](crate::Program): they name the code that
//! executes them, and that code works on the state of warps, which in turn refers to the image.

mod call;
mod conversion;
pub(crate) mod event;
mod function;
mod kernel;
mod matrix;
mod special;
mod texture;
mod video;

pub(crate) use call::{Builtin, CallSite, Callee, device_runtime};
pub(crate) use conversion::Conversion;
pub(crate) use function::{Constant, FunctionCode, Home};
pub use kernel::{Kernel, KernelFacts, KernelParameter};
pub(crate) use matrix::{MatrixOp, Wgmma};
pub(crate) use special::Special;
pub(crate) use texture::{LevelSlots, Outside, TextureOp, TextureVerb};
pub(crate) use video::{Comparison, Second, Video, VideoKind};

use warpwise_ptx::LineIndex;
use warpwise_ptx::ast::{SourceLine, Span};

use crate::report::Place;

/// A decoded module without its instructions.
pub(crate) struct Image {
    pub(crate) source: Box<str>,
    pub(crate) lines: LineIndex,
    /// The source place of each instruction.
    pub(crate) origins: Vec<Origin>,
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) call_sites: Vec<CallSite>,
    /// Slots of vector operands.
    pub(crate) slots: Vec<u32>,
    /// Branch tables: instruction of each target.
    pub(crate) branch_tables: Vec<Vec<u32>>,
    pub(crate) matrix_ops: Vec<MatrixOp>,
    pub(crate) conversions: Vec<Conversion>,
    pub(crate) videos: Vec<Video>,
    pub(crate) textures: Vec<TextureOp>,
}

/// The source place of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) function: u32,
    pub(crate) span: Span,
    /// The line to show: of inlined code, the first that is not in a compiler's header.
    pub(crate) line: Option<SourceLine>,
    /// The line in the header, if it is another.
    pub(crate) inner: Option<SourceLine>,
}

impl Origin {
    /// The line to show. Compilers give line 0 to code that they cannot tell the line of.
    pub(crate) fn source(&self) -> Option<SourceLine> {
        self.line.filter(|line| line.line != 0)
    }
}

impl Image {
    /// Function, line of the PTX text and line of the source of an instruction.
    pub(crate) fn location(&self, pc: u32) -> (Box<str>, u32, Option<SourceLine>) {
        let origin = &self.origins[pc as usize];
        let function = self.functions[origin.function as usize].name.clone();
        (function, self.lines.line_column(origin.span.start).0, origin.inner.or(origin.line))
    }

    /// Where an instruction is; block and thread are left at zero.
    pub(crate) fn place(&self, pc: u32) -> Option<Place> {
        let origin = self.origins.get(pc as usize)?;
        let text = self.source.get(origin.span.start as usize..origin.span.end as usize).unwrap_or("");
        let instruction = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Place {
            function: self.functions[origin.function as usize].name.clone(),
            ptx_line: self.lines.line_column(origin.span.start).0,
            instruction: instruction.into(),
            source: origin.source(),
            inner: origin.inner,
            block: [0; 3],
            thread: [0; 3],
        })
    }
}

//! A program: a module, decoded once into the form that is executed.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpwise_ptx::ast::{Module, ScalarType, SourceLine, Span};
use warpwise_ptx::{LineIndex, SyntaxError};

use crate::decode::{Conversion, Video};
use crate::exec::Special;
use crate::fault::Place;
use crate::lanes::Op;
use crate::lanes::matrix::MatrixOp;
use crate::watch::event::Event;

/// A decoded module.
pub struct Program {
    pub(crate) module: Module,
    source: Box<str>,
    lines: LineIndex,
    kernels: Vec<Kernel>,
    /// The code of all functions, one after the other.
    pub(crate) code: Vec<Op>,
    /// What observers are told of each instruction.
    pub(crate) events: Vec<Event>,
    /// Where each instruction of the code comes from.
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
    analyses: Analyses,
}

/// What analyses of a program gave, by type.
#[derive(Default)]
struct Analyses(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

/// Where an instruction was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) function: u32,
    pub(crate) span: Span,
    pub(crate) line: Option<SourceLine>,
}

/// A kernel, as its callers see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its (mangled) name.
    pub name: Box<str>,
    /// Its parameters in order.
    pub params: Vec<KernelParameter>,
    /// Bytes of the parameter block.
    pub param_bytes: u32,
    /// Bytes of statically declared shared memory.
    pub static_shared: u32,
    /// Index of its function.
    pub(crate) function: u32,
    /// Where shared variables are, by name; those of a function's body are `function/name`.
    pub(crate) shared: HashMap<Box<str>, u32>,
    /// Whether the kernel can see the order in which its blocks run: it uses what atomics on global memory return.
    pub(crate) ordered: bool,
    /// Largest block that the kernel says it is made for.
    pub(crate) max_threads: Option<u32>,
    /// The block shape that the kernel requires.
    pub(crate) required_threads: Option<[u32; 3]>,
    /// Whether it can reach a call of `malloc`.
    pub(crate) uses_heap: bool,
    /// Whether it can reach a call of `vprintf`.
    pub(crate) prints: bool,
}

impl Kernel {
    /// Whether it may print.
    pub fn prints(&self) -> bool {
        self.prints
    }
}

/// A kernel parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParameter {
    /// Its name.
    pub name: Box<str>,
    /// Element type.
    pub ty: ScalarType,
    /// Size in bytes (structs are arrays of `.b8`).
    pub size: u32,
    /// Offset in the parameter block.
    pub offset: u32,
    /// True where the PTX marks it as a pointer (`.ptr`); older compilers don't.
    pub is_pointer: bool,
}

/// The code of a function and the shape of its frame.
#[derive(Debug)]
pub(crate) struct FunctionCode {
    pub(crate) name: Box<str>,
    /// First instruction; `None` for a declaration.
    pub(crate) start: Option<u32>,
    /// Its last instruction, an unconditional return.
    pub(crate) end: u32,
    /// Bytes of registers, constants and special registers.
    pub(crate) frame_bytes: u32,
    /// Bytes of local memory: depots, call parameters, its own parameters.
    pub(crate) local_bytes: u32,
    pub(crate) params: Vec<Home>,
    pub(crate) returns: Vec<Home>,
    /// `.local` variables of its body: number, offset and size.
    pub(crate) locals: Vec<(u32, u32, u32)>,
    /// Special registers: which, their width and slot.
    pub(crate) specials: Vec<(Special, u32, u32)>,
    /// Constants and their slots.
    pub(crate) constants: Vec<(u32, u32, Constant)>,
}

/// A value that is the same in all lanes and known at the launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Constant {
    /// A number.
    Bits(u64),
    /// The address of a module-level variable or function.
    Symbol(Box<str>, i64),
    /// The address of a shared variable declared in a function's body.
    BodyShared(Box<str>, i64),
}

/// Where a parameter is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In local memory, from the start of the frame's part.
    Local { offset: u32, size: u32 },
    /// In a register.
    Slot { slot: u32, size: u32 },
    /// In a predicate register.
    Predicate { slot: u32 },
}

impl Home {
    pub(crate) fn size(self) -> u32 {
        match self {
            Self::Local { size, .. } | Self::Slot { size, .. } => size,
            Self::Predicate { .. } => 1,
        }
    }
}

/// A call instruction's target and operands.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) callee: Callee,
    pub(crate) args: Vec<Home>,
    pub(crate) rets: Vec<Home>,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Function(u32),
    /// A function that the emulator provides.
    Builtin(Builtin),
    /// A pointer in a register.
    Indirect(u32),
    /// A name that nobody defines.
    Unknown(Box<str>),
}

/// Functions that the driver provides on a GPU, and the emulator here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Vprintf,
    AssertFail,
    Malloc,
    Free,
}

impl Builtin {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "vprintf" => Self::Vprintf,
            "__assertfail" => Self::AssertFail,
            "malloc" => Self::Malloc,
            "free" => Self::Free,
            _ => return None,
        })
    }
}

/// Why a module cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The text is no PTX.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A function is larger than the emulator takes.
    #[error("{what} is too large: {size} bytes, at most {limit} are possible")]
    TooLarge {
        /// What is too large.
        what: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
}

/// What decoding collects.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) code: Vec<Op>,
    pub(crate) events: Vec<Event>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) functions: Vec<FunctionCode>,
    pub(crate) call_sites: Vec<CallSite>,
    pub(crate) slots: Vec<u32>,
    pub(crate) branch_tables: Vec<Vec<u32>>,
    pub(crate) matrix_ops: Vec<MatrixOp>,
    pub(crate) conversions: Vec<Conversion>,
    pub(crate) videos: Vec<Video>,
}

impl Program {
    /// Reads and decodes PTX text.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        let module = warpwise_ptx::parse(ptx)?;
        let parts = crate::decode::decode(&module)?;
        Ok(Self {
            module,
            source: ptx.into(),
            lines: LineIndex::new(ptx),
            kernels: parts.kernels,
            code: parts.code,
            events: parts.events,
            origins: parts.origins,
            functions: parts.functions,
            call_sites: parts.call_sites,
            slots: parts.slots,
            branch_tables: parts.branch_tables,
            matrix_ops: parts.matrix_ops,
            conversions: parts.conversions,
            videos: parts.videos,
            analyses: Analyses::default(),
        })
    }

    /// The module as read.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The PTX text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The kernels in file order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel of that (mangled) name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| &*k.name == name)
    }

    /// The path that a `.loc` file number stands for.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.module.file(index)
    }

    /// What an analysis of the program gives, worked out when it is first asked for. There is one of each type.
    pub(crate) fn analysis<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let mut known = self.analyses.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make(self)));
        Arc::clone(found).downcast().expect("kept under its own type")
    }

    /// Function, line of the PTX text and line of the source of an instruction.
    pub(crate) fn location(&self, pc: u32) -> (Box<str>, u32, Option<SourceLine>) {
        let origin = &self.origins[pc as usize];
        let function = self.functions[origin.function as usize].name.clone();
        (function, self.lines.line_column(origin.span.start).0, origin.line)
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
            source: origin.line,
            block: [0; 3],
            thread: [0; 3],
        })
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("kernels", &self.kernels).field("instructions", &self.code.len()).finish()
    }
}

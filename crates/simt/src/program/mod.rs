//! A program: a module, decoded once into the form that is executed.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use warpwise_ptx::ast::Module;
use warpwise_ptx::{LineIndex, SyntaxError};

mod op;

pub(crate) use crate::image::{
    Builtin, CallSite, Callee, Constant, FunctionCode, Home, Kernel, KernelParameter, Origin,
};
pub(crate) use op::{Handler, Op};

use crate::image::event::{Declared, Direction, Event, Order};
use crate::image::{Conversion, Image, MatrixOp, TextureOp, Video};

/// A decoded module.
pub struct Program {
    module: Module,
    kernels: Vec<Kernel>,
    /// The code of all functions, one after the other.
    pub(crate) code: Vec<Op>,
    /// What observers hear of each instruction.
    pub(crate) events: Vec<Event>,
    pub(crate) image: Image,
    /// The text of source files, by their number.
    texts: HashMap<u32, String>,
    analyses: Analyses,
}

/// What analyses of a program gave, by type.
#[derive(Default)]
struct Analyses(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

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
    pub(crate) textures: Vec<TextureOp>,
}

impl Program {
    /// Puts together what decoding gave.
    pub(crate) fn new(ptx: &str, module: Module, parts: Parts) -> Self {
        Self {
            module,
            kernels: parts.kernels,
            code: parts.code,
            events: parts.events,
            image: Image {
                source: ptx.into(),
                lines: LineIndex::new(ptx),
                origins: parts.origins,
                functions: parts.functions,
                call_sites: parts.call_sites,
                slots: parts.slots,
                branch_tables: parts.branch_tables,
                matrix_ops: parts.matrix_ops,
                conversions: parts.conversions,
                videos: parts.videos,
                textures: parts.textures,
            },
            texts: HashMap::new(),
            analyses: Analyses::default(),
        }
    }

    /// The program with the text of the files that it was compiled from, as far as `text` knows it: by the paths in the
    /// module's line information. What PTX does not show, such as whether a barrier is in a condition or after a
    /// `return`, checks read there.
    #[must_use]
    pub fn with_files(self, text: impl Fn(&str) -> Option<String>) -> Self {
        let texts = self.module.files.iter().filter_map(|file| Some((file.index, text(&file.path)?))).collect();
        Self { texts, analyses: Analyses::default(), ..self }
    }

    /// The module as read.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The PTX text.
    pub fn source(&self) -> &str {
        &self.image.source
    }

    /// The kernels in file order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernel of that (mangled) name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| &*k.name == name)
    }

    /// Whether a kernel loads from memory what other threads may be about to write, as one that waits for a flag does.
    pub(crate) fn polls(&self, kernel: &Kernel) -> bool {
        let loads = |event: &Event| match event {
            Event::Access(a) => a.direction == Direction::Load && a.order != Order::Weak && a.space != Declared::Shared,
            _ => false,
        };
        let both = self.events.iter().zip(&self.image.origins);
        both.into_iter().any(|(event, origin)| loads(event) && kernel.reach.contains(&origin.function))
    }

    /// The path that a `.loc` file number stands for.
    pub fn file(&self, index: u32) -> Option<&str> {
        self.module.file(index)
    }

    /// The text of the file that a `.loc` file number stands for, if it is known.
    pub(crate) fn file_text(&self, index: u32) -> Option<&str> {
        self.texts.get(&index).map(String::as_str)
    }

    /// The result of an analysis of the program, computed when first requested. There is one of each type.
    pub(crate) fn analysis<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let mut known = self.analyses.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make(self)));
        Arc::clone(found).downcast().expect("kept under its own type")
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("kernels", &self.kernels).field("instructions", &self.code.len()).finish()
    }
}

//! Decoding: a module's instructions become [`Op`]s, once.
//!
//! [`lowering`] holds what every family of instructions needs: slots for registers, constants and special registers,
//! operands, modifiers. Each family is a file that turns an instruction into an `Op`, or returns `None`, which makes it
//! an instruction that fails when executed. [`flow`] finds where diverging lanes meet again, [`layout`] places shared
//! variables.

mod arithmetic;
mod asynchronous;
mod atomic;
mod bits;
mod call;
mod compare;
mod control;
mod convert;
mod event;
mod facts;
mod float;
mod flow;
mod function;
mod half;
mod headers;
mod layout;
mod load_store;
mod lookup;
mod lowering;
mod matrix;
mod modifiers;
mod movement;
mod pressure;
mod reach;
mod runtime;
mod texture;
mod usage;
mod video;
mod warp;

use warpwise_ptx::ast::{Instruction, Module};

use crate::lanes::{Level, Op};
use crate::program::{LoadError, Parts, Program};
pub(crate) use headers::is_header;
use lookup::Lookup;
use lowering::Lowering;
pub(crate) use lowering::param_offsets;
use modifiers::Modifiers;

impl Program {
    /// Reads and decodes PTX text.
    pub fn load(ptx: &str) -> Result<Self, LoadError> {
        let module = warpwise_ptx::parse(ptx)?;
        let missing = runtime::missing(&module);
        if missing.is_empty() {
            return Self::decoded(ptx, module);
        }
        // Added at the end, where no line of the text changes its number. What does not fit to the module is left out,
        // and calls of it fail when they are executed.
        let whole = format!("{}\n{missing}", ptx.trim_end_matches('\0'));
        match warpwise_ptx::parse(&whole).map_err(LoadError::from).and_then(|module| Self::decoded(&whole, module)) {
            Ok(program) => Ok(program),
            Err(_) => Self::decoded(ptx, module),
        }
    }

    /// Checks and decodes a module that was read from that text.
    fn decoded(ptx: &str, module: Module) -> Result<Self, LoadError> {
        warpwise_ptx::verify(ptx, &module)?;
        let parts = decode(&module)?;
        Ok(Self::new(ptx, module, parts))
    }
}

/// Decodes every function of a module.
fn decode(module: &Module) -> Result<Parts, LoadError> {
    let level = Level::detect();
    let lookup = Lookup::new(module);
    let mut parts = Parts::default();
    for index in 0..module.functions.len() {
        function::decode(&lookup, index, level, &mut parts)?;
    }
    parts.kernels = layout::kernels(module, &parts)?;
    Ok(parts)
}

/// Decodes one instruction; `None` when the emulator does not know it.
fn instruction(cx: &mut Lowering<'_>, i: &Instruction) -> Option<Op> {
    let m = Modifiers::new(&i.modifiers);
    match &*i.opcode {
        "add" | "sub" | "mul" | "mad" | "fma" | "div" | "rem" | "abs" | "neg" | "min" | "max" | "sad" | "mul24"
        | "mad24" | "addc" | "subc" | "madc" | "dp4a" | "dp2a" | "sqrt" | "rcp" | "rsqrt" | "sin" | "cos" | "ex2"
        | "lg2" | "tanh" | "copysign" | "testp" => arithmetic::decode(cx, i, &m),
        "and" | "or" | "xor" | "not" | "cnot" | "lop3" | "shl" | "shr" | "shf" | "prmt" | "popc" | "clz" | "bfind"
        | "fns" | "brev" | "bfe" | "bfi" | "bmsk" | "szext" => bits::decode(cx, i, &m),
        "set" | "setp" | "selp" | "slct" => compare::decode(cx, i, &m),
        "mov" | "cvta" | "isspacep" | "mapa" | "getctarank" => movement::decode(cx, i, &m),
        "cvt" => convert::decode(cx, i, &m),
        "ld" | "ldu" | "st" | "prefetch" | "prefetchu" | "discard" | "applypriority" | "createpolicy" => {
            load_store::decode(cx, i, &m)
        }
        "cp" if m.has("bulk") || m.has("mbarrier") => asynchronous::decode(cx, i, &m),
        "cp" => load_store::decode_copy(cx, i, &m),
        "mbarrier" | "wgmma" => asynchronous::decode(cx, i, &m),
        "atom" | "red" => atomic::decode(cx, i, &m),
        "bra" | "brx" | "ret" | "exit" | "trap" | "brkpt" | "nanosleep" | "membar" | "fence" | "bar" | "barrier"
        | "pmevent" | "setmaxnreg" | "griddepcontrol" => control::decode(cx, i, &m),
        "call" => call::decode(cx, i),
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" => warp::decode(cx, i, &m),
        "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => matrix::decode(cx, i, &m),
        "tex" | "tld4" | "suld" | "sust" | "txq" | "suq" => texture::decode(cx, i, &m),
        name if name.starts_with('v') => video::decode(cx, i, &m),
        _ => None,
    }
}

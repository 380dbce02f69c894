//! The typed module: the contents of a PTX file, with every name resolved and every piece carrying its [`Span`].
//!
//! The rules of this representation:
//!
//! - **Names are resolved by scope.** PTX scopes registers, labels and `.param` variables by braces, and compilers
//!   use that (each call sequence declares its own `param0`). After reading, a register, label or body variable is
//!   an index into its function's [`Body`]; only module-level names (other functions, `.global`, `.const` and
//!   `.shared` variables) stay names, because they may be declared later in the file.
//! - **Registers exist when used.** `.reg .b32 %r<1000000>;` costs nothing: a [`Register`] is made at its first use.
//! - **Instructions are kept as written**: opcode, dotted modifiers, operands. Their meaning is left to the executor,
//!   so an unknown instruction is not an error here.
//! - **Every instruction knows its source line**, from the nearest `.loc` before it.

mod function;
mod instruction;
mod module;
mod opcode;
mod operand;
mod scalar;
mod variable;

pub use function::{
    Body, BranchTargets, Function, FunctionKind, Label, LabelId, LaunchBounds, Parameter, Prototype, Register,
    RegisterId,
};
pub use instruction::{Guard, Instruction, SourceLine};
pub use module::{Alias, Module, SourceFile, Target};
pub use opcode::Opcode;
pub use operand::{Address, AddressBase, Operand, Symbol};
pub use scalar::ScalarType;
pub use variable::{Initializer, Linkage, Space, Variable};

/// A byte range of the PTX text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

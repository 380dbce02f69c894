//! Reads PTX, the text that NVIDIA's compilers write for their GPUs, into a typed [`Module`](ast::Module).
//!
//! ```
//! use warpwise_ptx::ast::Operand;
//!
//! let module = warpwise_ptx::parse(
//!     ".version 8.0
//!      .target sm_80
//!      .address_size 64
//!      .visible .entry store(.param .u64 out)
//!      {
//!          .reg .b64 %rd<2>;
//!          .reg .b32 %r<2>;
//!          ld.param.u64 %rd1, [out];
//!          mov.u32 %r1, %tid.x;
//!          st.global.u32 [%rd1+4], %r1;
//!          ret;
//!      }",
//! )?;
//! let kernel = module.function("store").expect("it is there");
//! let body = kernel.body.as_ref().expect("it is defined");
//! assert_eq!(body.instructions.len(), 4);
//! assert_eq!(&*body.instructions[1].opcode, "mov");
//! assert_eq!(body.instructions[1].operands[1], Operand::Special("tid.x".into()));
//!
//! let error = warpwise_ptx::parse(".entry k { mov.b32 %r1, 5; }").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "line 1, column 20: register '%r1' is not declared
//!     .entry k { mov.b32 %r1, 5; }
//!                        ^"
//! );
//! # Ok::<(), warpwise_ptx::SyntaxError>(())
//! ```
//!
//! # What is read
//!
//! Everything that nvcc and NVRTC 12 and 13 write for sm_50 and later, with or without `-G`, `-lineinfo` and
//! relocatable code, and what people put into inline assembly:
//!
//! - **Module level.** `.version`, `.target`, `.address_size`; `.entry` and `.func` with `.visible`, `.extern`,
//!   `.weak` and `.common`, declared or defined; variables in every state space with their attributes; `.alias`;
//!   `.file`. Pragmas, `.section` blocks and `@@DWARF` lines are debug information or hints: they are checked for
//!   their shape and dropped.
//! - **Headers.** Parameters in `.param` space or, as older code has them, in registers; `.ptr` attributes; launch
//!   bounds; `.noreturn`. Unknown directives are taken for hints, together with their numbers.
//! - **Initial contents.** Numbers, lists nested as the variable's dimensions are, and addresses: `name+4`, `generic(name)+4`,
//!   and bytes of them, `0xFF00(name)`.
//! - **Bodies.** `.reg` (numbered sets and vectors too), variables, nested scopes, labels, `.loc`, `.branchtargets`,
//!   `.callprototype`, `.calltargets` (read and dropped), and instructions.
//! - **Constants.** Decimal, hexadecimal, octal and binary integers, `0f` and `0d` bits, decimal fractions,
//!   `WARP_SZ`, and expressions of them with C's operators and precedence.
//!
//! [`parse`] keeps instructions as they are written. [`verify()`] checks them, as NVIDIA's assembler does: modifiers,
//! operands and their types, calls, declarations. An opcode that it does not know may be one of a later ISA: it passes,
//! and the executor refuses it if it is reached. [`link()`] makes one module of several.
//!
//! Left out, because no compiler writes them: arrays indexed in an operand (`a[1]`), variables other than registers
//! declared as numbered sets (`.shared .b32 s<4>`), and the preprocessor.
//!
//! # The rules of the module
//!
//! - **Names are resolved.** A register, label, parameter or variable of the body is an index. The same name in two
//!   scopes is two indices, inner hides outer, and a label may be used before it is defined. `%r<3>` in an inner
//!   scope hides `%r0` to `%r2` of an outer `%r<100>`, and no more.
//! - **Names of the module stay names**, since they may be declared later in the file or in another one. A plain
//!   name that nothing declares is taken for one, and only [`verify()`] refuses it. A register that nothing declares is
//!   an error, and so is the target of a `bra`.
//! - **Registers exist when used.** They are listed in order of first use; those that are parameters come first,
//!   return values before arguments.
//! - **A vector register is its elements.** `v.x` (or `v.r`) is a register of its own, and `v` alone stands for the
//!   vector of them all.
//! - **Scopes are gone.** The body is one list of instructions; a label is an index into it.
//! - **A function is listed once**, at its first appearance and, if it is defined anywhere, as defined. The same
//!   goes for a variable that is `.extern` first.
//! - **Lines** come from the nearest `.loc` before an instruction in its function. For inlined code that is the line
//!   in the function that was inlined; where it was called is kept beside it.
//! - **Incomplete rows of nested initialisers are filled with zeros**, as the ISA says and C does. (`ptxas` 12.9 packs
//!   the values of all rows instead.)
//!
//! # Hostile text
//!
//! Reading takes time and memory proportional to the text, whatever it says: sizes and register counts are only
//! numbers, nesting has limits, and no input makes the reader panic. Texts of 4 GiB and more are refused.

pub mod ast;
mod error;
mod lexer;
mod lines;
mod link;
mod number;
mod parser;
mod special;
mod token;
mod verify;

pub use error::SyntaxError;
pub use lines::LineIndex;
pub use link::{LinkError, Undefined, link};
pub use verify::verify;

/// Reads a PTX module.
///
/// Zero bytes at the end, which NVRTC counts into the size of its output, and a byte-order mark are ignored.
///
/// # Errors
///
/// The first place where the text is not PTX, with its line and column.
pub fn parse(source: &str) -> Result<ast::Module, SyntaxError> {
    parser::parse(source).map_err(|fault| fault.locate(source))
}

//! Element-wise expressions, fused into every primitive.
//!
//! An [`Expression`] is built in Rust from [`x`], [`y`] and numbers, or parsed from a string. With its inputs it is a
//! [`Mapped`], which any primitive takes in place of elements: [`map`](crate::map) writes what it gives,
//! [`reduce`](crate::reduce) combines it without ever writing it.
//!
//! ```
//! use warpwise::expression::{Expression, x};
//! use warpwise::{Device, reduce};
//!
//! let (device, xs) = (Device::best(), [1.0_f32, 2.0, 3.0, 6.0]);
//! let mean = reduce::sum(&device, &xs)? / xs.len() as f32;
//! let deviation = (x() - mean) * (x() - mean);
//! assert_eq!(reduce::sum::<f32>(&device, &deviation.of(&xs)?)? / xs.len() as f32, 3.5);
//!
//! let same: Expression = "(x - mean)**2".parse()?;
//! assert_eq!(reduce::sum::<f32>(&device, &same.with("mean", mean).of(&xs)?)? / xs.len() as f32, 3.5);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # What can be written
//!
//! | | |
//! |---|---|
//! | values | `x`, `y`, numbers, `pi`, `inf`, `nan`, names that [`Expression::with`] gives a value |
//! | arithmetic | `a + b`, `a - b`, `a * b`, `a / b`, `a // b`, `a % b`, `a ** 2`, `-a` |
//! | comparisons | `a < b`, `a <= b`, `a > b`, `a >= b`, `a == b`, `a != b` |
//! | of bools and integers | `a & b`, `a \| b`, `a ^ b`, `~a` |
//! | functions | `min(a, b)`, `max(a, b)`, `abs(a)`, `sqrt(a)`, `exp(a)`, `log(a)`, `floor(a)`, `where(c, a, b)` |
//! | types | `u8(a)`, `i32(a)`, `u32(a)`, `i64(a)`, `u64(a)`, `f32(a)`, `f64(a)`, `bool(a)` |
//!
//! # Types
//!
//! They are NumPy's. Two values meet in the smallest type that has all values of both, or in `f64` if there is none. A
//! number takes the type of what it meets, or `f64` if it has a point and meets an integer. `/` of integers, and `sqrt`,
//! `exp` and `log` of them, are `f64`. `//` is rounded down and `%` has the sign of the divisor; for integers, both are 0
//! if the divisor is. Integers wrap. An exponent is a whole number or 0.5, and a power is made of multiplications. A
//! comparison is a `bool`, which is a byte in memory, 0 or 1.
//!
//! # The same everywhere
//!
//! Every operation is rounded once, nothing is fused or reordered, and `exp` and `log` are this library's own, within 2
//! units in the last place. So an expression has the same bits on every device.

mod blocks;
mod check;
mod constant;
pub(crate) mod cpu;
mod fold;
pub(crate) mod gpu;
mod kind;
mod lex;
mod mapped;
mod math;
mod operators;
mod parse;
#[cfg(test)]
mod plain;
mod program;
mod ptx;
#[cfg(test)]
mod tests;
mod tree;

pub use fold::{Fold, Folded, Scanned};
pub use mapped::{Mapped, Operand};
pub use operators::{select, x, y};
pub use tree::Expression;

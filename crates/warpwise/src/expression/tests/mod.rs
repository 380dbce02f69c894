//! Expressions against a plain evaluation, and what is said about those that cannot be evaluated.

mod fused;
mod one_pass;
mod random;
mod text;
mod types;

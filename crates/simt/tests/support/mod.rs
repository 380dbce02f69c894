//! The format of the micro-PTX files: PTX text whose comments state a launch and its outcome.

pub(crate) mod argument;
pub(crate) mod case;
pub(crate) mod values;

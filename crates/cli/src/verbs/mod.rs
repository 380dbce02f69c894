//! One file a verb.

pub(crate) mod doctor;
pub(crate) mod run;

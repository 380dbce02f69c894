//! One file a verb.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod devices;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod heat;
pub(crate) mod histogram;
pub(crate) mod list;
pub(crate) mod matmul;
pub(crate) mod radiator;
pub(crate) mod reduce;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod selftest;
pub(crate) mod smooth;
pub(crate) mod sweep;
pub(crate) mod tour;

//! Checks: what is wrong with a kernel that runs nevertheless.
//!
//! A [`Check`] looks for one kind of mistake. The checks of a launch run together in a [`Checker`], which determines
//! once what each instruction touches. The list below is the only place that names them all: a new check is a file with
//! a type and its entry, and a line in the list.

mod access;
mod arrival;
mod brought;
mod check;
mod checker;
mod copies;
mod findings;
mod kind;
mod names;
mod past;
mod places;
mod plan;
mod repeats;
mod runs;
mod scene;
mod set;
mod suite;
mod words;

mod idle_barriers;
mod init;
mod memory;
mod races;
mod sync;

suite! {
    races: races::Races<'p>,
    memory: memory::Memory<'p>,
    init: init::Init<'p>,
    sync: sync::Sync<'p>,
    idle_barriers: idle_barriers::IdleBarriers,
}

pub use check::CheckEntry;
pub(crate) use checker::{Checker, Stage, conclude};
pub use names::plain_name;
pub(crate) use past::past_the_end;
pub use set::{Checks, UnknownCheck};

use crate::image::event::{Event, Order, Scope};
use crate::warp::{BlockState, ClusterState, Warp};
use arrival::Arrival;
use brought::Brought;
use check::Check;
use kind::Kind;
use plan::Plan;
use runs::Run;
use scene::{At, Scene};
use suite::suite;

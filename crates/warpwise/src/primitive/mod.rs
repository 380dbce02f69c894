//! How a primitive describes itself.
//!
//! Every primitive's folder has one [`Primitive`]: a value that holds everything there is to know about it, from its
//! name and its ladder to how test data is made, how any rung is run on any device, and what the result is compared
//! with. [`PRIMITIVES`] lists them. `warpwise list`, `bench`, `sweep`, `check`, `explain`, `selftest`, `tour` and the
//! page are made from this list, so a new primitive needs only its folder and one line.
//!
//! - [`Variant`] is a rung of the ladder; [`Takes`] says which launch geometry it accepts.
//! - [`Type`] names an element type, [`Extents`] the shape of the data, [`Parameter`] a choice that the primitive
//!   offers.
//! - A [`Problem`] is one task for all rungs; a [`Case`] is that task with its operands and the reference's result; a
//!   [`Job`] is the work of one rung.
//! - [`Work`] declares what any implementation must move and compute; rates are that divided by the time.

mod case;
mod choices;
mod cost;
mod data;
mod definition;
mod expected;
mod extent;
mod geometry;
mod list;
mod parameter;
mod problem;
mod rung;
mod types;
mod variant;

pub use case::{Case, Job, Runner, Step};
pub(crate) use case::{Loops, Timed, of_vector};
pub(crate) use choices::choices;
pub use cost::{Cost, Work};
pub use data::Data;
pub use definition::Primitive;
pub(crate) use expected::Expected;
pub use extent::{Extent, Extents, count};
pub use geometry::{Geometry, Takes};
pub use list::{PRIMITIVES, find};
pub use parameter::{Choice, Parameter, Setting, Settings};
pub use problem::Problem;
pub(crate) use rung::{position, rungs};
pub use types::Type;
pub(crate) use types::of_type;
pub use variant::{Free, RunsOn, Variant, why_free};

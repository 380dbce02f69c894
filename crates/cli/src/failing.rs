//! `--fail-on`: which findings make a verb end with status 1.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use warpwise_lab::FailOn;

/// Parses `--fail-on`.
pub(crate) fn parser() -> impl TypedValueParser<Value = FailOn> {
    let values = FailOn::ALL.map(|one| PossibleValue::new(one.name()).help(one.words()));
    PossibleValuesParser::new(values).map(|name| FailOn::named(&name).expect("clap accepts only names that exist"))
}

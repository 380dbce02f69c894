//! A formula for the numbers that a verb reads: `--map` and `--let`.

use warpwise_lab::applications::{Formula, parse_let};

/// What is made of every number first.
#[derive(clap::Args)]
pub(crate) struct Mapping {
    /// A formula for every number x first, such as '(x - 3.5)**2': see `warpwise map`
    #[arg(long, value_name = "EXPRESSION")]
    map: Option<String>,
    /// The value of a name in the formula
    #[arg(long = "let", value_name = "NAME=VALUE", value_parser = parse_let, requires = "map")]
    values: Vec<(String, f64)>,
}

impl Mapping {
    /// The formula for the laboratory.
    pub(crate) fn formula(self) -> Option<Formula> {
        let values = self.values;
        self.map.map(|text| Formula { text, values })
    }
}

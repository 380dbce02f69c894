//! How a file of numbers is read: `--raw` and `--memory`.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use warpwise::primitive::Type;
use warpwise_lab::applications::Reading;
use warpwise_lab::kernels::run::parse_count;

/// How a file is read.
#[derive(clap::Args)]
pub(crate) struct Input {
    /// The file holds nothing but little-endian numbers of this type
    #[arg(long, value_name = "TYPE", value_parser = types())]
    raw: Option<Type>,
    /// Bytes of memory for the numbers, such as 2^30; larger files are read in windows [default: a quarter of the
    /// machine's]
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, allow_hyphen_values = true)]
    memory: Option<u64>,
}

impl Input {
    /// The same for the laboratory.
    pub(crate) fn reading(&self) -> Reading {
        Reading { raw: self.raw, memory: self.memory }
    }
}

fn types() -> impl TypedValueParser<Value = Type> {
    PossibleValuesParser::new(Type::ALL.map(Type::name))
        .map(|name| Type::parse(&name).expect("it is one of the values"))
}

/// A number of bytes.
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    match parse_count(text)? {
        0 => Err("give a number of bytes above 0, such as 2^33".to_owned()),
        bytes => Ok(bytes),
    }
}

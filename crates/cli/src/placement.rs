//! Where things run: `--device`, and the flags that all applications share.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use warpwise_lab::Place;
use warpwise_lab::applications::{Setup, Verify};

/// Where and how to compute.
#[derive(clap::Args)]
pub(crate) struct Placement {
    /// Where to compute
    #[arg(long, value_parser = places(alone, &[]), default_value = "auto")]
    device: Place,
    /// The variant to use, as shown by `warpwise list` [default: the best one for the device]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Compare the result with the reference, however long that takes [default: if it takes less than a second]
    #[arg(long, conflicts_with = "no_verify")]
    verify: bool,
    /// Do not compare the result with the reference
    #[arg(long)]
    no_verify: bool,
}

impl Placement {
    /// The setup for the laboratory.
    pub(crate) fn setup(self) -> Setup {
        let verify = match (self.verify, self.no_verify) {
            (true, _) => Verify::Always,
            (_, true) => Verify::Never,
            _ => Verify::Small,
        };
        Setup { place: self.device, variant: self.variant, verify }
    }
}

/// Parses `--device` of a verb that accepts these places. If a place means something special to the verb, `words`
/// replaces its description.
pub(crate) fn places(
    taken: fn(Place) -> bool,
    special: &[(Place, &'static str)],
) -> impl TypedValueParser<Value = Place> {
    let words = |place: Place| special.iter().find(|(at, _)| *at == place).map_or(place.words(), |(_, words)| words);
    let taken = Place::ALL.iter().filter(|&&place| taken(place));
    let values = taken.map(|&place| PossibleValue::new(place.name()).help(words(place)));
    PossibleValuesParser::new(values).map(|name| Place::named(&name).expect("it is one of the values"))
}

/// The places that are a single device: primitives run there.
pub(crate) fn alone(place: Place) -> bool {
    place != Place::Both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_takes_its_places_in_its_words() {
        let shown = |taken: fn(Place) -> bool, special: &[(Place, &'static str)]| -> Vec<String> {
            let parser = places(taken, special);
            let values = parser.possible_values().expect("they are listed");
            values.map(|value| format!("{}: {}", value.get_name(), value.get_help().expect("each has words"))).collect()
        };
        let primitives = shown(alone, &[]);
        assert_eq!(primitives.len(), Place::ALL.len() - 1);
        assert_eq!(primitives[1], "cpu: The cores of this machine");
        let own = shown(|place| place != Place::Cpu, &[(Place::Emulator, "as it is")]);
        assert_eq!(own[1..3], ["emulator: as it is", "cuda: An NVIDIA GPU"]);
    }
}

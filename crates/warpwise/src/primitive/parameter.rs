//! Parameters: choices that a primitive offers besides its type and size.

/// The value of a parameter.
///
/// ```
/// use warpwise::primitive::Setting;
///
/// assert_eq!(Setting::Number(256).to_string(), "256");
/// assert_eq!(Setting::Word("sum").to_string(), "sum");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Setting {
    /// A whole number.
    Number(u64),
    /// One of several words.
    Word(&'static str),
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

/// The values that a parameter can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Whole numbers from the first to the second.
    Numbers(u64, u64),
    /// One of these words.
    Words(&'static [&'static str]),
}

/// A choice that a primitive offers.
///
/// ```
/// let histogram = warpwise::primitive::find("histogram")?;
/// let bins = histogram.parameter("bins").expect("it has bins");
/// assert!(bins.parse("0").unwrap_err().contains("1 to 1048576"));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Its name, which is also the flag's: `bins` for `--bins`.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The values it can have.
    pub choice: Choice,
    /// Its default.
    pub default: Setting,
    /// Its default when a rung is watched on the emulator.
    pub watched: Setting,
    /// Whether results name it only if it is not the default and a GPU computes.
    pub quiet: bool,
}

impl Parameter {
    /// Steps of a simulation.
    pub(crate) const ITERATIONS: Self = Self {
        name: "iterations",
        about: "steps of the simulation",
        choice: Choice::Numbers(1, u64::MAX),
        default: Setting::Number(10),
        // Enough to see that a launch is repeated.
        watched: Setting::Number(2),
        quiet: false,
    };

    /// Reads a value; an error says what would be valid.
    ///
    /// ```
    /// use warpwise::primitive::{Setting, find};
    ///
    /// let op = find("scan")?.parameter("op").expect("it has one");
    /// assert_eq!(op.parse("max"), Ok(Setting::Word("max")));
    /// assert!(op.parse("mean").unwrap_err().starts_with("there is no mean: use one of sum"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn parse(&self, text: &str) -> Result<Setting, String> {
        match self.choice {
            Choice::Words(words) => {
                let word = words.iter().find(|word| **word == text);
                word.map(|word| Setting::Word(word))
                    .ok_or_else(|| format!("there is no {text}: use one of {}", words.join(", ")))
            }
            Choice::Numbers(..) => {
                let number = text.parse().map_err(|_| format!("`{text}` is not a whole number"))?;
                self.check(Setting::Number(number)).map(|()| Setting::Number(number))
            }
        }
    }

    /// Checks that a value is valid; an error says what would be.
    ///
    /// ```
    /// use warpwise::primitive::{Setting, find};
    ///
    /// let iterations = find("heat")?.parameter("iterations").expect("it has some");
    /// assert!(iterations.check(Setting::Number(10)).is_ok());
    /// assert_eq!(iterations.check(Setting::Number(0)).unwrap_err(), "0 is too few: use at least 1");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn check(&self, setting: Setting) -> Result<(), String> {
        match (self.choice, setting) {
            (Choice::Numbers(least, u64::MAX), Setting::Number(n)) if n < least => {
                Err(format!("{n} is too few: use at least {least}"))
            }
            (Choice::Numbers(least, most), Setting::Number(n)) if !(least..=most).contains(&n) => {
                Err(format!("{n} {} are out of range: ask for {least} to {most}", self.name))
            }
            (Choice::Words(words), Setting::Word(word)) if !words.contains(&word) => {
                Err(format!("there is no {word}: use one of {}", words.join(", ")))
            }
            (Choice::Numbers(..), Setting::Word(word)) => Err(format!("`{word}` is not a whole number")),
            (Choice::Words(words), Setting::Number(n)) => {
                Err(format!("there is no {n}: use one of {}", words.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

/// Chosen values, by the names of their parameters. A primitive reads those it offers.
///
/// ```
/// use warpwise::primitive::{Setting, Settings};
///
/// let settings = Settings::default().with("bins", Setting::Number(64));
/// assert_eq!(settings.get("bins"), Some(Setting::Number(64)));
/// assert_eq!(settings.get("op"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    chosen: Vec<(&'static str, Setting)>,
}

impl Settings {
    /// The same with another value; the last value of a name counts.
    ///
    /// ```
    /// use warpwise::primitive::{Setting, Settings};
    ///
    /// let both = Settings::default().with("op", Setting::Word("sum")).with("op", Setting::Word("max"));
    /// assert_eq!(both.get("op"), Some(Setting::Word("max")));
    /// ```
    #[must_use]
    pub fn with(mut self, name: &'static str, setting: Setting) -> Self {
        self.chosen.retain(|(known, _)| *known != name);
        self.chosen.push((name, setting));
        self
    }

    /// The value of a parameter, if one was chosen.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Settings::default().get("bins"), None);
    /// ```
    pub fn get(&self, name: &str) -> Option<Setting> {
        self.chosen.iter().find(|(known, _)| *known == name).map(|(_, setting)| *setting)
    }
}

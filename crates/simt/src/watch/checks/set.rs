//! Which checks are on.

use std::fmt;
use std::str::FromStr;

use super::{CHECKS, CheckEntry};
use crate::program::Program;

/// A set of [`CHECKS`]. The default is none of them.
///
/// ```
/// use warpwise_simt::Checks;
///
/// let checks: Checks = "races,sync".parse()?;
/// assert!(checks.has("races") && !checks.has("memory"));
/// assert_eq!(checks.names(), ["races", "sync"]);
/// assert_eq!("all".parse(), Ok(Checks::ALL));
/// assert!("spelling".parse::<Checks>().unwrap_err().to_string().contains("races"));
/// # Ok::<(), warpwise_simt::UnknownCheck>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Checks(u32);

/// A name that no check has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no check; write all, none, or some of {}", names(CHECKS.iter()).join(","))]
pub struct UnknownCheck {
    /// The name.
    pub name: String,
}

impl Checks {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All except those for special purposes; see [`CheckEntry::in_all`].
    pub const ALL: Self = {
        let (mut bits, mut at) = (0, 0);
        while at < CHECKS.len() {
            bits |= (CHECKS[at].in_all as u32) << at;
            at += 1;
        }
        Self(bits)
    };

    /// Whether any check is on.
    pub fn any(self) -> bool {
        self != Self::NONE
    }

    /// Whether the check of that name is on.
    pub fn has(self, name: &str) -> bool {
        self.entries().any(|check| check.name == name)
    }

    /// The set with the check of that name added.
    pub fn with(self, name: &str) -> Result<Self, UnknownCheck> {
        match CHECKS.iter().position(|check| check.name == name) {
            Some(at) => Ok(Self(self.0 | 1 << at)),
            None => Err(UnknownCheck { name: name.to_owned() }),
        }
    }

    /// Those that are on, in the order of the list.
    pub fn entries(self) -> impl Iterator<Item = &'static CheckEntry> {
        CHECKS.iter().enumerate().filter(move |(at, _)| self.0 >> at & 1 == 1).map(|(_, check)| check)
    }

    /// Their names.
    pub fn names(self) -> Vec<&'static str> {
        names(self.entries())
    }

    /// Whether a kernel must run on one host thread to be checked.
    pub(crate) fn is_sequential(self, program: &Program, entry: u32) -> bool {
        self.entries().any(|check| (check.is_sequential)(program, entry))
    }

    /// Whether a check tracks writes to global memory.
    pub(crate) fn follows_writes(self) -> bool {
        self.entries().any(|check| check.follows_writes)
    }
}

fn names(checks: impl Iterator<Item = &'static CheckEntry>) -> Vec<&'static str> {
    checks.map(|check| check.name).collect()
}

impl FromStr for Checks {
    type Err = UnknownCheck;

    /// Reads `none`, or a list such as `races,sync`, in which `all` stands for those of [`Checks::ALL`].
    fn from_str(text: &str) -> Result<Self, UnknownCheck> {
        if text.trim() == "none" {
            return Ok(Self::NONE);
        }
        text.split(',').map(str::trim).try_fold(Self::NONE, |checks, name| match name {
            "all" => Ok(Self(checks.0 | Self::ALL.0)),
            name => checks.with(name),
        })
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checks({})", self.names().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_of_their_own() {
        for (at, check) in CHECKS.iter().enumerate() {
            assert!(CHECKS[..at].iter().all(|other| other.name != check.name), "{}", check.name);
            assert!(check.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", check.name);
            assert!(!["all", "none"].contains(&check.name) && !check.about.is_empty(), "{}", check.name);
            assert_eq!(check.name.parse().map(Checks::names), Ok(vec![check.name]));
        }
        assert!(CHECKS.len() <= 32);
    }

    #[test]
    fn all_is_what_it_has_always_been() {
        assert_eq!(Checks::ALL.names(), ["races", "memory", "init", "sync"]);
        assert!(!Checks::default().any());
    }
}

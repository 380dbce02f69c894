//! Which mistakes to look for, as written on the command line.

use warpwise_simt::Checks;

/// Reads `all`, `none`, or a list such as `races,sync`.
///
/// ```
/// use warpwise_lab::{checks_named, parse_checks};
///
/// let checks = parse_checks("races,sync")?;
/// assert!(checks.has("races") && checks.has("sync") && !checks.has("memory"));
/// assert_eq!(checks_named(checks), ["races", "sync"]);
/// assert!(parse_checks("spelling").unwrap_err().contains("races"));
/// # Ok::<(), String>(())
/// ```
pub fn parse_checks(text: &str) -> Result<Checks, String> {
    text.parse().map_err(|unknown: warpwise_simt::UnknownCheck| unknown.to_string())
}

/// The names of the checks that are on.
pub fn checks_named(checks: Checks) -> Vec<&'static str> {
    checks.names()
}

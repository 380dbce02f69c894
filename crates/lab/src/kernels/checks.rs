//! Which mistakes to look for, as the command line says it.

use warpwise_simt::Checks;

const KINDS: [&str; 4] = ["races", "memory", "init", "sync"];

/// Reads `all`, `none`, or a list such as `races,sync`.
///
/// ```
/// use warpwise_lab::{checks_named, parse_checks};
///
/// let checks = parse_checks("races,sync")?;
/// assert!(checks.races && checks.sync && !checks.memory);
/// assert_eq!(checks_named(checks), ["races", "sync"]);
/// assert!(parse_checks("spelling").unwrap_err().contains("races"));
/// # Ok::<(), String>(())
/// ```
pub fn parse_checks(text: &str) -> Result<Checks, String> {
    match text.trim() {
        "all" => return Ok(Checks::ALL),
        "none" => return Ok(Checks::NONE),
        _ => {}
    }
    let mut checks = Checks::NONE;
    for name in text.split(',') {
        match name.trim() {
            "races" => checks.races = true,
            "memory" => checks.memory = true,
            "init" => checks.init = true,
            "sync" => checks.sync = true,
            other => {
                return Err(format!("`{other}` is no check; write all, none, or some of {}", KINDS.join(",")));
            }
        }
    }
    Ok(checks)
}

/// The names of the checks that are on.
pub fn checks_named(checks: Checks) -> Vec<&'static str> {
    let on = [checks.races, checks.memory, checks.init, checks.sync];
    KINDS.into_iter().zip(on).filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

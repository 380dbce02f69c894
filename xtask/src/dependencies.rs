//! `cargo xtask dependencies`: licences and known vulnerabilities of what the workspace depends on.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Licences are checked here, against the list in `deny.toml`; advisories by cargo-deny, if it is installed, because
/// they come from a database that changes every day.
pub(crate) fn check() -> Result<()> {
    let rules = std::fs::read_to_string("deny.toml").context("deny.toml is missing: run this in the repository")?;
    let allowed = allowed(&rules);
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let out = Command::new(&cargo).args(["metadata", "--format-version", "1", "--locked"]).output()?;
    if !out.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&out.stderr));
    }
    let metadata: Value = serde_json::from_slice(&out.stdout)?;
    let packages = metadata["packages"].as_array().context("no packages in cargo's answer")?;
    for package in packages {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        if !permits(licence, &allowed) {
            bail!("{name} is under {licence}, which deny.toml does not allow");
        }
    }
    eprintln!("licences of {} packages are allowed", packages.len());
    if Command::new(&cargo).args(["deny", "--version"]).output().is_ok_and(|out| out.status.success()) {
        let status = Command::new(&cargo).args(["deny", "check", "advisories", "bans", "sources"]).status()?;
        if !status.success() {
            bail!("cargo deny found something");
        }
    } else {
        eprintln!("advisories were not checked: cargo-deny is not installed (cargo install cargo-deny)");
    }
    Ok(())
}

/// The strings of the list `allow` in the section on licences.
fn allowed(rules: &str) -> Vec<&str> {
    let list = rules.split("[licenses]").nth(1).and_then(|rest| rest.split("allow = [").nth(1));
    let list = list.and_then(|rest| rest.split(']').next()).unwrap_or("");
    list.split('"').skip(1).step_by(2).collect()
}

/// Whether the list permits the licence expression: one of its alternatives, with all licences joined in it.
fn permits(expression: &str, allowed: &[&str]) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|licence| allowed.contains(&licence.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Unicode-3.0"];
        for good in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
            assert!(permits(good, &allowed), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "none"] {
            assert!(!permits(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn the_list_is_read() {
        assert_eq!(allowed("[licenses]\nallow = [\n \"MIT\",\n \"Zlib\",\n]\n"), ["MIT", "Zlib"]);
    }
}

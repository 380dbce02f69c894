//! Checks that something fits in memory before it is allocated.
//!
//! Linux hands out more memory than it has and kills the program that uses it; by then it is too late for an error.

/// More memory than is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} are needed and {} are free: use a smaller size", size(*.wanted), size(u128::from(*.free)))]
pub struct NotEnough {
    /// Bytes needed.
    pub wanted: u128,
    /// Bytes that are free.
    pub free: u64,
}

/// Checks that a product of sizes fits in free memory.
pub(crate) fn check(factors: &[usize]) -> Result<(), NotEnough> {
    let wanted = factors.iter().fold(1_u128, |product, &f| product.saturating_mul(f as u128));
    let free = free();
    if wanted > u128::from(free) { Err(NotEnough { wanted, free }) } else { Ok(()) }
}

/// Bytes that are available; if unknown, all that can be addressed.
pub(crate) fn free() -> u64 {
    entry("MemAvailable:")
}

/// Bytes that the machine has; if unknown, all that can be addressed.
pub(crate) fn total() -> u64 {
    entry("MemTotal:")
}

fn entry(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|rest| rest.trim().strip_suffix("kB")).and_then(|n| n.trim().parse::<u64>().ok());
    kibibytes.map_or(isize::MAX as u64, |n| n.saturating_mul(1024))
}

/// `3.2 GiB`.
pub(crate) fn size(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    #[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let digits = usize::from(unit > 0 && value < 1e6);
    format!("{value:.digits$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_and_what_does_not() {
        assert_eq!(check(&[1024, 8]), Ok(()));
        assert!(check(&[0, usize::MAX]).is_ok());
        let error = check(&[usize::MAX, usize::MAX, 8]).unwrap_err().to_string();
        assert!(error.contains("use a smaller size"), "{error}");
        assert_eq!(size(17), "17 bytes");
        assert_eq!(size(3 << 29), "1.5 GiB");
    }
}

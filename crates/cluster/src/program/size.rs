//! Sizes as people write them.

/// `4096`, `2^24`, `1e6`.
pub(super) fn count(text: &str) -> Result<usize, String> {
    let bad = || format!("{text} is not a number: write it like 4096, 2^24 or 1e6");
    if let Some((base, power)) = text.split_once('^') {
        let (base, power): (usize, u32) = (base.parse().map_err(|_| bad())?, power.parse().map_err(|_| bad())?);
        return base.checked_pow(power).ok_or_else(|| format!("{text} is too large"));
    }
    if let Some((digits, zeros)) = text.split_once(['e', 'E']) {
        let (digits, zeros): (usize, u32) = (digits.parse().map_err(|_| bad())?, zeros.parse().map_err(|_| bad())?);
        let factor = 10_usize.checked_pow(zeros);
        return factor.and_then(|f| digits.checked_mul(f)).ok_or_else(|| format!("{text} is too large"));
    }
    text.parse().map_err(|_| bad())
}

/// `ROWSxCOLUMNS`.
pub(super) fn plane(text: &str) -> Result<(usize, usize), String> {
    let bad = || format!("{text} is not a size: write it like 4096x4096");
    let (rows, columns) = text.split_once('x').ok_or_else(bad)?;
    let size = (count(rows)?, count(columns)?);
    size.0.checked_mul(size.1).and_then(|n| n.checked_mul(64)).ok_or_else(|| format!("{text} is too large"))?;
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!((count("4096"), count("2^24"), count("3e6")), (Ok(4096), Ok(1 << 24), Ok(3_000_000)));
        assert_eq!(plane("100x2^3"), Ok((100, 8)));
        for wrong in ["", "x", "-1", "2^", "1.5", "2^99", "9e30"] {
            assert!(count(wrong).is_err(), "{wrong}");
        }
        assert!(plane("100").unwrap_err().contains("4096x4096"));
        assert!(plane("2^40x2^40").unwrap_err().contains("too large"));
    }
}

//! Lists of sizes as people type them.

use crate::kernels::run::parse_count;

/// Maximum number of sizes in a list.
const MOST: usize = 1000;

/// Reads a list of lengths: `2^24`, `1000,4000`, `2^10..2^28` (all powers of two from one to the other).
///
/// ```
/// use warpwise_lab::measure::bench::parse_lengths;
///
/// assert_eq!(parse_lengths("1000,2^3..2^5").unwrap(), [1000, 8, 16, 32]);
/// assert!(parse_lengths("3..10").is_err());
/// ```
pub fn parse_lengths(text: &str) -> Result<Vec<usize>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            None => all.push(length(part)?),
            Some((from, to)) => {
                let (from, to) = (length(from)?, length(to.strip_prefix('=').unwrap_or(to))?);
                if !from.is_power_of_two() || !to.is_power_of_two() || from > to {
                    return Err(format!(
                        "`{part}` is not a range: begin and end with powers of two, the lower one first, like 2^10..2^20"
                    ));
                }
                all.extend((from.ilog2()..=to.ilog2()).map(|power| 1 << power));
            }
        }
    }
    unique(all)
}

/// Reads a list of sizes of planes: `1000x2000,64x64`.
///
/// ```
/// use warpwise_lab::measure::bench::parse_planes;
///
/// assert_eq!(parse_planes("5000x1000,2^4x2^5").unwrap(), [(5000, 1000), (16, 32)]);
/// assert!(parse_planes("5000").is_err());
/// ```
pub fn parse_planes(text: &str) -> Result<Vec<(usize, usize)>, String> {
    let plane = |part: &str| {
        let (rows, cols) =
            part.split_once('x').ok_or_else(|| format!("`{part}` is not a size: write ROWSxCOLS, like 1000x2000"))?;
        Ok((length(rows)?, length(cols)?))
    };
    unique(text.split(',').map(plane).collect::<Result<_, String>>()?)
}

fn length(text: &str) -> Result<usize, String> {
    let n = parse_count(text)?;
    let n = usize::try_from(n).map_err(|_| format!("`{text}` is too large for this machine"))?;
    if n == 0 { Err("0 is too few: use at least 1".into()) } else { Ok(n) }
}

fn unique<T: PartialEq>(all: Vec<T>) -> Result<Vec<T>, String> {
    let mut kept = Vec::new();
    for x in all {
        if !kept.contains(&x) {
            kept.push(x);
        }
    }
    if kept.len() > MOST { Err(format!("{} sizes are too many: give at most {MOST}", kept.len())) } else { Ok(kept) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_lengths() {
        assert_eq!(parse_lengths("2^24").unwrap(), [1 << 24]);
        assert_eq!(parse_lengths("2^10..2^28").unwrap().len(), 19);
        assert_eq!(parse_lengths("4,4,1e3").unwrap(), [4, 1000]);
        assert_eq!(parse_lengths("8..8").unwrap(), [8]);
        for (text, problem) in [
            ("", "not a whole number"),
            ("1,,2", "not a whole number"),
            ("-5", "not a number"),
            ("0", "at least 1"),
            ("2^8..2^4", "lower one first"),
            ("10..20", "powers of two"),
            ("2^99", "not a number"),
        ] {
            let error = parse_lengths(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn lists_of_planes() {
        assert_eq!(parse_planes("1000x1000").unwrap(), [(1000, 1000)]);
        for text in ["", "x", "3x", "0x5", "4y5", "1x2x3"] {
            assert!(parse_planes(text).is_err(), "{text}");
        }
    }
}

//! Numbers on the command line: `4096`, `2^20`, `1e6`, `0xff`, `1024*1024`, wherever a number counts something.

use warpwise_lab::kernels::run::parse_count;

/// A count that this machine can hold.
pub(crate) fn parse_usize(text: &str) -> Result<usize, String> {
    usize::try_from(parse_count(text)?).map_err(|_| format!("`{text}` is too large for this machine"))
}

/// A count of 32 bits, such as a launch dimension.
pub(crate) fn parse_u32(text: &str) -> Result<u32, String> {
    let value = parse_count(text)?;
    u32::try_from(value).map_err(|_| format!("{value} is too large: use at most {}", u32::MAX))
}

/// A list of counts, each once, in the order given.
pub(crate) fn parse_counts(text: &str) -> Result<Vec<u64>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let value = parse_count(part)?;
        if !all.contains(&value) {
            all.push(value);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(
            ["1e6", "2^20", "1_000", "3*5"].map(|text| parse_usize(text).unwrap()),
            [1_000_000, 1 << 20, 1000, 15]
        );
        assert!(parse_u32("2^32").unwrap_err().contains("use at most 4294967295"));
        assert_eq!(parse_counts("8,2^6,8,256").unwrap(), [8, 64, 256]);
        assert!(parse_usize("many").unwrap_err().contains("not a whole number") && parse_counts("8,").is_err());
    }
}

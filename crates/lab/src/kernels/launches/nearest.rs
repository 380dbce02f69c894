//! The name that was probably meant.

/// The known name that takes the fewest changes of letters to get from the given one.
pub(super) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().copied().min_by_key(|name| distance(given, name))
}

/// Letters to insert, remove or replace.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_changes_are_near() {
        assert_eq!((distance("grdi", "grid"), distance("", "abc"), distance("kitten", "sitting")), (2, 3, 3));
        assert_eq!(nearest("grdi", &["args", "grid", "block"]), Some("grid"));
        assert_eq!(nearest("x", &[]), None);
    }
}

//! From byte offsets to lines and columns.

/// Turns byte offsets of a text into lines and columns, each lookup in logarithmic time.
///
/// ```
/// let index = warpwise_ptx::LineIndex::new("ret;\n  exit;\n");
/// assert_eq!(index.line_column(7), (2, 3));
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Offset of each line's first byte.
    starts: Vec<u32>,
    /// Offsets of bytes that continue a character: columns count characters, so these do not count.
    continuations: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text. Anything beyond 4 GiB counts as part of the last line.
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let mut continuations = Vec::new();
        for (offset, byte) in (0..u32::MAX).zip(text.bytes()) {
            if byte == b'\n' {
                starts.push(offset + 1);
            } else if byte & 0xC0 == 0x80 {
                continuations.push(offset);
            }
        }
        Self { starts, continuations }
    }

    /// The one-based line and column (in characters) of a byte offset. An offset past the end of the text counts on
    /// in the last line.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let skipped =
            self.continuations.partition_point(|&c| c <= offset) - self.continuations.partition_point(|&c| c < start);
        (line as u32, (offset - start + 1).saturating_sub(skipped as u32).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::LineIndex;

    #[test]
    fn counts_characters_not_bytes() {
        let index = LineIndex::new("// ä€\nx;");
        assert_eq!(index.line_column(0), (1, 1));
        assert_eq!(index.line_column(5), (1, 5));
        assert_eq!(index.line_column(8), (1, 6));
        assert_eq!(index.line_column(9), (2, 1));
        assert_eq!(index.line_column(11), (2, 3));
        assert_eq!(index.line_column(u32::MAX).0, 2);
    }

    #[test]
    fn empty_text_has_one_line() {
        assert_eq!(LineIndex::new("").line_column(0), (1, 1));
    }
}

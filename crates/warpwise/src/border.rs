//! What lies beyond the ends of a line.

/// What a convolution reads beyond the ends of its input.
///
/// For the line `a b c d`, from three places before it to three after it:
///
/// | border | reads |
/// | --- | --- |
/// | `Zero` | `0 0 0 | a b c d | 0 0 0` |
/// | `Replicate` | `a a a | a b c d | d d d` |
/// | `Reflect` | `d c b | a b c d | c b a` |
/// | `Wrap` | `b c d | a b c d | a b c` |
///
/// `Reflect` does not repeat the last element: it is what OpenCV calls `BORDER_REFLECT_101` and NumPy `reflect`. A mask
/// may be wider than the line: reflections and repetitions repeat as often as needed.
///
/// ```
/// use warpwise::Border;
///
/// assert_eq!(Border::Zero.place(-1, 4), None);
/// assert_eq!(Border::Replicate.place(-3, 4), Some(0));
/// assert_eq!(Border::Reflect.place(-1, 4), Some(1));
/// assert_eq!(Border::Wrap.place(-1, 4), Some(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Border {
    /// Zeros.
    Zero,
    /// The element at the end.
    Replicate,
    /// The line again, backwards, without its last element.
    Reflect,
    /// The line again, from its other end.
    Wrap,
}

impl Border {
    /// Every border.
    ///
    /// ```
    /// use warpwise::{Border, Device, convolve1d};
    ///
    /// for border in Border::ALL {
    ///     assert_eq!(convolve1d::filter(&Device::best(), &[1, 1, 1], border, &[1, 2, 3])?[1], 6);
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const ALL: [Self; 4] = [Self::Zero, Self::Replicate, Self::Reflect, Self::Wrap];

    /// The border's name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::Border::Reflect.name(), "reflect");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Replicate => "replicate",
            Self::Reflect => "reflect",
            Self::Wrap => "wrap",
        }
    }

    /// Where to read instead of place `i` of a line; `None` is a zero.
    ///
    /// ```
    /// use warpwise::Border;
    ///
    /// assert_eq!(Border::Wrap.place(5, 4), Some(1));
    /// assert_eq!(Border::Zero.place(5, 4), None);
    /// ```
    #[inline]
    pub fn place(self, i: isize, length: usize) -> Option<usize> {
        if let Ok(inside) = usize::try_from(i)
            && inside < length
        {
            return Some(inside);
        }
        self.beyond(i, length)
    }

    /// [`place`](Border::place) of the few places that are not in the line.
    #[cold]
    fn beyond(self, i: isize, length: usize) -> Option<usize> {
        let n = isize::try_from(length).ok().filter(|&n| n > 0)?;
        let place = match self {
            Self::Zero => return None,
            Self::Replicate => i.clamp(0, n - 1),
            Self::Wrap => i.rem_euclid(n),
            // There and back again is one period; a single element reflects only itself.
            Self::Reflect => {
                let there = i.rem_euclid((2 * (n - 1)).max(1));
                there.min(2 * (n - 1) - there).max(0)
            }
        };
        Some(place.unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_as_the_table_says() {
        let read = |border: Border, range: std::ops::Range<isize>, line: &[u8]| -> String {
            range.map(|i| border.place(i, line.len()).map_or('0', |i| line[i] as char)).collect()
        };
        assert_eq!(read(Border::Zero, -3..7, b"abcd"), "000abcd000");
        assert_eq!(read(Border::Replicate, -3..7, b"abcd"), "aaaabcdddd");
        assert_eq!(read(Border::Reflect, -3..7, b"abcd"), "dcbabcdcba");
        assert_eq!(read(Border::Wrap, -3..7, b"abcd"), "bcdabcdabc");
        // Places much further out than the line is long.
        assert_eq!(read(Border::Reflect, -5..6, b"ab"), "babababababa"[..11].to_string());
        assert_eq!(read(Border::Reflect, -2..3, b"a"), "aaaaa");
        assert_eq!(read(Border::Wrap, -4..4, b"abc"), "cabcabca");
        assert_eq!(Border::Reflect.place(-1, 0), None);
    }
}

//! A buffer whose contents differ between two devices.

/// Where and how much a buffer differs after a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The kernel that ran.
    pub kernel: String,
    /// Which of the launch's buffers it is, in the order of their addresses.
    pub buffer: usize,
    /// Bytes of the buffer.
    pub bytes: u64,
    /// Bytes that differ.
    pub differing: u64,
    /// The first of them.
    pub first_byte: u64,
    /// The aligned word of eight bytes around it on both devices.
    pub words: [[u8; 8]; 2],
    /// Whether every aligned word of eight bytes that differs is a NaN of f64 on both devices.
    pub only_nans: bool,
}

impl Difference {
    /// Compares two copies of a buffer.
    pub(super) fn between(kernel: &str, buffer: usize, a: &[u8], b: &[u8]) -> Option<Self> {
        if a == b {
            return None;
        }
        let differs = || a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at);
        let first = differs().next()?;
        let start = first / 8 * 8;
        let word = |bytes: &[u8]| {
            let mut word = [0; 8];
            let end = bytes.len().min(start + 8);
            word[..end - start].copy_from_slice(&bytes[start..end]);
            word
        };
        Some(Self {
            kernel: kernel.to_owned(),
            buffer,
            bytes: a.len() as u64,
            differing: differs().count() as u64,
            first_byte: first as u64,
            words: [word(a), word(b)],
            only_nans: only_nans(a, b),
        })
    }
}

fn only_nans(a: &[u8], b: &[u8]) -> bool {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let nan = |word: &[u8; 8]| f64::from_le_bytes(*word).is_nan();
    a_rest == b_rest && a.iter().zip(b).all(|(a, b)| a == b || nan(a) && nan(b))
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b] = self.words.map(u64::from_le_bytes);
        write!(
            f,
            "{}: buffer {} of {} bytes: {} differ, the first at {}: {a:016x} and {b:016x}",
            self.kernel, self.buffer, self.bytes, self.differing, self.first_byte
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nans_of_two_kinds_are_told_from_other_differences() {
        let between = |a: &[f64], b: &[f64]| {
            let bytes = |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|value| value.to_le_bytes()).collect() };
            Difference::between("sum_f64", 0, &bytes(a), &bytes(b)).map(|difference| difference.only_nans)
        };
        assert_eq!(between(&[1.0, f64::NAN], &[1.0, f64::NAN]), None);
        assert_eq!(between(&[1.0, f64::NAN], &[1.0, -f64::NAN]), Some(true));
        assert_eq!(between(&[1.0, f64::NAN], &[2.0, -f64::NAN]), Some(false));
        assert_eq!(between(&[f64::INFINITY], &[f64::NAN]), Some(false));
        let rest = Difference::between("sum_f64", 0, &[1, 2, 3], &[1, 2, 4]).expect("they differ");
        assert!(!rest.only_nans);
    }
}

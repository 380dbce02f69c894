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
        })
    }
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

//! Copies that bypass the caches.

/// Copies bytes to a slice of the same length without reading its old contents, and without leaving the new ones in the
/// caches: the bus and other threads use the same memory meanwhile.
pub(super) fn copy(from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len());
    #[cfg(target_arch = "x86_64")]
    stream(from, to);
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

#[cfg(target_arch = "x86_64")]
fn stream(from: &[u8], to: &mut [u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    const VECTOR: usize = size_of::<__m128i>();
    /// A cache line is written as a whole.
    const LINE: usize = 4 * VECTOR;

    let first = to.as_ptr().align_offset(LINE).min(to.len());
    let (begin, to) = to.split_at_mut(first);
    begin.copy_from_slice(&from[..first]);
    let (lines, end) = to.as_chunks_mut::<LINE>();
    let (from, last) = from[first..].as_chunks::<LINE>();
    for (from, to) in from.iter().zip(lines) {
        // SAFETY: all hosts of this architecture have the instructions; both lines have that many bytes, and the
        // written one begins at a line boundary, because the first one does.
        unsafe {
            let vectors: [__m128i; LINE / VECTOR] =
                std::array::from_fn(|i| _mm_loadu_si128(from.as_ptr().add(i * VECTOR).cast()));
            for (i, vector) in vectors.into_iter().enumerate() {
                _mm_stream_si128(to.as_mut_ptr().add(i * VECTOR).cast(), vector);
            }
        }
    }
    end.copy_from_slice(last);
    // SAFETY: as above. Others see the streamed bytes before anything this thread writes later.
    unsafe { _mm_sfence() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives_and_no_other() {
        let from: Vec<u8> = (0..1000).map(|i| (i % 251) as u8).collect();
        for length in [0, 1, 15, 16, 63, 64, 65, 127, 128, 500] {
            for (first, shift) in [(0, 0), (1, 0), (0, 1), (7, 40), (63, 65)] {
                let mut to = vec![255; 800];
                copy(&from[shift..][..length], &mut to[first..][..length]);
                assert_eq!(&to[first..][..length], &from[shift..][..length]);
                assert!(to[..first].iter().chain(&to[first + length..]).all(|&byte| byte == 255));
            }
        }
    }
}

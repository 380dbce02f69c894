//! Bytes aligned for vectors.

/// One cache line: the unit of alignment of registers and shared memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Zeroed bytes that start on a cache line.
#[derive(Clone, Default)]
pub(crate) struct Buffer {
    lines: Vec<Line>,
}

impl Buffer {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { lines: vec![Line([0; 64]); bytes.div_ceil(64)] }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len() * 64
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: lines are plain initialised bytes.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len()) }
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, exclusively borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len()) }
    }
}

//! Blocks of a matrix, turned square by square.

#[cfg(target_arch = "x86_64")]
use super::registers;
use crate::Element;
#[cfg(target_arch = "x86_64")]
use crate::memory::LINE;
use crate::simd::Level;

/// How blocks of a type are turned at a level.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    #[cfg(target_arch = "x86_64")]
    square: Option<registers::Square>,
}

impl Turn {
    pub(super) fn new<T: Element>(level: Level) -> Self {
        #[cfg(not(target_arch = "x86_64"))]
        let _ = level;
        Self {
            #[cfg(target_arch = "x86_64")]
            square: registers::square(level, size_of::<T>()),
        }
    }

    /// Turns a block of rows and columns; strides are in elements.
    ///
    /// # Safety
    ///
    /// `from` must have so many rows and columns, and `to` so many columns and rows.
    pub(super) unsafe fn block<T: Element>(
        self,
        (from, stride): (*const T, usize),
        (to, to_stride): (*mut T, usize),
        (rows, columns): (usize, usize),
    ) {
        #[cfg(target_arch = "x86_64")]
        let (whole_rows, whole_columns) = self.square.map_or((0, 0), |square| {
            let bytes = size_of::<T>();
            let whole = (rows - rows % square.rows, columns - columns % square.columns);
            // Whole lines of the result, before the next ones are begun.
            let line = (LINE / bytes).max(square.rows);
            for top in (0..whole.0).step_by(line) {
                for c in (0..whole.1).step_by(square.columns) {
                    for r in (top..whole.0.min(top + line)).step_by(square.rows) {
                        // SAFETY: the square is in both blocks, and the level that it is for was found on this host.
                        unsafe {
                            let (from, to) = (from.add(r * stride + c).cast(), to.add(c * to_stride + r).cast());
                            (square.turn)(from, stride * bytes, to, to_stride * bytes);
                        }
                    }
                }
            }
            whole
        });
        #[cfg(not(target_arch = "x86_64"))]
        let (whole_rows, whole_columns) = (0, 0);
        for r in 0..rows {
            let first = if r < whole_rows { whole_columns } else { 0 };
            for c in first..columns {
                // SAFETY: the caller's promise.
                unsafe { *to.add(c * to_stride + r) = *from.add(r * stride + c) };
            }
        }
    }
}

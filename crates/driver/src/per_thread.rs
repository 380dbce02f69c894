//! Calls whose default stream is that of the calling thread: forms with `_ptsz` or `_ptds` at the end of their names.
//!
//! Such a form notes that it was called and goes on to the plain form, with its arguments untouched. What the plain form
//! does then, until it returns, takes the default stream to be the thread's own.

use std::cell::Cell;

/// The default stream of the calling thread, as a handle.
pub(crate) const PER_THREAD: u64 = 2;

thread_local! {
    /// The next call on this thread is of such a form.
    static NEXT: Cell<bool> = const { Cell::new(false) };
    /// The call that is under way is.
    static NOW: Cell<bool> = const { Cell::new(false) };
}

/// What these forms call first.
pub(crate) extern "C" fn note() {
    NEXT.set(true);
}

/// A call, until this is dropped.
pub(crate) struct Call {
    before: bool,
}

impl Call {
    /// It begins.
    #[inline]
    pub(crate) fn begin() -> Self {
        Self { before: NOW.replace(NEXT.replace(false)) }
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        NOW.set(self.before);
    }
}

/// The stream that a handle means in the call that is under way.
#[inline]
pub(crate) fn named(handle: u64) -> u64 {
    if handle == 0 && NOW.get() { PER_THREAD } else { handle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_call_that_was_noted_means_the_threads_own() {
        assert_eq!(named(0), 0);
        note();
        assert_eq!(named(0), 0, "no call has begun");
        {
            let _call = Call::begin();
            assert_eq!((named(0), named(1), named(64)), (PER_THREAD, 1, 64));
            {
                let _inner = Call::begin();
                assert_eq!(named(0), 0, "a call within it is a plain one");
            }
            assert_eq!(named(0), PER_THREAD);
        }
        assert_eq!(named(0), 0);
        let _call = Call::begin();
        assert_eq!(named(0), 0);
    }
}

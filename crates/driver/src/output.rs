//! What kernels print: kept until the host synchronises, then written through C's stdout, in order with the program's
//! own output.

/// Text that kernels printed and nobody has seen yet.
#[derive(Default)]
pub(crate) struct Output(String);

unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

impl Output {
    /// Keeps what a kernel printed.
    pub(crate) fn add(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Writes what was kept.
    #[inline]
    pub(crate) fn flush(&mut self) {
        if self.0.is_empty() {
            return;
        }
        // SAFETY: C's own stream, and bytes that live until the call returns.
        unsafe { libc::fwrite(self.0.as_ptr().cast(), 1, self.0.len(), stdout) };
        self.0.clear();
    }
}

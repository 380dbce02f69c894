//! Captures what kernels print: the driver writes it to the process's standard output.

/// Runs `wait`, during which the driver prints, and returns what it printed.
#[cfg(unix)]
pub(super) fn capture<E>(wait: impl FnOnce() -> Result<(), E>) -> Result<String, E> {
    use std::fs::File;
    use std::io::{Read, Seek, SeekFrom, Write};
    use std::os::fd::AsRawFd;

    /// Standard output, put back when dropped.
    struct Diverted(i32);
    impl Drop for Diverted {
        fn drop(&mut self) {
            // SAFETY: the descriptor is the copy of standard output made below.
            unsafe {
                libc::fflush(std::ptr::null_mut());
                libc::dup2(self.0, 1);
                libc::close(self.0);
            }
        }
    }

    let mut stdout = std::io::stdout().lock();
    let _ = stdout.flush();
    // An unnamed file, deleted when it is closed.
    // SAFETY: plain calls of the C library with literals and descriptors that are open.
    let (file, diverted) = unsafe {
        let stream = libc::tmpfile();
        if stream.is_null() {
            return wait().map(|()| String::new());
        }
        libc::fflush(std::ptr::null_mut());
        let copy = libc::dup(libc::fileno(stream));
        libc::fclose(stream);
        let saved = libc::dup(1);
        use std::os::fd::FromRawFd;
        (File::from_raw_fd(copy), Diverted(saved))
    };
    // SAFETY: both descriptors are open.
    unsafe { libc::dup2(file.as_raw_fd(), 1) };
    let done = wait();
    drop(diverted);
    let mut file = file;
    let mut bytes = Vec::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    done.map(|()| String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs `wait` without capturing what is printed.
#[cfg(not(unix))]
pub(super) fn capture<E>(wait: impl FnOnce() -> Result<(), E>) -> Result<String, E> {
    wait().map(|()| String::new())
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn what_c_prints_is_caught() {
        let text = super::capture(|| {
            // SAFETY: a literal that ends in a zero.
            unsafe { libc::puts(c"caught".as_ptr()) };
            Ok::<(), ()>(())
        });
        assert_eq!(text.as_deref(), Ok("caught\n"));
    }
}

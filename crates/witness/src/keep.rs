//! Keeping what was copied back: a list with a line for each copy, and the bytes themselves.

use std::cell::Cell;
use std::collections::hash_map::DefaultHasher;
use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use warpwise_trace::{CopiesBack, CopyBack, HostPlace};

use crate::shape::Shape;

/// Bytes that a process keeps; of what comes after them only hashes are compared.
const KEPT: u64 = 1 << 30;

struct Files {
    list: File,
    /// The bytes, and how many there are.
    bytes: Option<File>,
    length: u64,
}

static FILES: Mutex<Option<Files>> = Mutex::new(None);
static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The number of this thread, and how many copies it has asked for.
    static COUNTED: Cell<Option<(u32, u64)>> = const { Cell::new(None) };
}

/// A copy that was asked for.
#[derive(Debug)]
pub(crate) struct Ticket {
    thread: u32,
    number: u64,
    host: HostPlace,
}

/// Begins to keep, in a folder.
pub(crate) fn begin(folder: &Path) {
    let [list, bytes] = CopiesBack::files(folder, std::process::id());
    let create = |path: &Path| OpenOptions::new().create(true).append(true).open(path).ok();
    let files = create(&list).map(|list| Files { list, bytes: create(&bytes), length: 0 });
    *FILES.lock().unwrap_or_else(PoisonError::into_inner) = files;
}

impl Ticket {
    /// The next one of this thread.
    pub(crate) fn next() -> Self {
        let counted = |cell: &Cell<Option<(u32, u64)>>| {
            let (thread, before) = cell.get().unwrap_or_else(|| (THREADS.fetch_add(1, Ordering::Relaxed), 0));
            cell.set(Some((thread, before + 1)));
            (thread, before + 1)
        };
        // Exit handlers may come after the thread's variables are gone.
        let (thread, number) = COUNTED.try_with(counted).unwrap_or((u32::MAX, 0));
        Self { thread, number, host: HostPlace::here() }
    }

    /// Keeps the bytes that are there now.
    ///
    /// # Safety
    ///
    /// The host's memory has the bytes of the shape.
    pub(crate) unsafe fn keep(self, shape: &Shape) {
        let mut guard = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = guard.as_mut() else { return };
        let bytes = shape.bytes();
        let fits = files.length + bytes <= KEPT;
        let mut hasher = DefaultHasher::new();
        let mut kept = files.bytes.as_mut().filter(|_| fits);
        // SAFETY: by the caller's word.
        for row in unsafe { shape.rows() } {
            hasher.write(row);
            if kept.as_mut().is_some_and(|file| file.write_all(row).is_err()) {
                kept = None;
            }
        }
        let at = kept.is_some().then_some(files.length);
        match at {
            Some(at) => files.length = at + bytes,
            // What is in the file is no longer known.
            None => files.bytes = None,
        }
        let Self { thread, number, host } = self;
        let copy = CopyBack { thread, number, bytes, hash: hasher.finish(), at, host: Some(host) };
        let mut line = serde_json::to_string(&copy).expect("a copy has only strings, numbers and lists");
        line.push('\n');
        // A list that cannot be written ends here; the program goes on.
        if files.list.write_all(line.as_bytes()).is_err() {
            *guard = None;
        }
    }
}

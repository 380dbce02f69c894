//! Handles: what callers hold instead of pointers. None is ever given out twice, so that a stale one is noticed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Outcome};

/// The next handle. They look like aligned addresses, but lie where no memory of a process is.
static NEXT: AtomicU64 = AtomicU64::new(0x10_0000);

/// A handle that was not given out before.
pub(crate) fn fresh() -> u64 {
    NEXT.fetch_add(16, Ordering::Relaxed)
}

/// Handles are distinct numbers already.
#[derive(Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        // The table looks at the low bits and at the top ones.
        self.0 = (value >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Objects by handle.
pub(crate) struct Table<T>(HashMap<u64, T, BuildHasherDefault<Identity>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T> Table<T> {
    /// Adds an object.
    pub(crate) fn add(&mut self, object: T) -> u64 {
        let handle = fresh();
        self.0.insert(handle, object);
        handle
    }

    /// Adds an object under a handle that was made before.
    pub(crate) fn insert(&mut self, handle: u64, object: T) {
        self.0.insert(handle, object);
    }

    /// The object of a handle.
    pub(crate) fn get(&self, handle: u64) -> Outcome<&T> {
        self.0.get(&handle).ok_or(Error::INVALID_HANDLE)
    }

    /// The object of a handle, to be changed.
    pub(crate) fn get_mut(&mut self, handle: u64) -> Outcome<&mut T> {
        self.0.get_mut(&handle).ok_or(Error::INVALID_HANDLE)
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, handle: u64) -> Outcome<T> {
        self.0.remove(&handle).ok_or(Error::INVALID_HANDLE)
    }

    /// Whether there is such an object.
    pub(crate) fn has(&self, handle: u64) -> bool {
        self.0.contains_key(&handle)
    }

    /// All objects, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().map(|(&handle, object)| (handle, object))
    }

    /// All objects, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut T)> {
        self.0.iter_mut().map(|(&handle, object)| (handle, object))
    }

    /// Handles of the objects for which `which` holds.
    pub(crate) fn handles(&self, which: impl Fn(&T) -> bool) -> Vec<u64> {
        self.iter().filter(|(_, object)| which(object)).map(|(handle, _)| handle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_of_one_object_only() {
        let mut table = Table::default();
        let (a, b) = (table.add('a'), table.add('b'));
        assert_eq!((table.get(a), table.get(b)), (Ok(&'a'), Ok(&'b')));
        assert_eq!(table.remove(a), Ok('a'));
        assert_eq!(table.get(a), Err(Error::INVALID_HANDLE));
        assert_ne!(table.add('c'), a);
        assert_eq!(table.handles(|&object| object == 'b'), [b]);
    }
}

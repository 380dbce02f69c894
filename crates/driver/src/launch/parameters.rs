//! The parameters of a launch: pointers to each, or all of them in one buffer.

use std::ffi::c_void;

use crate::error::{Error, Outcome};

/// Marks in the list of extras: its end, the buffer's address, the address of its size.
const END: usize = 0;
const BUFFER: usize = 1;
const SIZE: usize = 2;

/// Puts the parameters where the kernel expects them.
pub(crate) fn pack(
    layout: &[(usize, usize)],
    bytes: usize,
    parameters: *const *const c_void,
    extra: *const *const c_void,
) -> Outcome<Vec<u8>> {
    if !extra.is_null() {
        return if parameters.is_null() { from_buffer(bytes, extra) } else { Err(Error::INVALID_VALUE) };
    }
    let mut packed = vec![0u8; bytes];
    if layout.is_empty() {
        return Ok(packed);
    }
    if parameters.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    for (at, &(offset, size)) in layout.iter().enumerate() {
        // SAFETY: by the contract of the API the list has a pointer for each parameter.
        let value = unsafe { parameters.add(at).read_unaligned() };
        if value.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: by the contract of the API each points to as many bytes as its parameter has, which lie inside the
        // block of parameters.
        unsafe { std::ptr::copy_nonoverlapping(value.cast::<u8>(), packed[offset..][..size].as_mut_ptr(), size) };
    }
    Ok(packed)
}

/// The buffer that a list of extras names, and its size.
fn buffer_of(extra: *const *const c_void) -> Outcome<(*const u8, usize)> {
    let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0);
    let mut at = extra;
    loop {
        // SAFETY: by the contract of the API a list of marks and values that ends with the mark for its end.
        let mark = unsafe { at.read_unaligned() } as usize;
        if mark == END {
            return Ok((buffer, size));
        }
        // SAFETY: as above: a value follows every other mark.
        let value = unsafe { at.add(1).read_unaligned() };
        match mark {
            BUFFER => buffer = value.cast(),
            SIZE => size = crate::edge::get(value.cast::<usize>())?,
            _ => return Err(Error::INVALID_VALUE),
        }
        // SAFETY: as above.
        at = unsafe { at.add(2) };
    }
}

/// The bytes of arguments that a list of extras gives, if there is one.
pub(crate) fn given(extra: *const *const c_void) -> Option<usize> {
    if extra.is_null() { None } else { buffer_of(extra).ok().map(|(_, size)| size) }
}

fn from_buffer(bytes: usize, extra: *const *const c_void) -> Outcome<Vec<u8>> {
    let (buffer, size) = buffer_of(extra)?;
    if bytes > 0 && (buffer.is_null() || size < bytes) {
        return Err(Error::INVALID_VALUE);
    }
    let mut packed = vec![0u8; bytes];
    if bytes > 0 {
        // SAFETY: the buffer has `size` bytes, and that is enough.
        unsafe { std::ptr::copy_nonoverlapping(buffer, packed.as_mut_ptr(), bytes) };
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<T>(value: &T) -> *const c_void {
        std::ptr::from_ref(value).cast()
    }

    #[test]
    fn pointers_and_buffers_give_the_same() {
        let (a, b) = (7u32, 0x0102_0304_0506_0708u64);
        let layout = [(0, 4), (8, 8)];
        let pointers = [address(&a), address(&b)];
        let packed = pack(&layout, 16, pointers.as_ptr(), std::ptr::null()).expect("valid");
        assert_eq!(packed, [7, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]);
        let size = packed.len();
        let mark = |number: usize| number as *const c_void;
        let extra = [mark(BUFFER), packed.as_ptr().cast(), mark(SIZE), address(&size), mark(END)];
        assert_eq!(pack(&layout, 16, std::ptr::null(), extra.as_ptr()), Ok(packed));
    }

    #[test]
    fn what_is_missing_is_refused() {
        let refused = Err(Error::INVALID_VALUE);
        assert_eq!(pack(&[(0, 4)], 4, std::ptr::null(), std::ptr::null()), refused);
        let extra = [END as *const c_void];
        assert_eq!(pack(&[(0, 4)], 4, std::ptr::null(), extra.as_ptr()), refused);
        assert_eq!(pack(&[], 0, std::ptr::null(), std::ptr::null()), Ok(vec![]));
    }
}

//! Linking several inputs into one image, which is PTX.

use std::ffi::{c_char, c_void};

use crate::edge::{api, put, put_if, text};
use crate::error::{Error, Outcome};
use crate::module::{Options, Refused, link_texts, mark_registers, read_texts};
use crate::state::lock;

/// What a linker has been given so far.
pub(crate) struct Link {
    texts: Vec<String>,
    /// The result, which the caller uses until it destroys the linker.
    image: Vec<u8>,
    /// Options of the linker, whose logs tell of errors.
    options: Options,
    /// Registers that threads may have.
    max_registers: Option<u32>,
}

/// `CU_JIT_INPUT_LIBRARY`, `CU_JIT_INPUT_NVVM`.
const LIBRARY: u32 = 4;
const NVVM: u32 = 5;

fn add(link: u64, kind: u32, bytes: &[u8]) -> Outcome {
    let mut state = lock()?;
    let cc = state.gpu.cc;
    let link = state.links.get_mut(link)?;
    if kind > NVVM {
        return Err(Error::INVALID_VALUE);
    }
    if kind == NVVM {
        link.options.failed("NVVM input cannot be linked: hand over PTX");
        return Err(Error::INVALID_IMAGE);
    }
    match read_texts(bytes, cc) {
        Ok(texts) => link.texts.extend(texts),
        // Libraries such as cudadevrt have only what the machine has built in.
        Err(_) if kind == LIBRARY => {}
        Err(refused) => return Err(refused.report(&link.options)),
    }
    Ok(())
}

fn add_data(link: u64, kind: u32, data: *const c_void, bytes: usize) -> Outcome {
    if data.is_null() || bytes == 0 {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: not null, so by the contract of the API that many bytes.
    add(link, kind, unsafe { std::slice::from_raw_parts(data.cast(), bytes) })
}

fn add_file(link: u64, kind: u32, path: *const c_char) -> Outcome {
    let bytes = std::fs::read(text(path)?).map_err(|_| Error::FILE_NOT_FOUND)?;
    add(link, kind, &bytes)
}

fn create(count: u32, options: *const u32, values: *mut *mut c_void, place: *mut u64) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    if place.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    let options = Options::new(count, options, values)?;
    let max_registers = options.max_registers();
    let link = state.links.add(Link { texts: Vec::new(), image: Vec::new(), options, max_registers });
    put(place, link)
}

impl Link {
    fn complete(&mut self) -> Result<(), Refused> {
        let mut text = link_texts(&self.texts)?;
        // What cannot be read is better said here, where there are logs, than when it is loaded.
        let checked = warpwise_ptx::parse(&text);
        checked.map_err(|error| Refused::of_text(Some(error.line), &error.message))?;
        if let Some(most) = self.max_registers {
            mark_registers(&mut text, most);
        }
        self.image = text.into_bytes();
        self.image.push(0);
        Ok(())
    }
}

api! {
    fn cuLinkCreate_v2(count: u32, options: *const u32, values: *mut *mut c_void, link: *mut u64) {
        create(count, options, values, link)
    }

    fn cuLinkCreate(count: u32, options: *const u32, values: *mut *mut c_void, link: *mut u64) {
        create(count, options, values, link)
    }

    fn cuLinkAddData_v2(
        link: u64,
        kind: u32,
        data: *const c_void,
        bytes: usize,
        _name: *const c_char,
        _count: u32,
        _options: *const u32,
        _values: *mut *mut c_void,
    ) {
        add_data(link, kind, data, bytes)
    }

    fn cuLinkAddData(
        link: u64,
        kind: u32,
        data: *const c_void,
        bytes: usize,
        _name: *const c_char,
        _count: u32,
        _options: *const u32,
        _values: *mut *mut c_void,
    ) {
        add_data(link, kind, data, bytes)
    }

    fn cuLinkAddFile_v2(
        link: u64,
        kind: u32,
        path: *const c_char,
        _count: u32,
        _options: *const u32,
        _values: *mut *mut c_void,
    ) {
        add_file(link, kind, path)
    }

    fn cuLinkAddFile(
        link: u64,
        kind: u32,
        path: *const c_char,
        _count: u32,
        _options: *const u32,
        _values: *mut *mut c_void,
    ) {
        add_file(link, kind, path)
    }

    fn cuLinkComplete(link: u64, image: *mut *const c_void, bytes: *mut usize) {
        let mut state = lock()?;
        let link = state.links.get_mut(link)?;
        if link.texts.is_empty() {
            return Err(Error::INVALID_VALUE);
        }
        if let Err(refused) = link.complete() {
            return Err(refused.report(&link.options));
        }
        link.options.quiet();
        put_if(bytes, link.image.len());
        put(image, link.image.as_ptr().cast())
    }

    fn cuLinkDestroy(link: u64) {
        lock()?.links.remove(link).map(|_| ())
    }
}

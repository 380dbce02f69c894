//! NVRTC, NVIDIA's run-time compiler: a plain shared library, loaded when it is needed.

use super::CompileError;
use super::search::{self, Outcome, Place, Spot};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};

type Handle = *mut c_void;
type Status = c_int;

/// The functions of the library that are used, as its header declares them.
struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Handle) -> Status,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status,
    ptx_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    ptx: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    log_size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
    log: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    add_name: unsafe extern "C" fn(Handle, *const c_char) -> Status,
    lowered_name: unsafe extern "C" fn(Handle, *const c_char, *mut *const c_char) -> Status,
    /// Since CUDA 11.2.
    arch_count: Option<unsafe extern "C" fn(*mut c_int) -> Status>,
    archs: Option<unsafe extern "C" fn(*mut c_int) -> Status>,
}

/// A loaded NVRTC.
pub struct Nvrtc {
    api: Api,
    /// Kept open while its functions may be called.
    _library: Library,
    /// Where it is.
    pub path: PathBuf,
    /// Major and minor version.
    pub version: (u32, u32),
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nvrtc").field("path", &self.path).field("version", &self.version).finish()
    }
}

/// A text to compile, and what to compile it with.
pub(super) struct Job<'a> {
    /// The name that messages and line information use.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    /// Names and texts of headers.
    pub(super) headers: &'a [(String, String)],
    pub(super) options: &'a [String],
    /// Expressions such as `scale<float>` to instantiate and look up.
    pub(super) expressions: &'a [String],
}

/// The result of a [`Job`].
pub(super) enum Outcomes {
    /// PTX text, and the name in it for each expression.
    Ptx { text: String, lowered: Vec<String> },
    /// The messages.
    Errors(String),
}

/// Looks for NVRTC. The second part lists every place that was tried.
pub fn find() -> (Option<Nvrtc>, Vec<Place>) {
    let mut places = Vec::new();
    for candidate in search::candidates() {
        let libraries = search::libraries_at(&candidate.at);
        let shown = match &candidate.at {
            Spot::Path(path) | Spot::SitePackages(path) => path.clone(),
            Spot::Loader => libraries.first().cloned().unwrap_or_default(),
        };
        let by_name = matches!(candidate.at, Spot::Loader);
        let mut place = Place { reason: candidate.reason, path: shown, outcome: Outcome::Nothing };
        for library in libraries {
            match Nvrtc::open(&library) {
                Ok(nvrtc) => {
                    place.outcome = Outcome::Found;
                    place.path = library;
                    places.push(place);
                    return (Some(nvrtc), places);
                }
                // The loader's "no such file" means that nothing was found.
                Err(_) if by_name => {}
                Err(problem) => {
                    place.path = library;
                    place.outcome = Outcome::Unusable(problem);
                }
            }
        }
        places.push(place);
    }
    (None, places)
}

impl Nvrtc {
    /// Loads the library at a path.
    fn open(path: &Path) -> Result<Self, String> {
        if let Some(builtins) = search::builtins_beside(path) {
            preload(&builtins);
        }
        // SAFETY: loading runs the library's initialisers; the name says it is NVRTC, which has no requirements.
        let library = unsafe { Library::new(path) }.map_err(|e| with_cause(&e))?;
        // SAFETY: the types of `Api` are those of nvrtc.h, which have not changed since CUDA 8.
        let api = unsafe { Api::load(&library) }.map_err(|e| with_cause(&e))?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        let status = unsafe { (api.version)(&raw mut major, &raw mut minor) };
        if status != 0 {
            return Err("nvrtcVersion failed".into());
        }
        let version = (major.unsigned_abs(), minor.unsigned_abs());
        Ok(Self { api, _library: library, path: path.to_owned(), version })
    }

    /// The architectures it compiles for, as 10 x major + minor, in ascending order; empty if it cannot say.
    pub fn architectures(&self) -> Vec<u32> {
        let (Some(count), Some(fill)) = (self.api.arch_count, self.api.archs) else { return Vec::new() };
        let mut number = 0;
        // SAFETY: the pointer is to a live integer.
        if unsafe { count(&raw mut number) } != 0 {
            return Vec::new();
        }
        let mut list: Vec<c_int> = vec![0; usize::try_from(number).unwrap_or(0)];
        // SAFETY: the list has room for as many integers as the library just said there are.
        if list.is_empty() || unsafe { fill(list.as_mut_ptr()) } != 0 {
            return Vec::new();
        }
        list.into_iter().map(c_int::unsigned_abs).collect()
    }

    /// The folders with the CUDA headers that came with it or with a toolkit.
    pub fn header_folders(&self) -> Vec<PathBuf> {
        search::header_folders(&self.path)
    }

    /// Compiles. `Err` only if the library itself misbehaves.
    pub(super) fn compile(&self, job: &Job<'_>) -> Result<Outcomes, CompileError> {
        let text = c_string(job.text)?;
        let name = c_string(job.name)?;
        let header_names = c_strings(job.headers.iter().map(|(name, _)| name.as_str()))?;
        let header_texts = c_strings(job.headers.iter().map(|(_, text)| text.as_str()))?;
        let mut program = Program { api: &self.api, handle: std::ptr::null_mut() };
        let (names, texts) = (pointers(&header_names), pointers(&header_texts));
        let count = c_int::try_from(names.len()).unwrap_or(c_int::MAX);
        // SAFETY: every pointer is to a string or array that lives until the end of this function; the arrays have
        // `count` elements.
        self.check(unsafe {
            let (texts, names) = (texts.as_ptr(), names.as_ptr());
            (self.api.create)(&raw mut program.handle, text.as_ptr(), name.as_ptr(), count, texts, names)
        })?;
        let expressions = c_strings(job.expressions.iter().map(String::as_str))?;
        for expression in &expressions {
            // SAFETY: the program is alive and not compiled yet; the library copies the string.
            self.check(unsafe { (self.api.add_name)(program.handle, expression.as_ptr()) })?;
        }
        let options = c_strings(job.options.iter().map(String::as_str))?;
        let option_pointers = pointers(&options);
        let count = c_int::try_from(option_pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program is alive; the array has `count` strings that outlive the call.
        let status = unsafe { (self.api.compile)(program.handle, count, option_pointers.as_ptr()) };
        if status != 0 {
            let log = program.read(self.api.log_size, self.api.log)?;
            let silent = log.trim().is_empty();
            return if silent { Err(self.failure(status)) } else { Ok(Outcomes::Errors(log)) };
        }
        let lowered = expressions.iter().map(|e| program.lowered(self, e)).collect::<Result<_, _>>()?;
        Ok(Outcomes::Ptx { text: program.read(self.api.ptx_size, self.api.ptx)?, lowered })
    }

    fn check(&self, status: Status) -> Result<(), CompileError> {
        if status == 0 { Ok(()) } else { Err(self.failure(status)) }
    }

    fn failure(&self, status: Status) -> CompileError {
        // SAFETY: the function takes any integer and returns a string constant of the library.
        let text = unsafe {
            let text = (self.api.error_string)(status);
            if text.is_null() { "an unknown error".into() } else { CStr::from_ptr(text).to_string_lossy() }
        };
        CompileError::Library { path: self.path.clone(), problem: text.into_owned() }
    }
}

/// A program of the library, destroyed with this value.
struct Program<'a> {
    api: &'a Api,
    handle: Handle,
}

impl Program<'_> {
    /// A text of the program: its PTX or its log.
    fn read(
        &self,
        size: unsafe extern "C" fn(Handle, *mut usize) -> Status,
        fill: unsafe extern "C" fn(Handle, *mut c_char) -> Status,
    ) -> Result<String, CompileError> {
        let mut bytes = 0;
        // SAFETY: the program is alive and the pointer is to a live integer.
        if unsafe { size(self.handle, &raw mut bytes) } != 0 {
            return Ok(String::new());
        }
        let mut buffer = vec![0u8; bytes.max(1)];
        // SAFETY: the buffer has the size that the library asked for, terminator included.
        if unsafe { fill(self.handle, buffer.as_mut_ptr().cast()) } != 0 {
            return Ok(String::new());
        }
        let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
        Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
    }

    fn lowered(&self, nvrtc: &Nvrtc, expression: &CStr) -> Result<String, CompileError> {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the program is compiled, and the expression was added before that.
        nvrtc.check(unsafe { (self.api.lowered_name)(self.handle, expression.as_ptr(), &raw mut name) })?;
        if name.is_null() {
            return Ok(String::new());
        }
        // SAFETY: the library returned a string that lives as long as the program.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the handle came from nvrtcCreateProgram and is destroyed once.
            unsafe { (self.api.destroy)(&raw mut self.handle) };
        }
    }
}

impl Api {
    /// # Safety
    /// The library must be NVRTC.
    unsafe fn load(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: as the caller promises; each field has the type of the function named beside it.
        unsafe {
            Ok(Self {
                version: *library.get(b"nvrtcVersion\0")?,
                error_string: *library.get(b"nvrtcGetErrorString\0")?,
                create: *library.get(b"nvrtcCreateProgram\0")?,
                destroy: *library.get(b"nvrtcDestroyProgram\0")?,
                compile: *library.get(b"nvrtcCompileProgram\0")?,
                ptx_size: *library.get(b"nvrtcGetPTXSize\0")?,
                ptx: *library.get(b"nvrtcGetPTX\0")?,
                log_size: *library.get(b"nvrtcGetProgramLogSize\0")?,
                log: *library.get(b"nvrtcGetProgramLog\0")?,
                add_name: *library.get(b"nvrtcAddNameExpression\0")?,
                lowered_name: *library.get(b"nvrtcGetLoweredName\0")?,
                arch_count: library.get(b"nvrtcGetNumSupportedArchs\0").ok().map(|f| *f),
                archs: library.get(b"nvrtcGetSupportedArchs\0").ok().map(|f| *f),
            })
        }
    }
}

/// Loads `libnvrtc-builtins`, so that NVRTC finds it regardless of its own search path. It stays loaded.
fn preload(path: &Path) {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: the library holds tables for NVRTC and has no initialisers of note.
        if let Ok(library) = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
            std::mem::forget(library);
        }
    }
    #[cfg(not(unix))]
    {
        // SAFETY: as above.
        if let Ok(library) = unsafe { Library::new(path) } {
            std::mem::forget(library);
        }
    }
}

/// An error with the system's message, which is the helpful part.
fn with_cause(error: &libloading::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

fn c_string(text: &str) -> Result<CString, CompileError> {
    CString::new(text).map_err(|_| CompileError::NulCharacter)
}

fn c_strings<'t>(texts: impl Iterator<Item = &'t str>) -> Result<Vec<CString>, CompileError> {
    texts.map(c_string).collect()
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|s| s.as_ptr()).collect()
}

//! A machine with one build of one source file loaded.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use warpwise_simt::{Checks, DevicePtr, Fault, Gpu, Launch, Machine, ModuleId, Program, Report, Severity};

/// Compilers times architectures; the newer compiler no longer knows the oldest architecture.
const BUILDS: usize = 5;

/// A machine, the program on it, and the limits of its next launches.
pub(crate) struct Rig {
    machine: Machine,
    program: Arc<Program>,
    module: ModuleId,
    /// Dynamic shared memory in bytes.
    pub(crate) shared: u32,
    /// Whether all blocks must run at once.
    pub(crate) cooperative: bool,
    /// Warp instructions after which a launch ends.
    pub(crate) budget: u64,
    /// What launches are checked for.
    pub(crate) checks: Checks,
}

/// A number that lies in device memory as it does here.
pub(crate) trait Plain: Copy {
    const SIZE: usize;
    fn to_bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($ty:ty)*) => {$(
        impl Plain for $ty {
            const SIZE: usize = size_of::<$ty>();
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
        }
        impl Argument for $ty {
            fn bytes(&self) -> Vec<u8> {
                self.to_bytes()
            }
        }
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// Something that can be passed to a kernel.
pub(crate) trait Argument {
    fn bytes(&self) -> Vec<u8>;
}

impl Argument for DevicePtr {
    fn bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }
}

/// A struct, as its bytes.
impl Argument for Vec<u8> {
    fn bytes(&self) -> Vec<u8> {
        self.clone()
    }
}

impl Rig {
    fn new(ptx: &str) -> Self {
        let program = Arc::new(Program::load(ptx).unwrap_or_else(|error| panic!("does not load: {error}")));
        let mut machine = Machine::new(Gpu::named("h200").expect("the H200 is a known GPU"));
        let module = machine.load(Arc::clone(&program)).expect("the module fits the machine");
        Self { machine, program, module, shared: 0, cooperative: false, budget: 20_000_000, checks: Checks::ALL }
    }

    /// Device memory with these values.
    pub(crate) fn upload<T: Plain>(&mut self, values: &[T]) -> DevicePtr {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bytes()).collect();
        let pointer = self.machine.alloc(bytes.len() as u64).expect("a small allocation fits");
        self.machine.write(pointer, &bytes).expect("the allocation is as long as the data");
        pointer
    }

    /// Device memory for `count` results, filled with a pattern that no test expects.
    pub(crate) fn room<T: Plain>(&mut self, count: usize) -> DevicePtr {
        self.upload(&vec![0xa5_u8; count * T::SIZE])
    }

    /// What lies at `pointer` now.
    pub(crate) fn download<T: Plain>(&self, pointer: DevicePtr, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * T::SIZE];
        self.machine.read(pointer, &mut bytes).expect("a result lies in one allocation");
        bytes.chunks(T::SIZE).map(T::from_bytes).collect()
    }

    /// Overwrites a variable of the module.
    pub(crate) fn set_variable<T: Plain>(&mut self, name: &str, values: &[T]) {
        let (pointer, size) =
            self.machine.global(self.module, name).unwrap_or_else(|| panic!("no variable named {name}"));
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bytes()).collect();
        assert_eq!(size, bytes.len() as u64, "size of {name}");
        self.machine.write(pointer, &bytes).expect("a variable can be written");
    }

    /// Runs a kernel that must end well, and in which no check may find anything.
    pub(crate) fn launch(&mut self, kernel: &str, grid: [u32; 3], block: [u32; 3], values: &[&dyn Argument]) -> Report {
        let report = self.try_launch(kernel, grid, block, values).unwrap_or_else(|fault| {
            let line = fault.place.as_ref().map_or(0, |place| place.ptx_line);
            panic!("{kernel}: {} in line {line} of the PTX: {}", fault.kind.name(), fault.message)
        });
        let errors = report.findings.iter().filter(|f| f.severity == Severity::Error);
        let found: Vec<String> = errors.map(|f| format!("{}: {}", f.kind.name(), f.message)).collect();
        assert!(found.is_empty(), "{kernel}: {}", found.join("\n"));
        report
    }

    /// Runs a kernel that ends well although checks find an error of that kind, and no other.
    pub(crate) fn launch_despite(
        &mut self,
        kind: &str,
        kernel: &str,
        (grid, block): ([u32; 3], [u32; 3]),
        values: &[&dyn Argument],
    ) {
        let report = self.try_launch(kernel, grid, block, values).expect("ends well");
        let errors = report.findings.iter().filter(|f| f.severity == Severity::Error);
        let kinds: Vec<&str> = errors.map(|f| f.kind.name()).collect();
        assert_eq!(kinds, [kind], "{kernel}");
    }

    /// Runs a kernel to its end, successful or not.
    pub(crate) fn try_launch(
        &mut self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        values: &[&dyn Argument],
    ) -> Result<Report, Box<Fault>> {
        let face = self.program.kernel(kernel).unwrap_or_else(|| panic!("no kernel named {kernel}"));
        assert_eq!(face.params.len(), values.len(), "arguments of {kernel}");
        let mut params = vec![0; face.param_bytes as usize];
        for (parameter, value) in face.params.iter().zip(values) {
            let bytes = value.bytes();
            assert_eq!(parameter.size as usize, bytes.len(), "size of {} of {kernel}", parameter.name);
            params[parameter.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        let mut launch = Launch::new(grid, block, params);
        launch.shared_bytes = self.shared;
        launch.cooperative = self.cooperative;
        launch.max_instructions = self.budget;
        launch.watch.checks = self.checks;
        self.machine.launch(self.module, kernel, &launch).map_err(Box::<Fault>::from)
    }

    /// The source line that a fault names, with its file.
    pub(crate) fn source_of(&self, fault: &Fault) -> Option<(String, u32)> {
        let source = fault.place.as_ref()?.source.as_ref()?;
        Some((self.program.file(source.file)?.to_owned(), source.line))
    }
}

/// Runs `check` on every build of `name`.cu and reports all builds it fails on.
pub(crate) fn every_build(name: &str, check: impl Fn(&mut Rig)) {
    let builds = builds(name);
    assert_eq!(builds.len(), BUILDS, "builds of {name}");
    let failed: Vec<_> = builds
        .into_iter()
        .filter_map(|(label, path)| {
            let ptx = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{label}: {error}"));
            catch_unwind(AssertUnwindSafe(|| check(&mut Rig::new(&ptx)))).err().map(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                format!("{label}: {text}")
            })
        })
        .collect();
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

fn builds(name: &str) -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/ptx");
    let mut found = Vec::new();
    for compiler in folders(&root) {
        for architecture in folders(&compiler) {
            let path = architecture.join(name).with_extension("ptx");
            if path.exists() {
                let label = path.strip_prefix(&root).expect("found under the root").to_string_lossy().into_owned();
                found.push((label, path));
            }
        }
    }
    found.sort();
    found
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    entries.map(|entry| entry.expect("a folder's entries can be read").path()).filter(|path| path.is_dir()).collect()
}

/// The same numbers every time.
pub(crate) fn numbers(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
    .take(count)
}

/// Panics unless every result is within `bound` of what is expected, relative where that is above one.
pub(crate) fn assert_close(what: &str, results: &[f64], expected: impl Iterator<Item = f64>, bound: f64) {
    for (index, (&result, expected)) in results.iter().zip(expected).enumerate() {
        let error = (result - expected).abs() / expected.abs().max(1.0);
        assert!(error <= bound, "{what}[{index}]: expected {expected}, got {result}");
    }
}

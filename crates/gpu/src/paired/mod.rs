//! Two devices as one: every call goes to both, and the memory contents after launches are compared bit by bit.
//!
//! The first device's addresses are the ones that callers see. Addresses on the second are derived from them: buffers
//! are allocated in pairs, and a word of the parameter block that points into a buffer of the first becomes the same
//! place in its twin. Downloads come from the second, so verification applies to its results.

mod difference;

pub use difference::Difference;

use crate::{Device, DeviceError, DevicePtr, Gpu, Launch, Mark, Module, ModuleSource, Report};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What has been seen so far; shared with its readers.
pub type Differences = Arc<Mutex<Comparison>>;

/// The outcome of comparing launches.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Launches compared.
    pub launches: u64,
    /// Bytes compared.
    pub bytes: u64,
    /// The differences, one for each buffer and launch.
    pub differences: Vec<Difference>,
}

/// Two devices that do the same work. Fresh memory is filled alike on both.
pub struct PairedDevice {
    first: Box<dyn Device>,
    second: Box<dyn Device>,
    /// Buffers by their address on the first device: bytes, and the address on the second.
    twins: BTreeMap<u64, (u64, u64)>,
    modules: Vec<(Module, Module)>,
    marks: Vec<(Mark, Mark)>,
    seen: Differences,
}

/// The byte that fresh memory is filled with.
const UNWRITTEN: u8 = 0xcd;

impl PairedDevice {
    /// Pairs two devices.
    pub fn new(first: Box<dyn Device>, second: Box<dyn Device>) -> Self {
        Self {
            first,
            second,
            twins: BTreeMap::new(),
            modules: Vec::new(),
            marks: Vec::new(),
            seen: Differences::default(),
        }
    }

    /// What is seen from now on.
    pub fn differences(&self) -> Differences {
        Arc::clone(&self.seen)
    }

    /// The same place on the second device.
    fn twin(&self, at: u64) -> Option<u64> {
        let (&base, &(bytes, twin)) = self.twins.range(..=at).next_back()?;
        (at - base < bytes.max(1)).then(|| twin + (at - base))
    }

    fn second_ptr(&self, at: DevicePtr) -> Result<DevicePtr, DeviceError> {
        self.twin(at.0).map(DevicePtr).ok_or(DeviceError::NotAllocated(at))
    }

    /// The parameter block for the second device, and the buffers that it names.
    fn translate(&self, params: &[u8]) -> (Vec<u8>, Vec<u64>) {
        let mut translated = params.to_vec();
        let mut buffers = Vec::new();
        for (chunk, out) in params.as_chunks::<8>().0.iter().zip(translated.as_chunks_mut::<8>().0) {
            let word = u64::from_le_bytes(*chunk);
            if let Some(twin) = self.twin(word) {
                *out = twin.to_le_bytes();
                buffers.extend(self.twins.range(..=word).next_back().map(|(&base, _)| base));
            }
        }
        buffers.sort_unstable();
        buffers.dedup();
        (translated, buffers)
    }

    /// Compares the buffers of a launch.
    fn compare(&mut self, kernel: &str, buffers: &[u64]) -> Result<(), DeviceError> {
        let seen = Arc::clone(&self.seen);
        let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.launches += 1;
        for (position, base) in buffers.iter().enumerate() {
            let (bytes, twin) = self.twins[base];
            let (mut a, mut b) = (vec![0; bytes as usize], vec![0; bytes as usize]);
            self.first.download(DevicePtr(*base), &mut a)?;
            self.second.download(DevicePtr(twin), &mut b)?;
            seen.bytes += bytes;
            if let Some(difference) = Difference::between(kernel, position, &a, &b) {
                seen.differences.push(difference);
                // Later kernels start from equal contents: this kernel's difference is not theirs.
                self.first.upload(DevicePtr(*base), &b)?;
            }
        }
        Ok(())
    }
}

impl Device for PairedDevice {
    fn name(&self) -> String {
        "both".into()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        let first = self.first.allocate(bytes)?;
        let second = self.second.allocate(bytes)?;
        self.first.fill(first, UNWRITTEN, bytes)?;
        self.second.fill(second, UNWRITTEN, bytes)?;
        self.twins.insert(first.0, (bytes, second.0));
        Ok(first)
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        let (_, twin) = self.twins.remove(&buffer.0).ok_or(DeviceError::NotAllocated(buffer))?;
        self.first.free(buffer)?;
        self.second.free(DevicePtr(twin))
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        let twin = self.second_ptr(to)?;
        self.first.upload(to, bytes)?;
        self.second.upload(twin, bytes)
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let twin = self.second_ptr(from)?;
        self.second.download(twin, bytes)
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        let twin = self.second_ptr(to)?;
        self.first.fill(to, byte, bytes)?;
        self.second.fill(twin, byte, bytes)
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        let twins = (self.second_ptr(from)?, self.second_ptr(to)?);
        self.first.copy(from, to, bytes)?;
        self.second.copy(twins.0, twins.1, bytes)
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        self.modules.push((self.first.load(Arc::clone(&source))?, self.second.load(source)?));
        Ok(Module(self.modules.len() as u32 - 1))
    }

    fn is_ready(&self, module: Module, kernel: &str) -> bool {
        let (first, second) = self.modules[module.0 as usize];
        self.first.is_ready(first, kernel) && self.second.is_ready(second, kernel)
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        let (first, second) = self.modules[module.0 as usize];
        self.first.prepare(first, kernel)?;
        self.second.prepare(second, kernel)
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let (first, second) = self.modules[module.0 as usize];
        let (params, buffers) = self.translate(&launch.params);
        let report = self.first.launch(first, kernel, launch)?;
        self.second.launch(second, kernel, &Launch { params, ..launch.clone() })?;
        self.compare(kernel, &buffers)?;
        Ok(report)
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        let (first, second) = self.modules[module.0 as usize];
        let (at, bytes) = self.first.variable(first, name)?;
        let (twin, _) = self.second.variable(second, name)?;
        self.twins.insert(at.0, (bytes, twin.0));
        Some((at, bytes))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.first.synchronize()?;
        self.second.synchronize()
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        self.marks.push((self.first.mark()?, self.second.mark()?));
        Ok(Mark(self.marks.len() as u32 - 1))
    }

    fn elapsed_ms(&mut self, from: Mark, to: Mark) -> Result<f64, DeviceError> {
        self.second.elapsed_ms(self.marks[from.0 as usize].1, self.marks[to.0 as usize].1)
    }

    fn clear_marks(&mut self) {
        self.marks.clear();
        self.first.clear_marks();
        self.second.clear_marks();
    }

    fn memory_held(&mut self) -> u64 {
        self.first.memory_held() + self.second.memory_held()
    }

    fn generation(&self) -> u32 {
        self.first.generation() + self.second.generation()
    }

    fn cooperates(&self) -> bool {
        self.first.cooperates() && self.second.cooperates()
    }

    fn gpu(&self) -> &Gpu {
        self.second.gpu()
    }
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;
    use crate::PtxText;
    use crate::emulated::EmulatedDevice;

    const ADD_ONE: &str = "
        .version 6.0
        .target sm_70
        .address_size 64
        .visible .entry add_one(.param .u64 data, .param .u32 clock_matters)
        {
            .reg .b32 %r<4>;
            .reg .b64 %rd<4>;
            .reg .pred %p;
            ld.param.u64 %rd1, [data];
            ld.param.u32 %r3, [clock_matters];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
            ld.global.u32 %r2, [%rd3];
            add.u32 %r2, %r2, 1;
            setp.eq.u32 %p, %r3, 0;
            @!%p mov.b64 {%r2, %r1}, %rd1;
            st.global.u32 [%rd3], %r2;
            ret;
        }";

    fn pair() -> PairedDevice {
        let device = || Box::new(EmulatedDevice::new(Gpu::named("h200").expect("it is in the table")));
        let mut second = device();
        // So that the two have different addresses.
        second.allocate(4096).expect("there is memory");
        PairedDevice::new(device(), second)
    }

    /// Launches the kernel on two numbers, that many times.
    fn run(pair: &mut PairedDevice, tell_addresses: &[u32]) -> [u32; 2] {
        let module = pair.load(Arc::new(PtxText::new(ADD_ONE))).expect("it loads");
        let data = pair.allocate(8).expect("there is memory");
        pair.upload(data, &[1, 0, 0, 0, 2, 0, 0, 0]).expect("it fits");
        for tell in tell_addresses {
            let params = [&data.0.to_le_bytes()[..], &tell.to_le_bytes()].concat();
            pair.launch(module, "add_one", &Launch::new([1, 1, 1], [2, 1, 1], params)).expect("it runs");
        }
        let mut bytes = [0; 8];
        pair.download(data, &mut bytes).expect("it is there");
        [0, 4].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")))
    }

    #[test]
    fn equal_results_are_seen_as_equal() {
        let mut pair = pair();
        let seen = pair.differences();
        assert_eq!(run(&mut pair, &[0]), [2, 3]);
        let seen = seen.lock().expect("nobody panicked");
        assert_eq!((seen.launches, seen.bytes, seen.differences.len()), (1, 8, 0));
    }

    #[test]
    fn different_results_are_listed() {
        let mut pair = pair();
        let seen = pair.differences();
        // Launches after a difference start from equal contents again.
        run(&mut pair, &[0, 1, 0, 0]);
        let seen = seen.lock().expect("nobody panicked");
        assert_eq!((seen.launches, seen.differences.len()), (4, 1));
        assert_eq!((seen.differences[0].kernel.as_str(), seen.differences[0].first_byte), ("add_one", 1));
    }
}

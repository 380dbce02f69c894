//! A machine with a module loaded, and a buffer of words for its kernels.

use std::sync::Arc;

use warpwise_simt::{Checks, DevicePtr, Fault, Gpu, Launch, Machine, ModuleId, Program, Report};

/// A machine with a module, whose kernels take a buffer of 32-bit words as their only parameter.
pub(crate) struct Rig {
    pub(crate) machine: Machine,
    module: ModuleId,
    words: DevicePtr,
    count: usize,
}

impl Rig {
    /// Loads PTX (a header is added) on an H200; the words are `count` zeros.
    pub(crate) fn new(ptx: &str, count: usize) -> Self {
        Self::on("h200", ptx, count)
    }

    /// The same on another GPU.
    pub(crate) fn on(gpu: &str, ptx: &str, count: usize) -> Self {
        let text = format!(".version 8.0\n.target sm_90\n.address_size 64\n{ptx}");
        let program = Program::load(&text).unwrap_or_else(|error| panic!("does not load: {error}"));
        let mut machine = Machine::new(Gpu::named(gpu).expect("a known GPU"));
        let module = machine.load(Arc::new(program)).expect("the module fits");
        let words = machine.alloc(count as u64 * 4).expect("a small buffer");
        machine.write(words, &vec![0; count * 4]).expect("as long as the buffer");
        Self { machine, module, words, count }
    }

    /// The module's program.
    pub(crate) fn program(&self) -> &Program {
        self.machine.program(self.module).expect("the module is loaded")
    }

    /// Runs a kernel with every check, after a change to its launch.
    pub(crate) fn launch(
        &mut self,
        kernel: &str,
        (grid, block): (u32, u32),
        change: impl FnOnce(&mut Launch),
    ) -> Result<Report, Box<Fault>> {
        let mut launch = Launch::new([grid, 1, 1], [block, 1, 1], self.words.0.to_le_bytes().to_vec());
        launch.watch.checks = Checks::ALL;
        launch.max_instructions = 10_000_000;
        change(&mut launch);
        self.machine.launch(self.module, kernel, &launch).map_err(Box::new)
    }

    /// Runs a kernel that must end well and in which no check finds anything.
    pub(crate) fn good(&mut self, kernel: &str, shape: (u32, u32), change: impl FnOnce(&mut Launch)) -> Report {
        let report = self.launch(kernel, shape, change).unwrap_or_else(|fault| panic!("{kernel}: {}", fault.message));
        let found: Vec<&str> = report.findings.iter().map(|finding| &*finding.message).collect();
        assert!(found.is_empty(), "{kernel}: {found:?}");
        report
    }

    /// The kinds and messages of the findings of a kernel that ends well.
    pub(crate) fn findings(&mut self, kernel: &str, shape: (u32, u32)) -> Vec<(&'static str, String)> {
        let report = self.launch(kernel, shape, |_| ()).unwrap_or_else(|fault| panic!("{kernel}: {}", fault.message));
        report.findings.iter().map(|finding| (finding.kind.name(), finding.message.to_string())).collect()
    }

    /// The fault of a kernel that ends in one, by its name, and its message.
    pub(crate) fn fault(
        &mut self,
        kernel: &str,
        shape: (u32, u32),
        change: impl FnOnce(&mut Launch),
    ) -> (&'static str, String) {
        match self.launch(kernel, shape, change) {
            Ok(_) => panic!("{kernel} ended well"),
            Err(fault) => (fault.kind.name(), fault.message),
        }
    }

    /// Sets the first words.
    pub(crate) fn set(&mut self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.machine.write(self.words, &bytes).expect("no more than the buffer has");
    }

    /// The words now.
    pub(crate) fn words(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.count * 4];
        self.machine.read(self.words, &mut bytes).expect("as long as the buffer");
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }
}

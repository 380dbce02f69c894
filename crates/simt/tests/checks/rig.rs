//! Small kernels in PTX, launched with every check on.

use std::sync::Arc;

use warpwise_simt::{Checks, DevicePtr, Fault, Finding, Gpu, Launch, Machine, Program, Report};

/// What to launch: the body of a kernel with two pointers, `p` and `q`, to buffers of words.
pub(crate) struct Rig<'a> {
    pub(crate) body: &'a str,
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Words of each buffer; what they hold.
    pub(crate) words: [usize; 2],
    pub(crate) value: u32,
    pub(crate) checks: &'a str,
    pub(crate) workers: usize,
}

impl<'a> Rig<'a> {
    /// One block of 32 threads, buffers of 32 zeros.
    pub(crate) fn new(body: &'a str) -> Self {
        Self { body, blocks: 1, threads: 32, words: [32, 32], value: 0, checks: "all", workers: 1 }
    }

    /// Runs it; what the second buffer holds afterwards comes too. `%rd1` and `%rd2` are the pointers, `%rd3` and
    /// `%rd4` those to each thread's own words, and `%r1` is the thread.
    pub(crate) fn run(&self) -> (Result<Report, Fault>, Vec<u32>) {
        let text = format!(
            ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 4 .b8 room[];\n\
             .visible .entry k(.param .u64 p, .param .u64 q)\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n\
             .reg .b64 %rd<20>;\n.shared .align 4 .b8 tile[256];\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\n\
             mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd19, %r1, 4;\nadd.u64 %rd3, %rd1, %rd19;\n\
             add.u64 %rd4, %rd2, %rd19;\n{}\nret;\n}}\n.file 1 \"k.cu\"\n\
             .file 2 \"/cooperative_groups.h\"\n",
            self.body
        );
        let program = Arc::new(Program::load(&text).expect("valid PTX"));
        let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
        let module = machine.load(program).expect("nothing to resolve");
        let mut buffer = |words: usize| {
            let at = machine.alloc(4 * words as u64).expect("memory");
            machine.write(at, &self.value.to_le_bytes().repeat(words)).expect("in range");
            at
        };
        let [p, q] = self.words.map(&mut buffer);
        let params = [p, q].iter().flat_map(|at: &DevicePtr| at.0.to_le_bytes()).collect();
        let mut launch = Launch::new([self.blocks, 1, 1], [self.threads, 1, 1], params);
        launch.workers = self.workers;
        launch.max_instructions = 10_000_000;
        launch.watch.checks = self.checks.parse::<Checks>().expect("checks");
        let outcome = machine.launch(module, "k", &launch);
        let bytes = machine.bytes(q, 4 * self.words[1] as u64).expect("in range");
        (outcome, bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// What is found if the kernel ends.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.run().0.expect("it ends").findings
    }
}

/// Kinds and counts, in order.
pub(crate) fn kinds(findings: &[Finding]) -> Vec<(&'static str, u64)> {
    findings.iter().map(|finding| (finding.kind.name(), finding.count)).collect()
}

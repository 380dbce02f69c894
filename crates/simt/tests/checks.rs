//! What findings say, and what checks remember from one launch to the next.

#[path = "checks/advice.rs"]
mod advice;
#[path = "checks/going_on.rs"]
mod going_on;
#[path = "checks/rig.rs"]
mod rig;
#[path = "checks/unwritten.rs"]
mod unwritten;

use std::sync::Arc;

use warpwise_simt::{Checks, DevicePtr, Finding, Gpu, Launch, Machine, MemorySpace, ModuleId, Program, Severity};

const KERNELS: &str = "
.version 7.0
.target sm_70
.address_size 64

// out[i] = in[i + shift], one thread an element.
.visible .entry copy(.param .u64 in, .param .u64 out, .param .u32 shift)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r1, [shift];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    add.u32 %r6, %r5, %r1;
    mul.wide.u32 %rd3, %r6, 4;
    add.u64 %rd4, %rd1, %rd3;
    ld.global.u32 %r7, [%rd4];
    mul.wide.u32 %rd5, %r5, 4;
    add.u64 %rd6, %rd2, %rd5;
    st.global.u32 [%rd6], %r7;
    ret;
}

// Every thread of every block writes its operand to data[tid / 2].
.visible .entry pairs(.param .u64 data, .param .u32 distinct)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [distinct];
    mov.u32 %r2, %tid.x;
    shr.u32 %r3, %r2, 1;
    mul.lo.u32 %r4, %r2, %r1;
    mul.wide.u32 %rd2, %r3, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r4;
    ret;
}

// Every thread writes its word of shared memory and reads the one that many threads further.
.visible .entry neighbours(.param .u64 out, .param .u32 shift)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [shift];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, tile;
    shl.b32 %r4, %r2, 2;
    add.u32 %r5, %r3, %r4;
    st.shared.u32 [%r5], %r2;
    bar.sync 0;
    add.u32 %r6, %r2, %r1;
    and.b32 %r6, %r6, 63;
    shl.b32 %r6, %r6, 2;
    add.u32 %r6, %r3, %r6;
    ld.shared.u32 %r7, [%r6];
    st.shared.u32 [%r5], %r7;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}
";

struct Lab {
    machine: Machine,
    module: ModuleId,
}

impl Lab {
    fn new() -> Self {
        let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
        let module = machine.load(Arc::new(Program::load(KERNELS).expect("valid PTX"))).expect("nothing to resolve");
        Self { machine, module }
    }

    fn upload(&mut self, count: u32) -> DevicePtr {
        let ptr = self.machine.alloc(u64::from(count) * 4).expect("small");
        let bytes: Vec<u8> = (0..count).flat_map(u32::to_le_bytes).collect();
        self.machine.write(ptr, &bytes).expect("as long as it is");
        ptr
    }

    fn launch(&mut self, kernel: &str, blocks: u32, pointers: &[DevicePtr], n: u32, workers: usize) -> Vec<Finding> {
        self.launch_of(kernel, (blocks, 32), pointers, n, workers)
    }

    fn launch_of(
        &mut self,
        kernel: &str,
        (blocks, threads): (u32, u32),
        pointers: &[DevicePtr],
        n: u32,
        workers: usize,
    ) -> Vec<Finding> {
        let params = pointers.iter().flat_map(|p| p.0.to_le_bytes()).chain(n.to_le_bytes()).collect();
        let mut launch = Launch::new([blocks, 1, 1], [threads, 1, 1], params);
        launch.watch.checks = Checks::ALL;
        launch.workers = workers;
        match self.machine.launch(self.module, kernel, &launch) {
            Ok(report) => report.findings,
            Err(fault) => fault.findings,
        }
    }
}

#[test]
fn an_index_into_the_next_buffer_is_out_of_bounds() {
    let mut lab = Lab::new();
    let (input, output) = (lab.upload(32), lab.upload(32));
    // Buffers lie 64 KiB apart; this lands in the middle of the second.
    let apart = (output.0 - input.0) / 4;
    let findings = lab.launch("copy", 1, &[input, output], apart as u32, 1);
    assert_eq!(findings.len(), 1, "{findings:?}");
    let found = &findings[0];
    assert_eq!((found.kind.name(), found.severity, found.count), ("out_of_bounds", Severity::Error, 32));
    assert_eq!(found.object.as_deref(), Some("argument 0"));
    let index =
        format!("Thread 0 of block 0 accesses element {apart} of argument 0, which has 32 elements of 4 bytes.");
    assert_eq!(found.message, index);
    lab.machine.name(input, "argument 0 (in)").expect("an allocation");
    let findings = lab.launch("copy", 1, &[input, output], 1, 1);
    assert_eq!(findings[0].object.as_deref(), Some("argument 0 (in)"));
    assert!(findings[0].message.contains("Thread 31 of block 0"), "{}", findings[0].message);
    assert_eq!(findings[0].place.as_ref().map(|p| p.thread), Some([31, 0, 0]));
}

#[test]
fn what_one_launch_writes_the_next_may_read() {
    let mut lab = Lab::new();
    let input = lab.upload(64);
    let (middle, output) = (lab.machine.alloc(256).expect("small"), lab.machine.alloc(256).expect("small"));
    assert_eq!(lab.launch("copy", 1, &[input, middle], 0, 0), []);
    assert_eq!(lab.launch("copy", 1, &[middle, output], 0, 0), []);
    let findings = lab.launch("copy", 1, &[middle, output], 16, 0);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].kind.name(), findings[0].count), ("uninitialized", 16));
    assert!(findings[0].message.contains("reads element 32 of argument 0, which nobody"), "{}", findings[0].message);
    // Nobody followed what an unchecked launch did.
    let params = [middle.0.to_le_bytes(), output.0.to_le_bytes()].concat();
    let launch = Launch::new([1, 1, 1], [32, 1, 1], [params, vec![0; 4]].concat());
    lab.machine.launch(lab.module, "copy", &launch).expect("ends well");
    assert_eq!(lab.launch("copy", 1, &[middle, output], 16, 0), []);
}

#[test]
fn races_are_counted_by_word_whatever_the_number_of_host_threads() {
    for workers in [1, 4] {
        let mut lab = Lab::new();
        let data = lab.upload(16);
        let findings = lab.launch("pairs", 1, &[data], 1, workers);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((findings[0].kind.name(), findings[0].severity, findings[0].count), ("race", Severity::Error, 16));
        let message = "Thread 0 of block 0 and thread 1 of block 0 both write element 0 of argument 0 with no order \
                       between them.";
        assert_eq!(findings[0].message, message);
        let findings = lab.launch("pairs", 8, &[data], 0, workers);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!((findings[0].severity, findings[0].count), (Severity::Warning, 16), "the same value");
    }
}

#[test]
fn advice_is_for_the_threads_furthest_apart() {
    let mut lab = Lab::new();
    let out = lab.upload(64);
    let advice = |lab: &mut Lab, threads: u32, shift: u32, workers: usize| {
        let findings = lab.launch_of("neighbours", (4, threads), &[out], shift, workers);
        let races: Vec<_> = findings.into_iter().filter(|f| f.space == Some(MemorySpace::Shared)).collect();
        assert_eq!(races.len(), 1, "{races:?}");
        races[0].advice.clone()
    };
    for workers in [1, 4] {
        // The lowest pair is of one warp; threads 31 and 32 are not.
        assert!(advice(&mut lab, 64, 1, workers).contains("__syncthreads()"));
        assert!(advice(&mut lab, 64, 32, workers).contains("__syncthreads()"));
    }
}

#[test]
fn lanes_of_one_warp_need_a_barrier_of_the_warp_only() {
    let mut lab = Lab::new();
    let data = lab.upload(64);
    // Thread 31 reads unwritten memory: that is another finding.
    let findings = lab.launch_of("neighbours", (1, 32), &[data], 1, 1);
    let race = findings.iter().find(|f| f.kind.name() == "race").expect("lanes race");
    assert!(race.advice.contains("__syncwarp()"), "{}", race.advice);
}

#[test]
fn each_check_keeps_to_its_own() {
    let mut lab = Lab::new();
    let data = lab.upload(16);
    let params = [data.0.to_le_bytes().to_vec(), vec![1, 0, 0, 0]].concat();
    let mut launch = Launch::new([1, 1, 1], [32, 1, 1], params);
    for checks in ["none", "memory", "init", "sync"] {
        launch.watch.checks = checks.parse().expect("a check");
        let report = lab.machine.launch(lab.module, "pairs", &launch).expect("ends well");
        assert_eq!(report.findings, [], "{checks}");
    }
    launch.watch.checks = "races".parse().expect("a check");
    let report = lab.machine.launch(lab.module, "pairs", &launch).expect("ends well");
    assert_eq!(report.findings.len(), 1);
}

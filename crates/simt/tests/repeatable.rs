//! The same launch gives the same integer results every time, whatever the number of host threads; and the emulator
//! takes little more memory than the buffers it works on.

use std::sync::Arc;

use warpwise_simt::{DevicePtr, Gpu, Launch, Machine, ModuleId, Program};

/// Two kernels whose results depend on the order in which blocks run, if anybody let them see it.
const TICKETS: &str = "
.version 7.0
.target sm_70
.address_size 64

// Each thread takes a ticket and writes its number there: the order of the list is the order of execution.
.visible .entry compact(.param .u64 list, .param .u64 counter)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [list];
    ld.param.u64 %rd2, [counter];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    atom.global.add.u32 %r5, [%rd2], 1;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd1, %rd3;
    st.global.u32 [%rd4], %r4;
    ret;
}

// The last block to arrive leaves its number.
.visible .entry last(.param .u64 list, .param .u64 counter)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd2, [counter];
    mov.u32 %r1, %ctaid.x;
    atom.global.exch.b32 %r2, [%rd2], %r1;
    ret;
}

// A sum whose order is not observable: runs on all cores.
.visible .entry total(.param .u64 list, .param .u64 counter)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd2, [counter];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r3, %tid.x;
    add.u32 %r4, %r1, %r3;
    atom.global.add.u32 %r5, [%rd2], %r4;
    ret;
}
";

fn machine() -> (Machine, ModuleId) {
    let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
    let program = Arc::new(Program::load(TICKETS).expect("valid PTX"));
    let module = machine.load(program).expect("nothing to resolve");
    (machine, module)
}

fn result(kernel: &str, workers: usize) -> Vec<u8> {
    let (mut machine, module) = machine();
    let (blocks, threads) = (200, 96);
    let list = machine.alloc(blocks * threads * 4).expect("memory");
    let counter = machine.alloc(4).expect("memory");
    let params = [list, counter].iter().flat_map(|p: &DevicePtr| p.0.to_le_bytes()).collect();
    let mut launch = Launch::new([blocks as u32, 1, 1], [threads as u32, 1, 1], params);
    launch.workers = workers;
    machine.launch(module, kernel, &launch).expect("the kernel ends well");
    let mut bytes = machine.bytes(list, blocks * threads * 4).expect("in range").to_vec();
    bytes.extend_from_slice(machine.bytes(counter, 4).expect("in range"));
    bytes
}

#[test]
fn results_do_not_depend_on_the_host() {
    for kernel in ["compact", "last", "total"] {
        let first = result(kernel, 1);
        for workers in [1, 2, 2, 3, 8] {
            assert_eq!(result(kernel, workers), first, "{kernel} with {workers} host threads");
        }
    }
}

/// Peak memory of this process in bytes, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[test]
fn a_buffer_takes_little_more_than_its_bytes() {
    let Some(before) = peak() else {
        eprintln!("passed over: this system does not tell a process its peak memory");
        return;
    };
    let (mut machine, module) = machine();
    let bytes = 512u64 << 20;
    let list = machine.alloc(bytes).expect("memory");
    machine.bytes_mut(list, bytes).expect("in range").fill(1);
    let counter = machine.alloc(4).expect("memory");
    let params = [list, counter].iter().flat_map(|p: &DevicePtr| p.0.to_le_bytes()).collect();
    let launch = Launch::new([4096, 1, 1], [1024, 1, 1], params);
    machine.launch(module, "compact", &launch).expect("the kernel ends well");
    let used = peak().expect("told it before") - before;
    assert!(used < bytes + bytes / 8, "{used} bytes for a buffer of {bytes}");
}

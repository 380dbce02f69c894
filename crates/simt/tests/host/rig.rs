//! A machine in the host's address space, with a module whose kernels work on memory of either.

use std::ptr::NonNull;
use std::sync::Arc;

use warpwise_simt::{DevicePtr, Fault, Gpu, Launch, Machine, MachineError, ModuleId, Program, Report};

/// Kernels that tests share.
pub(crate) const KERNELS: &str = r"
    .version 8.0
    .target sm_90
    .address_size 64
    .global .u32 total = 5;
    .global .u64 whereabouts = total;
    .const .u32 factor = 3;

    .extern .func (.param .b64 pointer) malloc(.param .b64 bytes);

    // data[thread] *= 2
    .visible .entry double(.param .u64 data)
    {
        .reg .b64 %p;
        .reg .b32 %i, %v;
        ld.param.u64 %p, [data];
        mov.u32 %v, %ctaid.x;
        mov.u32 %i, %ntid.x;
        mul.lo.u32 %i, %v, %i;
        mov.u32 %v, %tid.x;
        add.u32 %i, %i, %v;
        mad.wide.u32 %p, %i, 4, %p;
        ld.global.u32 %v, [%p];
        shl.b32 %v, %v, 1;
        st.global.u32 [%p], %v;
        ret;
    }
    // A list of nodes { next, value }: adds all values to the one at `total`.
    .visible .entry follow(.param .u64 first)
    {
        .reg .b64 %p, %to;
        .reg .b32 %v, %sum;
        .reg .pred %end;
        ld.param.u64 %p, [first];
        mov.u32 %sum, 0;
    NEXT:
        ld.u32 %v, [%p+8];
        add.u32 %sum, %sum, %v;
        ld.u64 %p, [%p];
        setp.ne.u64 %end, %p, 0;
        @%end bra NEXT;
        ld.global.u64 %to, [whereabouts];
        ld.u32 %v, [%to];
        add.u32 %v, %v, %sum;
        st.u32 [%to], %v;
        ret;
    }
    // data[0] = factor, by its constant and by its generic address
    .visible .entry constant(.param .u64 data)
    {
        .reg .b64 %p, %q;
        .reg .b32 %v;
        ld.param.u64 %p, [data];
        ld.const.u32 %v, [factor];
        st.global.u32 [%p], %v;
        mov.u64 %q, factor;
        cvta.const.u64 %q, %q;
        ld.u32 %v, [%q];
        st.global.u32 [%p+4], %v;
        ret;
    }
    // Three words of shared memory: thread i writes word i, and data[i] is what it reads back.
    .visible .entry share(.param .u64 data)
    {
        .shared .align 4 .b8 room[12];
        .reg .b64 %p;
        .reg .b32 %i, %at, %v;
        ld.param.u64 %p, [data];
        mov.u32 %i, %tid.x;
        mov.u32 %at, room;
        mad.lo.u32 %at, %i, 4, %at;
        st.shared.u32 [%at], %i;
        ld.shared.u32 %v, [%at];
        mad.wide.u32 %p, %i, 4, %p;
        st.global.u32 [%p], %v;
        ret;
    }
    // data[0] = malloc(8), which holds 77
    .visible .entry keep(.param .u64 data)
    {
        .reg .b64 %p, %q;
        .param .b64 bytes;
        .param .b64 got;
        st.param.b64 [bytes], 8;
        call (got), malloc, (bytes);
        ld.param.u64 %q, [got];
        st.u64 [%q], 77;
        ld.param.u64 %p, [data];
        st.global.u64 [%p], %q;
        ret;
    }";

/// A machine with the module.
pub(crate) struct Rig {
    pub(crate) machine: Machine,
    pub(crate) module: ModuleId,
}

impl Rig {
    /// The kernels above on an H200 with a GiB.
    pub(crate) fn new() -> Self {
        Self::on(Machine::on_host(Gpu::named("h200").expect("a known GPU"), 1 << 30))
    }

    /// The same with units of 512 bytes.
    pub(crate) fn padded() -> Self {
        Self::on(Machine::on_host_padded(Gpu::named("h200").expect("a known GPU"), 1 << 30))
    }

    fn on(mut machine: Machine) -> Self {
        let program = Program::load(KERNELS).unwrap_or_else(|error| panic!("does not load: {error}"));
        let module = machine.load(Arc::new(program)).expect("the module fits");
        Self { machine, module }
    }

    /// Runs a kernel on a pointer.
    pub(crate) fn run(&mut self, kernel: &str, threads: u32, pointer: u64) -> Result<Report, Box<Fault>> {
        self.launch(kernel, &Launch::new([1, 1, 1], [threads, 1, 1], pointer.to_le_bytes().to_vec()))
    }

    pub(crate) fn launch(&mut self, kernel: &str, launch: &Launch) -> Result<Report, Box<Fault>> {
        self.machine.launch(self.module, kernel, launch).map_err(Box::new)
    }

    /// Makes host values device memory. They must stay where they are until they are freed.
    pub(crate) fn adopt<T>(&mut self, values: &mut [T]) -> Result<DevicePtr, MachineError> {
        let start = NonNull::new(values.as_mut_ptr().cast()).expect("a slice is not null");
        // SAFETY: every test keeps its values where they are until the machine is gone or they are freed.
        unsafe { self.machine.adopt(start, size_of_val(values) as u64) }
    }
}

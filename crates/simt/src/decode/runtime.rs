//! Functions of CUDA's device runtime library that a module calls and does not bring along.
//!
//! A program that is linked as a whole has them from `libcudadevrt`. A module that is loaded by itself, as Numba's are,
//! only declares them. They are written in PTX here, so that they run, and are watched, like any other code.

use warpwise_ptx::ast::{Module, Parameter};

use crate::image::device_runtime;

/// The handle of the grid, which is the address of its workspace; 0 if the launch is not cooperative.
const HANDLE: &str = "
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .b32 %scope, %high, %low;
    .reg .b64 %handle;
    .reg .pred %is_grid;
    ld.param.u32 %scope, [scope];
    setp.eq.u32 %is_grid, %scope, 1;
    mov.u32 %high, %envreg1;
    mov.u32 %low, %envreg2;
    mov.b64 %handle, {%low, %high};
    selp.b64 %handle, %handle, 0, %is_grid;
    st.param.b64 [handle], %handle;
    ret;
}
";

/// All threads of the grid meet. The first thread of each block adds to the counter in the workspace; the first block
/// adds what makes the sum of all change the highest bit, for which everybody waits.
const MEET: &str = "
    .reg .b64 %at;
    .reg .b32 %x, %y, %z, %n, %m, %old, %new;
    .reg .pred %none, %first, %leads, %waits;
    ld.param.u64 %at, [handle];
    setp.eq.u64 %none, %at, 0;
    @%none trap;
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.eq.u32 %first, %x, 0;
    bar.sync 0;
    @!%first bra MET;
    mov.u32 %x, %ctaid.x;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.eq.u32 %leads, %x, 0;
    mov.u32 %n, %nctaid.x;
    mov.u32 %m, %nctaid.y;
    mul.lo.u32 %n, %n, %m;
    mov.u32 %m, %nctaid.z;
    mul.lo.u32 %n, %n, %m;
    sub.u32 %n, 0x80000001, %n;
    selp.u32 %n, %n, 1, %leads;
    atom.add.release.gpu.u32 %old, [%at+4], %n;
WAIT:
    ld.acquire.gpu.u32 %new, [%at+4];
    xor.b32 %new, %new, %old;
    setp.ge.s32 %waits, %new, 0;
    @%waits bra WAIT;
MET:
    bar.sync 0;
    st.param.b32 [error], 0;
    ret;
";

/// A function that has nothing to do and reports no error.
const NOTHING: &str = "
    st.param.b32 [error], 0;
    ret;
";

/// A stream or an event: all are alike, because launches of a kernel run one after the other.
const CREATE: &str = "
    .reg .b64 %at;
    ld.param.u64 %at, [object];
    st.u64 [%at], 256;
    st.param.b32 [error], 0;
    ret;
";

/// Sets the value that a conditional node of a graph decides by. Its handle is the address of the value.
const CONDITION: &str = "
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b32 %value;
    .reg .b64 %handle;
    ld.param.u64 %handle, [handle];
    ld.param.u32 %value, [value];
    st.global.u32 [%handle], %value;
    ret;
}
";

/// The functions by name without `cuda`: their parameters and code. Each returns an error code.
const FUNCTIONS: [(&str, &str, &str); 8] = [
    ("CGSynchronize", ".param .b64 handle, .param .b32 flags", MEET),
    ("CGSynchronizeGrid", ".param .b64 handle, .param .b32 flags", MEET),
    ("GetLastError", "", NOTHING),
    ("PeekAtLastError", "", NOTHING),
    ("StreamCreateWithFlags", ".param .b64 object, .param .b32 flags", CREATE),
    ("StreamDestroy", ".param .b64 object", NOTHING),
    ("EventCreateWithFlags", ".param .b64 object, .param .b32 flags", CREATE),
    ("EventDestroy", ".param .b64 object", NOTHING),
];

/// PTX that defines what a module declares and does not define; empty if there is nothing to add. A function that it
/// declares with other parameters is another one.
pub(super) fn missing(module: &Module) -> String {
    let mut text = String::new();
    for function in module.functions.iter().filter(|function| function.body.is_none()) {
        let name = &*function.name;
        let is_like = |result: u64, params: &[u64]| {
            sizes(&function.returns).eq([result]) && sizes(&function.params).eq(params.iter().copied())
        };
        if name == "cudaCGGetIntrinsicHandle" && is_like(8, &[4]) {
            text += HANDLE;
        }
        let sets = function.returns.is_empty() && sizes(&function.params).eq([8, 4]);
        if name == "cudaGraphSetConditional" && sets {
            text += CONDITION;
        }
        let known = device_runtime(name).and_then(|plain| FUNCTIONS.iter().find(|(known, ..)| *known == plain));
        if let Some((_, params, code)) = known {
            let width = |param: &str| if param.contains(".b64") { 8 } else { 4 };
            let widths: Vec<u64> = params.split(',').filter(|param| !param.is_empty()).map(width).collect();
            if is_like(4, &widths) {
                text += &format!("\n.visible .func (.param .b32 error) {name}({params})\n{{{code}}}\n");
            }
        }
    }
    text
}

/// The bytes of each parameter.
fn sizes(params: &[Parameter]) -> impl Iterator<Item = u64> {
    params.iter().map(|param| param.variable.size)
}

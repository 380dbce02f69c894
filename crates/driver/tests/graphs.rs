//! Graphs: captured, made by hand, updated, launched.

mod support;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use support::{PTX, alloc, at, context, kernel, launch, module, ok, read, write};
use warpwise_driver::api::*;

fn stream() -> u64 {
    let mut stream = 0;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuStreamCreate(&raw mut stream, 1) });
    stream
}

fn instantiate(graph: u64) -> u64 {
    let mut exec = 0;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuGraphInstantiateWithFlags(&raw mut exec, graph, 0) });
    exec
}

fn nodes(graph: u64) -> Vec<u64> {
    let mut count = 0;
    // SAFETY: a variable of the right type, then an array of that many.
    unsafe {
        ok(cuGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count));
        let mut nodes = vec![0; count];
        ok(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
        nodes
    }
}

#[test]
fn a_capture_does_nothing_until_it_is_launched() {
    context();
    let fill = kernel(module(PTX), "fill");
    let (one, other) = (stream(), stream());
    let p = alloc(256);
    write(p, &[0; 64]);
    let (mut fork, mut join, mut graph) = (0, 0, 0);
    let q = p + 128;
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuEventCreate(&raw mut fork, 2));
        ok(cuEventCreate(&raw mut join, 2));
        ok(cuStreamBeginCapture_v2(one, 1));
        ok(launch(fill, 1, 32, one, &[at(&p), at(&10u32)]));
        ok(cuEventRecord(fork, one));
        ok(cuStreamWaitEvent(other, fork, 0));
        ok(launch(fill, 1, 32, other, &[at(&q), at(&20u32)]));
        ok(cuEventRecord(join, other));
        ok(cuStreamWaitEvent(one, join, 0));
        ok(cuMemcpyDtoDAsync_v2(p, q, 8, one));
        ok(cuStreamEndCapture(one, &raw mut graph));
    }
    assert_eq!(read(p, 1), [0]);
    assert_eq!(nodes(graph).len(), 3);
    let exec = instantiate(graph);
    for _ in 0..2 {
        write(p, &[0; 64]);
        // SAFETY: it takes no pointers.
        unsafe {
            ok(cuGraphLaunch(exec, one));
            ok(cuStreamSynchronize(one));
        }
        assert_eq!((read(p, 3), read(q, 2)), (vec![20, 21, 12], vec![20, 21]));
    }
}

#[test]
fn what_cannot_be_captured_spoils_the_capture() {
    context();
    let (one, other) = (stream(), stream());
    let (mut graph, mut event, mut p) = (0, 0, 0);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuEventCreate(&raw mut event, 2));
        ok(cuStreamBeginCapture_v2(one, 1));
        assert_eq!(cuMemAlloc_v2(&raw mut p, 16), 900);
        assert_eq!(cuStreamEndCapture(one, &raw mut graph), 901);
        assert_eq!(graph, 0);
        // Work in another stream that does not come back.
        ok(cuStreamBeginCapture_v2(one, 1));
        ok(cuEventRecord(event, one));
        assert_eq!(cuEventQuery(event), 907);
        ok(cuStreamWaitEvent(other, event, 0));
        assert_eq!(cuStreamEndCapture(other, &raw mut graph), 903);
        assert_eq!(cuStreamEndCapture(one, &raw mut graph), 901);
        ok(cuStreamQuery(one));
    }
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
struct KernelNode {
    function: u64,
    shape: [u32; 7],
    parameters: *const *const c_void,
    extra: *const c_void,
    kernel: u64,
    context: u64,
}

fn kernel_node(function: u64, parameters: &[*const c_void]) -> KernelNode {
    let shape = [1, 1, 1, 32, 1, 1, 0];
    let parameters = parameters.as_ptr();
    KernelNode { function, shape, parameters, extra: std::ptr::null(), kernel: 0, context: 0 }
}

extern "C" fn count(data: *mut c_void) {
    // SAFETY: the test passes a counter that lives for ever.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn nodes_are_added_changed_and_left_out() {
    context();
    let fill = kernel(module(PTX), "fill");
    let p = alloc(128);
    let counter = Box::leak(Box::new(AtomicU32::new(0)));
    let (mut graph, mut set, mut filled, mut host) = (0, 0, 0, 0);
    // SAFETY: descriptions as the API has them, and variables of the right types.
    unsafe {
        ok(cuGraphCreate(&raw mut graph, 0));
        // CUDA_MEMSET_NODE_PARAMS: 32 words of 1.
        let zero: [u64; 5] = [p, 0, 1 | 4 << 32, 32, 1];
        ok(cuGraphAddMemsetNode(&raw mut set, graph, std::ptr::null(), 0, zero.as_ptr().cast(), 0));
        let list = [at(&p), at(&5u32)];
        let node = kernel_node(fill, &list);
        ok(cuGraphAddKernelNode_v2(&raw mut filled, graph, &raw const set, 1, (&raw const node).cast()));
        let function: [usize; 2] = [count as *const () as usize, std::ptr::from_mut(counter) as usize];
        ok(cuGraphAddHostNode(&raw mut host, graph, &raw const filled, 1, function.as_ptr().cast()));
    }
    let exec = instantiate(graph);
    let run = || {
        // SAFETY: it takes no pointers.
        unsafe {
            ok(cuGraphLaunch(exec, 0));
            ok(cuCtxSynchronize());
        }
        read(p, 2)
    };
    assert_eq!(run(), [5, 6]);
    let list = [at(&p), at(&50u32)];
    let node = kernel_node(fill, &list);
    // SAFETY: a description as the API has it.
    ok(unsafe { cuGraphExecKernelNodeSetParams_v2(exec, filled, (&raw const node).cast()) });
    assert_eq!(run(), [50, 51]);
    // SAFETY: it takes no pointers.
    ok(unsafe { cuGraphNodeSetEnabled(exec, filled, 0) });
    assert_eq!(run(), [1, 1]);
    assert_eq!(counter.load(Ordering::SeqCst), 3);
    // The graph itself has not changed; its parameters can be asked for.
    let mut asked = kernel_node(0, &[]);
    // SAFETY: a place for the answer, whose parameters live as long as the node.
    unsafe {
        ok(cuGraphKernelNodeGetParams_v2(filled, (&raw mut asked).cast()));
        assert_eq!((asked.function, *(*asked.parameters.add(1)).cast::<u32>()), (fill, 5));
    }
}

#[test]
fn a_launchable_graph_takes_over_another_of_the_same_shape() {
    context();
    let fill = kernel(module(PTX), "fill");
    let p = alloc(128);
    let make = |values: &[u32]| {
        let (mut graph, mut node, mut before) = (0, 0, 0);
        // SAFETY: descriptions as the API has them, and variables of the right types.
        unsafe {
            ok(cuGraphCreate(&raw mut graph, 0));
            for value in values {
                let list = [at(&p), at(value)];
                let description = kernel_node(fill, &list);
                let count = usize::from(before != 0);
                ok(cuGraphAddKernelNode_v2(
                    &raw mut node,
                    graph,
                    &raw const before,
                    count,
                    (&raw const description).cast(),
                ));
                before = node;
            }
        }
        graph
    };
    let exec = instantiate(make(&[1, 2]));
    let mut info = [0u64; 3];
    // SAFETY: a place for the answer.
    unsafe {
        ok(cuGraphExecUpdate_v2(exec, make(&[3, 4]), info.as_mut_ptr().cast()));
        ok(cuGraphLaunch(exec, 0));
        assert_eq!(read(p, 1), [4]);
        assert_eq!(cuGraphExecUpdate_v2(exec, make(&[3, 4, 5]), info.as_mut_ptr().cast()), 910);
        // The shape has changed.
        assert_eq!(info[0] as u32, 2);
    }
}

#[test]
fn a_copy_of_a_graph_is_its_own() {
    context();
    let (mut graph, mut copy, mut first, mut second, mut twin) = (0, 0, 0, 0, 0);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuGraphCreate(&raw mut graph, 0));
        ok(cuGraphAddEmptyNode(&raw mut first, graph, std::ptr::null(), 0));
        ok(cuGraphAddEmptyNode(&raw mut second, graph, &raw const first, 1));
        ok(cuGraphClone(&raw mut copy, graph));
        ok(cuGraphNodeFindInClone(&raw mut twin, second, copy));
        ok(cuGraphDestroyNode(second));
        assert_eq!(cuGraphAddDependencies(copy, &raw const twin, &raw const twin, 1), 1);
    }
    assert_eq!((nodes(graph).len(), nodes(copy).len()), (1, 2));
    assert!(nodes(copy).contains(&twin));
}

#[test]
fn graphs_have_memory_of_their_own() {
    context();
    let fill = kernel(module(PTX), "fill");
    let one = stream();
    let (mut graph, mut p) = (0, 0);
    let out = alloc(8);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuStreamBeginCapture_v2(one, 1));
        ok(cuMemAllocAsync(&raw mut p, 128, one));
        ok(launch(fill, 1, 32, one, &[at(&p), at(&7u32)]));
        ok(cuMemcpyDtoDAsync_v2(out, p, 8, one));
        ok(cuMemFreeAsync(p, one));
        ok(cuStreamEndCapture(one, &raw mut graph));
    }
    let mut used = 0u64;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuDeviceGetGraphMemAttribute(0, 0, (&raw mut used).cast()) });
    assert!(used >= 128);
    let exec = instantiate(graph);
    for _ in 0..2 {
        write(out, &[0, 0]);
        // SAFETY: it takes no pointers.
        ok(unsafe { cuGraphLaunch(exec, one) });
        assert_eq!(read(out, 2), [7, 8]);
    }
}

/// Counts down in memory, and says whether to go on.
const COUNTDOWN: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry countdown(.param .u64 data, .param .u64 handle)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [data];
	ld.param.u64 %rd2, [handle];
	ld.global.u32 %r1, [%rd1];
	sub.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	ld.global.u32 %r2, [%rd1+4];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1+4], %r2;
	{
	.param .b64 p0;
	.param .b32 p1;
	st.param.b64 [p0], %rd2;
	st.param.b32 [p1], %r1;
	call.uni cudaGraphSetConditional, (p0, p1);
	}
	ret;
}
";

/// A graph with one conditional node, and the first graph inside it.
fn conditional(graph: u64, condition: u64, kind: u32, parts: u32) -> Vec<u64> {
    // CUgraphNodeParams: the type, then CUDA_CONDITIONAL_NODE_PARAMS.
    let mut parameters = [0u64; 32];
    parameters[0] = 13;
    parameters[2..4].copy_from_slice(&[condition, u64::from(kind) | u64::from(parts) << 32]);
    let mut node = 0;
    // SAFETY: a description as the API has it; it points to the graphs of the parts afterwards.
    unsafe {
        ok(cuGraphAddNode(&raw mut node, graph, std::ptr::null(), 0, parameters.as_mut_ptr().cast()));
        std::slice::from_raw_parts(parameters[4] as *const u64, parts as usize).to_vec()
    }
}

#[test]
fn a_loop_goes_on_as_long_as_its_kernel_says() {
    context();
    let countdown = kernel(module(COUNTDOWN), "countdown");
    let p = alloc(8);
    let (mut graph, mut condition, mut node) = (0, 0, 0);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuGraphCreate(&raw mut graph, 0));
        ok(cuGraphConditionalHandleCreate(&raw mut condition, graph, 0, 1, 1));
    }
    let body = conditional(graph, condition, 1, 1)[0];
    let list = [at(&p), at(&condition)];
    let mut description = kernel_node(countdown, &list);
    description.shape[3] = 1;
    // SAFETY: a description as the API has it.
    ok(unsafe { cuGraphAddKernelNode_v2(&raw mut node, body, std::ptr::null(), 0, (&raw const description).cast()) });
    let exec = instantiate(graph);
    for turns in [5, 3] {
        write(p, &[turns, 0]);
        // SAFETY: it takes no pointers.
        ok(unsafe { cuGraphLaunch(exec, 0) });
        assert_eq!(read(p, 2), [0, turns]);
    }
}

#[test]
fn a_value_chooses_a_part() {
    context();
    let p = alloc(4);
    for (kind, parts, value, expected) in [(0, 2, 1, 10), (0, 2, 0, 11), (2, 3, 2, 12), (2, 3, 7, 0)] {
        let (mut graph, mut condition, mut node) = (0, 0, 0);
        // SAFETY: descriptions as the API has them, and variables of the right types.
        unsafe {
            ok(cuGraphCreate(&raw mut graph, 0));
            ok(cuGraphConditionalHandleCreate(&raw mut condition, graph, 0, value, 1));
            for (number, body) in conditional(graph, condition, kind, parts).into_iter().enumerate() {
                let set: [u64; 5] = [p, 0, (10 + number as u64) | 4 << 32, 1, 1];
                ok(cuGraphAddMemsetNode(&raw mut node, body, std::ptr::null(), 0, set.as_ptr().cast(), 0));
            }
            write(p, &[0]);
            ok(cuGraphLaunch(instantiate(graph), 0));
        }
        assert_eq!(read(p, 1), [expected], "{kind} {value}");
    }
}

#[test]
fn a_graph_is_drawn() {
    context();
    let (mut graph, mut first, mut second) = (0, 0, 0);
    let path = std::env::temp_dir().join(format!("warpwise-drawing-{}.dot", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("text")).expect("no NUL");
    // SAFETY: variables of the right types and a terminated name.
    unsafe {
        ok(cuGraphCreate(&raw mut graph, 0));
        ok(cuGraphAddEmptyNode(&raw mut first, graph, std::ptr::null(), 0));
        ok(cuGraphAddEmptyNode(&raw mut second, graph, &raw const first, 1));
        ok(cuGraphDebugDotPrint(graph, name.as_ptr(), 0));
    }
    let drawing = std::fs::read_to_string(&path).expect("written");
    assert!(drawing.contains("n0 -> n1;") && drawing.contains("1: empty"), "{drawing}");
    std::fs::remove_file(&path).expect("removed");
}

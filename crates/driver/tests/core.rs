//! Programs against the functions of the API: memory, modules, launches, streams, faults.

mod support;

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use support::{PTX, alloc, at, context, kernel, launch, module, ok, read, write};
use warpwise_driver::api::*;

#[test]
fn a_vector_is_added() {
    context();
    let add = kernel(module(PTX), "add");
    let [a, b, c] = [0; 3].map(|_| alloc(128));
    write(a, &(0..32).collect::<Vec<_>>());
    write(b, &[100; 32]);
    ok(launch(add, 1, 32, 0, &[at(&a), at(&b), at(&c)]));
    assert_eq!(read(c, 32), (100..132).collect::<Vec<_>>());
}

#[test]
fn variables_are_read_and_written() {
    context();
    let module = module(PTX);
    let (mut counter, mut factors, mut bytes) = (0, 0, 0);
    // SAFETY: terminated names, and variables of the right types.
    unsafe {
        ok(cuModuleGetGlobal_v2(&raw mut counter, &raw mut bytes, module, c"counter".as_ptr()));
        assert_eq!(bytes, 4);
        ok(cuModuleGetGlobal_v2(&raw mut factors, &raw mut bytes, module, c"factors".as_ptr()));
        assert_eq!(bytes, 16);
    }
    assert_eq!((read(counter, 1), read(factors, 4)), (vec![7], vec![1, 2, 3, 4]));
    write(counter, &[6]);
    write(factors + 12, &[7]);
    let out = alloc(4);
    ok(launch(kernel(module, "product"), 1, 1, 0, &[at(&out)]));
    assert_eq!(read(out, 1), [42]);
}

#[test]
fn pinned_managed_and_registered_memory_are_one_with_the_device() {
    context();
    let fill = kernel(module(PTX), "fill");
    let (mut pinned, mut managed) = (std::ptr::null_mut::<c_void>(), 0u64);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuMemAllocHost_v2(&raw mut pinned, 64));
        ok(cuMemAllocManaged(&raw mut managed, 64, 1));
        // Prefetching moves nothing; what is not managed is refused.
        let (device, size, first) = ([1u32, 0], 64usize, 0usize);
        let batch = |address: *const u64| {
            cuMemPrefetchBatchAsync(address, &raw const size, 1, device.as_ptr().cast(), &raw const first, 1, 0, 0)
        };
        ok(batch(&raw const managed));
        assert_eq!(batch(&(pinned as u64)), 1);
    }
    let mut own = vec![0u32; 16];
    // SAFETY: memory of that size, which outlives its registration.
    ok(unsafe { cuMemHostRegister_v2(own.as_mut_ptr().cast(), 64, 0) });
    for (place, first) in [(pinned as u64, 1u32), (managed, 2), (own.as_mut_ptr() as u64, 3)] {
        ok(launch(fill, 1, 16, 0, &[at(&place), at(&first)]));
        // SAFETY: sixteen numbers, written by the kernel, which has ended.
        let seen = unsafe { std::slice::from_raw_parts(place as *const u32, 16) };
        assert_eq!(seen, (first..first + 16).collect::<Vec<_>>());
    }
    // SAFETY: what was allocated and registered above, once each.
    unsafe {
        assert_eq!(cuMemHostRegister_v2(own.as_mut_ptr().cast(), 64, 0), 712);
        ok(cuMemHostUnregister(own.as_mut_ptr().cast()));
        assert_eq!(cuMemHostUnregister(own.as_mut_ptr().cast()), 713);
        ok(cuMemFreeHost(pinned));
        ok(cuMemFree_v2(managed));
        assert_eq!(cuMemFree_v2(managed), 1);
    }
}

#[test]
fn planes_and_blocks_are_copied() {
    context();
    let (mut address, mut pitch) = (0, 0);
    // SAFETY: variables of the right types.
    ok(unsafe { cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 12, 4, 4) });
    assert_eq!(pitch % 512, 0);
    let source: Vec<u32> = (0..12).collect();
    // Host (1) to device (2), four rows of twelve bytes: the layout of CUDA_MEMCPY2D.
    let copy: [u64; 16] = [0, 0, 1, source.as_ptr() as u64, 0, 0, 12, 0, 0, 2, 0, address, 0, pitch as u64, 12, 4];
    // SAFETY: a description as the API has it.
    ok(unsafe { cuMemcpy2D_v2(copy.as_ptr().cast()) });
    assert_eq!(read(address + 2 * pitch as u64, 3), [6, 7, 8]);
    let mut back = [0u32; 6];
    // The lower right part of it, back to the host: two columns from column 1, three rows from row 1.
    let copy: [u64; 16] = [4, 1, 2, 0, address, 0, pitch as u64, 0, 0, 1, back.as_mut_ptr() as u64, 0, 0, 8, 8, 3];
    // SAFETY: a description as the API has it.
    ok(unsafe { cuMemcpy2D_v2(copy.as_ptr().cast()) });
    assert_eq!(back, [4, 5, 7, 8, 10, 11]);
}

#[test]
fn fills_of_every_width() {
    context();
    let p = alloc(64);
    // SAFETY: memory of that size.
    unsafe {
        ok(cuMemsetD32_v2(p, 0x0102_0304, 16));
        ok(cuMemsetD16_v2(p, 0xaabb, 2));
        ok(cuMemsetD8_v2(p + 4, 0x11, 2));
        ok(cuMemsetD2D32_v2(p + 32, 16, 9, 1, 2));
    }
    assert_eq!(read(p, 3), [0xaabb_aabb, 0x0102_1111, 0x0102_0304]);
    assert_eq!(read(p + 32, 6), [9, 0x0102_0304, 0x0102_0304, 0x0102_0304, 9, 0x0102_0304]);
}

#[test]
fn faults_stay_until_the_context_ends() {
    let context_of_faults = context();
    let module = module(PTX);
    let p = alloc(4);
    ok(launch(kernel(module, "fault"), 1, 1, 0, &[]));
    // SAFETY: no pointers but to variables of the right types.
    unsafe {
        assert_eq!(cuCtxSynchronize(), 700);
        let mut q = 0;
        assert_eq!(cuMemAlloc_v2(&raw mut q, 16), 700);
        assert_eq!(cuMemFree_v2(p), 700);
        assert_eq!(launch(kernel(module, "nothing"), 1, 1, 0, &[]), 700);
        ok(cuCtxDestroy_v2(context_of_faults));
        assert_eq!(cuCtxSynchronize(), 201);
    }
    context();
    // SAFETY: it takes no pointers.
    ok(unsafe { cuCtxSynchronize() });
}

#[test]
fn a_context_is_current_on_one_thread_only() {
    let made = context();
    let elsewhere = std::thread::spawn(|| {
        let mut context = 1;
        // SAFETY: a variable of the right type.
        ok(unsafe { cuCtxGetCurrent(&raw mut context) });
        context
    });
    assert_eq!(elsewhere.join().expect("no panic"), 0);
    let mut popped = 0;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuCtxPopCurrent_v2(&raw mut popped) });
    assert_eq!(popped, made);
    // SAFETY: it takes no pointers.
    assert_eq!(unsafe { cuCtxSynchronize() }, 201);
}

extern "C" fn note(data: *mut c_void) {
    // SAFETY: the test passes a counter that outlives the stream's work.
    let counter = unsafe { &*data.cast::<AtomicU32>() };
    // It may not call the driver.
    let mut count = 0;
    // SAFETY: a variable of the right type.
    assert_eq!(unsafe { cuDeviceGetCount(&raw mut count) }, 800);
    counter.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn functions_of_the_host_run_in_order_on_another_thread() {
    context();
    let counter = Box::leak(Box::new(AtomicU32::new(0)));
    let mut stream = 0;
    // SAFETY: a function and data that outlive the stream's work.
    unsafe {
        ok(cuStreamCreate(&raw mut stream, 1));
        for _ in 0..10 {
            ok(cuLaunchHostFunc(stream, note as *const c_void, std::ptr::from_mut(counter).cast()));
        }
        ok(cuStreamSynchronize(stream));
    }
    assert_eq!(counter.load(Ordering::SeqCst), 10);
}

extern "C" fn wait(data: *mut c_void) {
    // SAFETY: the test passes a channel that outlives the stream's work.
    let channel = unsafe { &*data.cast::<std::sync::Mutex<mpsc::Receiver<()>>>() };
    let receiver = channel.lock().expect("no panic");
    receiver.recv_timeout(Duration::from_secs(60)).expect("the test sends");
}

/// Work behind a function that waits for the caller does not keep the caller from going on.
#[test]
fn work_waits_for_functions_of_the_host() {
    context();
    let fill = kernel(module(PTX), "fill");
    let p = alloc(128);
    write(p, &[0; 32]);
    let (send, receive) = mpsc::channel();
    let receive = Box::leak(Box::new(std::sync::Mutex::new(receive)));
    let (mut stream, mut event) = (0, 0);
    // SAFETY: variables of the right types, and data that outlives the stream's work.
    unsafe {
        ok(cuStreamCreate(&raw mut stream, 1));
        ok(cuEventCreate(&raw mut event, 0));
        ok(cuLaunchHostFunc(stream, wait as *const c_void, std::ptr::from_mut(receive).cast()));
        ok(launch(fill, 1, 32, stream, &[at(&p), at(&5u32)]));
        ok(cuEventRecord(event, stream));
        assert_eq!(cuStreamQuery(stream), 600);
        assert_eq!(cuEventQuery(event), 600);
        send.send(()).expect("it waits");
        ok(cuEventSynchronize(event));
        ok(cuStreamQuery(stream));
    }
    assert_eq!(read(p, 2), [5, 6]);
}

/// A kernel that waits for the host does not keep the caller from going on.
#[test]
fn a_kernel_can_wait_for_the_host() {
    const SERVER: &str = "
        .version 8.0
        .target sm_90
        .address_size 64
        .visible .entry serve(.param .u64 mail)
        {
            .reg .b64 %m;
            .reg .b32 %r;
            .reg .pred %p;
            ld.param.u64 %m, [mail];
        wait:
            ld.acquire.sys.u32 %r, [%m];
            setp.eq.u32 %p, %r, 0;
            @%p bra wait;
            mul.lo.u32 %r, %r, 3;
            st.release.sys.u32 [%m+4], %r;
            ret;
        }";
    context();
    let serve = kernel(module(SERVER), "serve");
    let mut mail = std::ptr::null_mut::<c_void>();
    // SAFETY: variables of the right types, and memory of the host's of two words.
    unsafe {
        ok(cuMemAllocHost_v2(&raw mut mail, 8));
        let words = std::slice::from_raw_parts(mail.cast::<AtomicU32>(), 2);
        words.iter().for_each(|word| word.store(0, Ordering::SeqCst));
        ok(launch(serve, 1, 1, 0, &[at(&mail)]));
        assert_eq!(words[1].load(Ordering::SeqCst), 0, "it waits");
        words[0].store(14, Ordering::SeqCst);
        ok(cuCtxSynchronize());
        assert_eq!(words[1].load(Ordering::SeqCst), 42);
        // With the letter there already it is done at once.
        ok(launch(serve, 1, 1, 0, &[at(&mail)]));
        ok(cuStreamSynchronize(0));
        ok(cuMemFreeHost(mail));
    }
}

/// A stream that waits holds up no other that has nothing to do with it.
#[test]
fn other_streams_go_on_while_one_waits() {
    context();
    let fill = kernel(module(PTX), "fill");
    let [flag, p, q] = [0; 3].map(|_| alloc(128));
    write(flag, &[0]);
    let (mut first, mut second, mut event) = (0, 0, 0);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuStreamCreate(&raw mut first, 1));
        ok(cuStreamCreate(&raw mut second, 1));
        ok(cuEventCreate(&raw mut event, 0));
        ok(cuStreamWaitValue32_v2(first, flag, 1, 0));
        ok(launch(fill, 1, 32, first, &[at(&p), at(&5u32)]));
        ok(cuEventRecord(event, first));
        // The other stream, and the default stream, which waits for neither.
        ok(launch(fill, 1, 32, second, &[at(&q), at(&7u32)]));
        ok(cuStreamSynchronize(second));
        assert_eq!(read(q, 2), [7, 8]);
        assert_eq!((cuStreamQuery(first), cuEventQuery(event)), (600, 600));
        // What the other stream does after an event of the first waits with it.
        ok(cuStreamWaitEvent(second, event, 0));
        ok(launch(fill, 1, 32, second, &[at(&q), at(&9u32)]));
        assert_eq!((cuStreamQuery(second), read(q, 1)), (600, vec![7]));
        write(flag, &[1]);
        ok(cuStreamSynchronize(second));
    }
    assert_eq!((read(p, 2), read(q, 2)), (vec![5, 6], vec![9, 10]));
}

#[test]
fn values_in_memory_order_streams() {
    context();
    let p = alloc(8);
    write(p, &[0, 0]);
    let mut stream = 0;
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuStreamCreate(&raw mut stream, 1));
        ok(cuStreamWaitValue32_v2(stream, p, 3, 0));
        ok(cuStreamWriteValue32_v2(stream, p + 4, 9, 0));
        assert_eq!(cuStreamQuery(stream), 600);
        // The host sets the value that the stream waits for.
        (p as *mut u32).write_volatile(4);
        ok(cuStreamSynchronize(stream));
    }
    assert_eq!(read(p, 2), [4, 9]);
}

#[test]
fn events_measure_the_time_between_them() {
    context();
    let (mut start, mut stop, mut passed) = (0, 0, 0f32);
    // SAFETY: variables of the right types.
    unsafe {
        ok(cuEventCreate(&raw mut start, 0));
        ok(cuEventCreate(&raw mut stop, 0));
        ok(cuEventRecord(start, 0));
        std::thread::sleep(Duration::from_millis(20));
        ok(cuEventRecord(stop, 0));
        ok(cuEventElapsedTime_v2(&raw mut passed, start, stop));
    }
    assert!(passed >= 20.0, "{passed}");
}

#[test]
fn the_log_says_where_the_mistake_is() {
    context();
    let text = c".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\tthis is no instruction;\n}\n";
    let mut log = [0u8; 400];
    let options = [5, 6];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), 400 as *mut c_void];
    let mut module = 0;
    // SAFETY: options as the API has them.
    let code =
        unsafe { cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 2, options.as_ptr(), values.as_mut_ptr()) };
    assert_eq!(code, 218);
    let log = CStr::from_bytes_until_nul(&log).expect("terminated").to_string_lossy();
    assert!(log.contains("line 6"), "{log}");
    assert_eq!(values[1] as usize, log.len() + 1);
}

#[test]
fn several_texts_are_linked() {
    context();
    let callee = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .func (.param .b32 out) twice(.param .b32 in)\n{\n.reg .b32 %r<2>;\n\
        ld.param.u32 %r1, [in];\nadd.u32 %r1, %r1, %r1;\nst.param.b32 [out], %r1;\nret;\n}\n\0";
    let caller = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .extern .func (.param .b32 out) twice(.param .b32 in);\n\
        .visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n\
        mov.u32 %r1, 21;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n\
        call.uni (b), twice, (a);\nld.param.b32 %r2, [b];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n\0";
    let (mut link, mut image, mut bytes, mut module) = (0, std::ptr::null(), 0, 0);
    let none = std::ptr::null_mut();
    // SAFETY: texts with their lengths, and variables of the right types.
    unsafe {
        ok(cuLinkCreate_v2(0, std::ptr::null(), none, &raw mut link));
        for text in [callee, caller] {
            let (data, name) = (text.as_ptr().cast(), c"part".as_ptr());
            ok(cuLinkAddData_v2(link, 1, data, text.len(), name, 0, std::ptr::null(), none));
        }
        ok(cuLinkComplete(link, &raw mut image, &raw mut bytes));
        ok(cuModuleLoadData(&raw mut module, image));
        ok(cuLinkDestroy(link));
    }
    let p = alloc(4);
    ok(launch(kernel(module, "k"), 1, 1, 0, &[at(&p)]));
    assert_eq!(read(p, 1), [42]);
}

/// Numbers that no sum or product of can be right are refused, not computed with.
#[test]
fn absurd_sizes_are_refused() {
    context();
    let p = alloc(64);
    let mut q = 0;
    // SAFETY: the driver refuses all of these before it touches anything.
    unsafe {
        assert_eq!(cuMemAlloc_v2(&raw mut q, usize::MAX), 2);
        assert_eq!(cuMemsetD32_v2(p, 0, usize::MAX), 1);
        assert_eq!(cuMemsetD2D32_v2(p, 16, 0, usize::MAX, 2), 1);
        assert_eq!(cuMemcpyDtoD_v2(p, p, usize::MAX), 1);
        assert_eq!(cuCtxSetLimit(0, usize::MAX), 1);
        assert_eq!(cuMemAddressReserve(&raw mut q, usize::MAX, 0, 0, 0), 1);
        let copy: [u64; 16] = [u64::MAX, 0, 2, 0, p, 0, 16, 0, u64::MAX, 2, 0, p, 0, 16, 8, 2];
        assert_eq!(cuMemcpy2D_v2(copy.as_ptr().cast()), 1);
    }
    assert_eq!(launch(kernel(module(PTX), "nothing"), u32::MAX, 1, 0, &[]), 1);
}

#[test]
fn a_limit_on_registers_is_kept() {
    context();
    let text = std::ffi::CString::new(PTX).expect("no NUL");
    let registers = |module: u64| {
        let mut registers = 0;
        // SAFETY: a variable of the right type.
        ok(unsafe { cuFuncGetAttribute(&raw mut registers, 4, kernel(module, "add")) });
        registers
    };
    let (numbers, mut values) = ([0u32], [2 as *mut c_void]);
    let (mut module, mut link, mut image, mut bytes) = (0, 0, std::ptr::null(), 0);
    let none = std::ptr::null_mut();
    // SAFETY: options and texts as the API has them, and variables of the right types.
    unsafe {
        ok(cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 1, numbers.as_ptr(), values.as_mut_ptr()));
        assert_eq!(registers(module), 2);
        ok(cuLinkCreate_v2(1, numbers.as_ptr(), values.as_mut_ptr(), &raw mut link));
        let (data, name) = (text.as_ptr().cast(), c"all".as_ptr());
        ok(cuLinkAddData_v2(link, 1, data, text.as_bytes().len(), name, 0, std::ptr::null(), none));
        ok(cuLinkComplete(link, &raw mut image, &raw mut bytes));
        ok(cuModuleLoadData(&raw mut module, image));
    }
    assert_eq!(registers(module), 2);
    assert!(registers(support::module(PTX)) > 2);
}

#[test]
fn launches_of_many_threads_do_not_disturb_each_other() {
    let made = context();
    let fill = kernel(module(PTX), "fill");
    let threads: Vec<_> = (0..8u32)
        .map(|number| {
            std::thread::spawn(move || {
                // SAFETY: a context that exists.
                ok(unsafe { cuCtxSetCurrent(made) });
                let p = alloc(256);
                for round in 0..20 {
                    let first = 1000 * number + round;
                    ok(launch(fill, 2, 32, 0, &[at(&p), at(&first)]));
                    assert_eq!(read(p, 64), (first..first + 64).collect::<Vec<_>>());
                }
                // SAFETY: allocated above.
                ok(unsafe { cuMemFree_v2(p) });
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
}

/// Calls a form whose arguments are those of the plain one.
macro_rules! form {
    ($function:ident($($argument:expr),*) as fn($($type:ty),*)) => {
        // SAFETY: the form takes the arguments of the plain function, whatever its type says.
        unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn($($type),*) -> u32>($function as *const ())($($argument),*) }
    };
}

#[test]
fn forms_of_threads_have_the_threads_own_stream() {
    let context = context();
    let id = move |of_thread: bool| {
        let mut id = 0u64;
        // SAFETY: a context that exists, and a variable of the right type.
        unsafe { ok(cuCtxSetCurrent(context)) };
        ok(match of_thread {
            true => form!(cuStreamGetId_ptsz(0, &raw mut id) as fn(u64, *mut u64)),
            // SAFETY: a variable of the right type.
            false => unsafe { cuStreamGetId(0, &raw mut id) },
        });
        id
    };
    let (plain, own) = (id(false), id(true));
    assert_ne!(plain, own);
    assert_eq!((id(false), id(true)), (plain, own), "a call of the one form does not change the next of the other");
    let other = std::thread::spawn(move || (id(false), id(true))).join().expect("no panic");
    assert_eq!(other.0, plain);
    assert!(other.1 != own && other.1 != plain);

    // All arguments arrive, also those on the stack, and the work is done in the thread's own stream.
    let (out, first) = (alloc(64), 5u32);
    let fill = kernel(module(PTX), "fill");
    let arguments = [at(&out), at(&first)];
    ok(form!(cuLaunchKernel_ptsz(fill, 1, 1, 1, 16, 1, 1, 0, 0, arguments.as_ptr(), std::ptr::null())
        as fn(u64, u32, u32, u32, u32, u32, u32, u32, u64, *const *const c_void, *const *const c_void)));
    let mut seen = [0u32; 16];
    ok(form!(cuMemcpyDtoH_v2_ptds(seen.as_mut_ptr(), out, 64) as fn(*mut u32, u64, usize)));
    assert_eq!(seen.to_vec(), (5..21).collect::<Vec<_>>());
}

#[test]
fn mappings_that_follow_each_other_are_one_range_for_copies() {
    context();
    const PIECE: usize = 2 << 20;
    // `CUmemAllocationProp` and `CUmemAccessDesc`: pinned memory of the device, for reading and writing.
    let properties = [1u32, 0, 1, 0, 0, 0, 0, 0];
    let access = [1u32, 0, 3];
    let mut base = 0u64;
    // SAFETY: the structures and variables are of the right types; what is mapped is unmapped at the end.
    unsafe {
        ok(cuMemAddressReserve(&raw mut base, 3 * PIECE, 0, 0, 0));
        for at in 0..2 {
            let mut memory = 0u64;
            ok(cuMemCreate(&raw mut memory, PIECE, properties.as_ptr().cast(), 0));
            ok(cuMemMap(base + (at * PIECE) as u64, PIECE, 0, memory, 0));
            ok(cuMemRelease(memory));
        }
        ok(cuMemSetAccess(base, 2 * PIECE, access.as_ptr().cast(), 1));
        let edge = base + PIECE as u64;
        ok(cuMemsetD32_v2(edge - 8, 7, 4));
        write(edge - 4, &[1, 2]);
        assert_eq!(read(edge - 8, 4), [7, 1, 2, 7]);
        let mut bytes = vec![0u8; PIECE + 4];
        assert_eq!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), edge, PIECE + 4), 1, "there is no third piece");
        ok(cuMemUnmap(base, 2 * PIECE));
        ok(cuMemAddressFree(base, 3 * PIECE));
    }
}

#[test]
fn advice_is_remembered() {
    context();
    let mut data = 0u64;
    // SAFETY: a variable of the right type.
    ok(unsafe { cuMemAllocManaged(&raw mut data, 8192, 1) });
    let attribute = |which: u32, from: u64, bytes: usize| {
        let mut value = 77i32;
        // SAFETY: four bytes for a value of four bytes.
        ok(unsafe { cuMemRangeGetAttribute((&raw mut value).cast(), 4, which, from, bytes) });
        value
    };
    let advise = |bytes: usize, advice: u32, device: i32| {
        // SAFETY: plain numbers.
        ok(unsafe { cuMemAdvise(data, bytes, advice, device) });
    };
    let whole = |which: u32| attribute(which, data, 8192);
    // These values are those of an H200.
    assert_eq!([1, 2, 4, 5, 6, 7, 8].map(whole), [0, -2, -2, 0, -2, 0, -2]);
    advise(4096, 1, 0);
    assert_eq!((attribute(1, data, 8192), attribute(1, data, 4096), attribute(1, data + 4096, 4096)), (0, 1, 0));
    advise(8192, 3, 0);
    assert_eq!([2, 5, 6].map(whole), [0, 1, 0]);
    advise(4096, 3, -1);
    assert_eq!([2, 5, 6].map(whole), [-2, 0, -2]);
    assert_eq!([2, 5, 6].map(|which| attribute(which, data, 4096)), [-1, 2, -1]);
    advise(8192, 5, 0);
    let mut users = [77i32; 2];
    // SAFETY: eight bytes for two values of four.
    ok(unsafe { cuMemRangeGetAttribute(users.as_mut_ptr().cast(), 8, 3, data, 8192) });
    assert_eq!(users, [0, -2]);
    // SAFETY: plain numbers.
    ok(unsafe { cuMemPrefetchAsync(data, 8192, -1, 0) });
    assert_eq!([4, 7, 8].map(whole), [-1, 2, -1]);
    for advice in [2, 4, 6] {
        advise(8192, advice, 0);
    }
    assert_eq!([1, 2].map(whole), [0, -2]);
    // SAFETY: freed once.
    ok(unsafe { cuMemFree_v2(data) });
}

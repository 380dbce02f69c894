//! Modules on the emulator: decoded kernel by kernel, with variables that all kernels share.

use super::EmulatedDevice;
use crate::{Device, DeviceError, DevicePtr, FaultKind, Gpu, Launch, Module, PtxText};
use std::sync::Arc;

/// Two kernels that add to one variable, one of them through a function, and one that never ends.
const SHARED: &str = "
    .version 6.0
    .target sm_70
    .address_size 64
    .global .u32 counter = 40;
    .func add(.param .u32 n)
    {
        .reg .u32 %r;
        ld.param.u32 %r, [n];
        red.global.add.u32 [counter], %r;
        ret;
    }
    .visible .entry direct()
    {
        red.global.add.u32 [counter], 1;
        ret;
    }
    .visible .entry through()
    {
        .param .u32 n;
        st.param.u32 [n], 1;
        call add, (n);
        ret;
    }
    .visible .entry endless()
    {
    again:
        bra again;
    }";

fn device() -> (EmulatedDevice, Module) {
    let mut device = EmulatedDevice::new(Gpu::named("h200").expect("it is in the table")).with_budget(10_000);
    let module = device.load(Arc::new(PtxText::new(SHARED))).expect("it is PTX");
    (device, module)
}

fn counter(device: &mut EmulatedDevice, module: Module) -> (DevicePtr, u32) {
    let (at, bytes) = device.variable(module, "counter").expect("it is declared");
    assert_eq!(bytes, 4);
    let mut value = [0; 4];
    device.download(at, &mut value).expect("it is there");
    (at, u32::from_le_bytes(value))
}

#[test]
fn kernels_share_variables_that_are_there_before_any_launch() {
    let (mut device, module) = device();
    let (at, value) = counter(&mut device, module);
    assert_eq!(value, 40);
    device.upload(at, &50u32.to_le_bytes()).expect("it fits");
    for kernel in ["direct", "through", "direct"] {
        device.launch(module, kernel, &Launch::new([1; 3], [1; 3], Vec::new())).expect("it runs");
    }
    assert_eq!(counter(&mut device, module), (at, 53));
}

#[test]
fn a_kernel_is_decoded_when_it_is_first_needed() {
    let (mut device, module) = device();
    assert!(!device.is_ready(module, "direct"));
    device.prepare(module, "direct").expect("it is there");
    assert!(device.is_ready(module, "direct") && !device.is_ready(module, "through"));
    let missing = device.prepare(module, "add").expect_err("it is no kernel");
    assert!(matches!(&missing, DeviceError::NoKernel(name) if name == "add"), "{missing}");
}

#[test]
fn what_takes_too_long_ends_where_the_text_says() {
    let (mut device, module) = device();
    let stopped = device.launch(module, "endless", &Launch::new([1; 3], [1; 3], Vec::new()));
    let Err(DeviceError::Fault(fault)) = stopped else { panic!("{stopped:?}") };
    assert_eq!(fault.kind, FaultKind::Timeout);
    let place = fault.place.expect("the emulator says where");
    assert_eq!(SHARED.lines().nth(place.ptx_line as usize - 1).map(str::trim), Some("bra again;"));
}

#[test]
fn what_takes_too_much_time_ends_too() {
    let device = EmulatedDevice::new(Gpu::named("h200").expect("it is in the table"));
    let mut device = device.with_time_limit(Some(std::time::Duration::from_millis(300)));
    let module = device.load(Arc::new(PtxText::new(SHARED))).expect("it is PTX");
    let stopped = device.launch(module, "endless", &Launch::new([3, 1, 1], [40, 1, 1], Vec::new()));
    let Err(DeviceError::Fault(fault)) = stopped else { panic!("{stopped:?}") };
    assert_eq!(fault.kind, FaultKind::Timeout);
    let line = fault.place.as_ref().expect("the emulator says where").ptx_line;
    assert!(fault.message.contains(&format!("were at PTX line {line} (40 threads)")), "{}", fault.message);
    device
        .launch(module, "direct", &Launch::new([1; 3], [1; 3], Vec::new()))
        .expect("the next one has time of its own");
}

#[test]
fn what_is_no_ptx_is_refused() {
    let (mut device, _) = device();
    let refused = device.load(Arc::new(PtxText::new(".entry {"))).expect_err("it is no PTX");
    assert!(matches!(&refused, DeviceError::Module(problem) if problem.contains("line 1")), "{refused}");
    let outside = device.upload(DevicePtr(3), &[1, 2]).expect_err("nothing is there");
    assert!(matches!(outside, DeviceError::BadAddress { address: 3, bytes: 2 }), "{outside}");
}

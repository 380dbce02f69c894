//! Host memory as device memory.

use std::ptr::NonNull;
use std::sync::Mutex;

use warpwise_simt::{DevicePtr, FaultKind, Launch, MachineError};

use crate::rig::Rig;

#[test]
fn a_kernel_works_on_the_hosts_own_array() {
    let mut rig = Rig::new();
    let mut array: Vec<u32> = (0..64).collect();
    let device = rig.adopt(&mut array).expect("it is the host's");
    assert_eq!(device.0, array.as_ptr() as u64);
    rig.run("double", 64, device.0).expect("it ends well");
    assert_eq!(array, (0..64).map(|i| 2 * i).collect::<Vec<u32>>());
    // From the middle, and with several blocks on several host threads.
    let mut launch = Launch::new([7, 1, 1], [8, 1, 1], (device.0 + 32).to_le_bytes().to_vec());
    launch.workers = 3;
    rig.launch("double", &launch).expect("it ends well");
    assert_eq!(array[..8], [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(array[8..], (8..64).map(|i| 4 * i).collect::<Vec<u32>>());
}

#[test]
fn what_programs_have_anywhere_can_be_adopted() {
    static DATA: Mutex<[u32; 32]> = Mutex::new([3; 32]);
    let mut rig = Rig::new();
    let mut on_stack = [1u32; 32];
    let mut on_heap: Box<[u32]> = (0..32).map(|_| 2).collect();
    let mut data = DATA.lock().expect("nobody else locks it");
    for values in [&mut on_stack[..], &mut on_heap[..], &mut data[..]] {
        let device = rig.adopt(values).expect("host memory");
        rig.run("double", 32, device.0).expect("it ends well");
    }
    assert_eq!((on_stack[31], on_heap[31], data[31]), (2, 4, 6));
}

#[test]
fn pointers_in_host_memory_are_device_pointers() {
    #[repr(C)]
    struct Node {
        next: *const Node,
        value: u32,
    }
    let mut rig = Rig::new();
    let mut nodes: Vec<Node> = (1..=4).map(|value| Node { next: std::ptr::null(), value }).collect();
    let start = nodes.as_ptr();
    for (at, node) in nodes.iter_mut().enumerate().take(3) {
        node.next = start.wrapping_add(at + 1);
    }
    let first = rig.adopt(&mut nodes).expect("host memory");
    rig.run("follow", 1, first.0).expect("it ends well");
    let (total, _) = rig.machine.global(rig.module, "total").expect("a variable of the module");
    // SAFETY: the variable lies at its own address, and no kernel runs.
    assert_eq!(unsafe { *(total.0 as *const u32) }, 5 + 1 + 2 + 3 + 4);
}

#[test]
fn the_bounds_are_exact() {
    let mut rig = Rig::new();
    let mut array = [0u32; 40];
    let device = rig.adopt(&mut array[..20]).expect("host memory");
    let fault = rig.run("double", 21, device.0).expect_err("there are 20 elements");
    assert_eq!((fault.kind, fault.address), (FaultKind::OutOfBounds, Some(device.0 + 80)));
    assert!(fault.message.contains("just past the end of an allocation of 80 bytes"), "{}", fault.message);
    let fault = rig.run("double", 1, device.0 - 4).expect_err("it starts later");
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
}

#[test]
fn freeing_only_forgets() {
    let mut rig = Rig::new();
    let mut array = vec![21u32; 8];
    let device = rig.adopt(&mut array).expect("host memory");
    let before = rig.machine.allocated();
    rig.machine.free(device).expect("it was adopted");
    assert_eq!(rig.machine.allocated(), before, "it was never the machine's");
    assert_eq!(array, [21; 8]);
    assert_eq!(rig.run("double", 8, device.0).expect_err("no longer there").kind, FaultKind::OutOfBounds);
    assert_eq!(rig.machine.free(device), Err(MachineError::BadAddress { address: device.0, bytes: 0 }));
    assert_eq!(rig.adopt(&mut array), Ok(device), "it can be adopted again");
}

#[test]
fn what_cannot_be_adopted_is_refused() {
    let mut rig = Rig::new();
    let mut array = [0u32; 8];
    let device = rig.adopt(&mut array[2..6]).expect("host memory");
    for part in [0..3, 3..4, 5..8, 0..8] {
        let refused = rig.adopt(&mut array[part.clone()]);
        assert!(matches!(refused, Err(MachineError::Overlap { other, .. }) if other == device.0), "{part:?}");
    }
    assert!(rig.adopt(&mut array[..2]).is_ok() && rig.adopt(&mut array[6..]).is_ok(), "beside it is fine");
    assert!(matches!(rig.adopt::<u32>(&mut []), Err(MachineError::BadAddress { bytes: 0, .. })));
    // The windows of shared, local and constant memory, parameters, code and handles are not the host's.
    for window in 1..=6u64 {
        let start = NonNull::new((window << 40) as *mut u8).expect("not null");
        // SAFETY: refused before anything is read.
        let refused = unsafe { rig.machine.adopt(start, 64) };
        assert!(matches!(refused, Err(MachineError::BadAddress { .. })), "{window}");
    }
}

#[test]
fn any_machine_can_adopt() {
    let gpu = warpwise_simt::Gpu::named("h200").expect("a known GPU");
    let mut machine = warpwise_simt::Machine::new(gpu);
    let mut bytes = vec![9u8; 16];
    let start = NonNull::new(bytes.as_mut_ptr()).expect("not null");
    // SAFETY: the bytes outlive the machine.
    let device = unsafe { machine.adopt(start, 16) }.expect("host memory");
    machine.write(DevicePtr(device.0 + 4), &[1; 4]).expect("inside");
    assert_eq!(machine.bytes(device, 16).expect("inside"), &[9, 9, 9, 9, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9]);
    machine.free(device).expect("it was adopted");
    assert_eq!(bytes[3..5], [9, 1]);
}

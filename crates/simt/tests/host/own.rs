//! What a machine in the host's address space allocates itself.

use warpwise_simt::{FaultKind, Gpu, Machine, MachineError};

use crate::rig::Rig;

#[test]
fn a_device_pointer_is_a_host_pointer() {
    let mut rig = Rig::new();
    for bytes in [4, 512, 100_000, 3 << 20] {
        let device = rig.machine.alloc(bytes).expect("little memory");
        assert_eq!(device.0 % 512, 0);
        let host = device.0 as *mut u32;
        // SAFETY: the allocation has that many bytes, and no kernel runs.
        unsafe {
            assert_eq!((host.read(), host.cast::<u8>().add(bytes as usize - 1).read()), (0, 0), "zeroed");
            host.write(8);
        }
        rig.run("double", 1, device.0).expect("it ends well");
        // SAFETY: as above.
        assert_eq!(unsafe { host.read() }, 16);
        assert_eq!(rig.machine.bytes(device, 4).expect("allocated"), 16u32.to_le_bytes());
        assert_eq!(rig.machine.allocation(warpwise_simt::DevicePtr(device.0 + 3)), Some((device, bytes)));
        rig.machine.free(device).expect("allocated above");
    }
}

#[test]
fn running_off_the_end_is_noticed() {
    let mut rig = Rig::new();
    let buffers: Vec<_> = (0..20).map(|_| rig.machine.alloc(128).expect("little memory")).collect();
    for buffer in buffers {
        let fault = rig.run("double", 33, buffer.0).expect_err("there are 32 elements");
        assert_eq!((fault.kind, fault.address), (FaultKind::OutOfBounds, Some(buffer.0 + 128)));
        for distance in [1 << 10, 60 << 10] {
            let fault = rig.run("double", 1, buffer.0 + distance).expect_err("nothing else is near");
            assert_eq!(fault.kind, FaultKind::OutOfBounds);
        }
    }
}

#[test]
fn what_was_freed_is_gone_and_what_comes_later_is_zeroed() {
    let mut rig = Rig::new();
    let first = rig.machine.alloc(256).expect("little memory");
    rig.machine.write(first, &[1; 256]).expect("allocated");
    rig.machine.free(first).expect("allocated");
    assert_eq!(rig.run("double", 1, first.0).expect_err("freed").kind, FaultKind::OutOfBounds);
    for _ in 0..40 {
        let later = rig.machine.alloc(256).expect("little memory");
        assert_eq!(rig.machine.bytes(later, 256).expect("allocated"), [0; 256]);
        rig.machine.write(later, &[2; 256]).expect("allocated");
        rig.machine.free(later).expect("allocated");
    }
    assert_eq!(rig.run("double", 1, first.0 + (1 << 50)).expect_err("nowhere").kind, FaultKind::OutOfBounds);
}

#[test]
fn the_limit_holds() {
    let mut machine = Machine::on_host(Gpu::named("h200").expect("a known GPU"), 1000);
    let first = machine.alloc(600).expect("within the limit");
    assert_eq!(machine.alloc(401), Err(MachineError::OutOfMemory { wanted: 401, free: 400 }));
    machine.free(first).expect("allocated");
    assert!(machine.alloc(1000).is_ok());
    let mut endless = Machine::on_host(Gpu::named("h200").expect("a known GPU"), u64::MAX);
    assert!(matches!(endless.alloc(u64::MAX - 5), Err(MachineError::OutOfMemory { .. })), "more than the host has");
}

#[test]
fn constant_variables_keep_their_window() {
    let mut rig = Rig::new();
    let (factor, bytes) = rig.machine.global(rig.module, "factor").expect("a variable of the module");
    assert_eq!((factor.0 >> 40, bytes), (3, 4));
    let out = rig.machine.alloc(8).expect("little memory");
    rig.run("constant", 1, out.0).expect("it ends well");
    assert_eq!(rig.machine.bytes(out, 8).expect("allocated"), [3, 0, 0, 0, 3, 0, 0, 0]);
    rig.machine.write(factor, &9u32.to_le_bytes()).expect("the host may");
    rig.run("constant", 1, out.0).expect("it ends well");
    assert_eq!(rig.machine.bytes(out, 8).expect("allocated"), [9, 0, 0, 0, 9, 0, 0, 0]);
}

#[test]
fn global_variables_are_at_their_own_address() {
    let rig = Rig::new();
    let place = |name: &str| rig.machine.global(rig.module, name).expect("a variable of the module").0;
    // SAFETY: both variables lie at their own address and no kernel runs.
    let (whereabouts, total) = unsafe { (*(place("whereabouts").0 as *const u64), *(place("total").0 as *const u32)) };
    assert_eq!((whereabouts, total), (place("total").0, 5));
}

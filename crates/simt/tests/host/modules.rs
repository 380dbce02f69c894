//! Unloading modules, and the heap that all of them share.

use std::sync::Arc;

use warpwise_simt::{FaultKind, Launch, MachineError, Program};

use crate::rig::{KERNELS, Rig};

fn again() -> Arc<Program> {
    Arc::new(Program::load(KERNELS).expect("the same as before"))
}

#[test]
fn an_unloaded_module_is_gone() {
    let mut rig = Rig::new();
    let before = rig.machine.allocated();
    let second = rig.machine.load(again()).expect("it fits twice");
    let (total, _) = rig.machine.global(second, "total").expect("a variable of the module");
    let kernel = rig.machine.kernel(second, "double").expect("a kernel of the module");
    assert!(rig.machine.allocated() > before);
    rig.machine.unload(second).expect("it is loaded");
    assert_eq!(rig.machine.allocated(), before);
    assert_eq!(rig.machine.unload(second), Err(MachineError::NoModule));
    assert_eq!((rig.machine.global(second, "total"), rig.machine.kernel(second, "double")), (None, None));
    let out = rig.machine.alloc(4).expect("little memory");
    let launch = Launch::new([1, 1, 1], [1, 1, 1], out.0.to_le_bytes().to_vec());
    let by_name = rig.machine.launch(second, "double", &launch).expect_err("unloaded");
    let by_id = rig.machine.launch_kernel(kernel, &launch).expect_err("unloaded");
    assert_eq!((by_name.kind, by_name.message), (by_id.kind, by_id.message));
    assert_eq!(rig.run("double", 1, total.0).expect_err("its variables are gone").kind, FaultKind::OutOfBounds);
    rig.run("double", 1, out.0).expect("the first module is still there");
}

#[test]
fn modules_have_variables_of_their_own() {
    let mut rig = Rig::new();
    let second = rig.machine.load(again()).expect("it fits twice");
    let first = rig.machine.global(rig.module, "total");
    assert_ne!(first, rig.machine.global(second, "total"));
    let part = rig.machine.load_part(rig.module, again()).expect("a part shares variables");
    assert_eq!(first, rig.machine.global(part, "total"));
    rig.machine.unload(part).expect("it is loaded");
    let (total, _) = first.expect("a variable of the module");
    assert_eq!(rig.machine.bytes(total, 4), Ok(&[5, 0, 0, 0][..]), "the first part has its variables");
}

#[test]
fn kernels_can_be_looked_up_once() {
    let mut rig = Rig::new();
    let out = rig.machine.alloc(4).expect("little memory");
    rig.machine.write(out, &[1, 0, 0, 0]).expect("allocated");
    let kernel = rig.machine.kernel(rig.module, "double").expect("a kernel of the module");
    assert_eq!((kernel.module(), rig.machine.kernel(rig.module, "triple")), (rig.module, None));
    let launch = Launch::new([1, 1, 1], [1, 1, 1], out.0.to_le_bytes().to_vec());
    for _ in 0..5 {
        rig.machine.launch_kernel(kernel, &launch).expect("it ends well");
        // Memory that comes and goes between launches does not disturb them.
        let other = rig.machine.alloc(64).expect("little memory");
        rig.machine.launch_kernel(kernel, &launch).expect("it ends well");
        rig.machine.free(other).expect("allocated above");
    }
    assert_eq!(rig.machine.bytes(out, 4), Ok(&1024u32.to_le_bytes()[..]));
}

#[test]
fn the_heap_is_host_memory_and_belongs_to_the_machine() {
    let mut rig = Rig::new();
    let out = rig.machine.alloc(8).expect("little memory");
    rig.run("keep", 1, out.0).expect("it ends well");
    let pointer = u64::from_le_bytes(rig.machine.bytes(out, 8).expect("allocated").try_into().expect("eight bytes"));
    // SAFETY: the kernel allocated it, and nobody has freed it.
    assert_eq!(unsafe { *(pointer as *const u64) }, 77);
    let second = rig.machine.load(again()).expect("it fits twice");
    rig.machine.unload(second).expect("it is loaded");
    // SAFETY: as above; other modules come and go.
    assert_eq!(unsafe { *(pointer as *const u64) }, 77);
    assert!(!rig.machine.set_heap_bytes(1 << 20), "it is in use");
    assert_eq!(rig.machine.heap_bytes(), 8 << 20);
}

#[test]
fn the_heap_is_as_large_as_it_is_set() {
    let mut rig = Rig::new();
    let before = rig.machine.allocated();
    assert!(rig.machine.set_heap_bytes(16), "nobody has used it");
    assert_eq!((rig.machine.heap_bytes(), rig.machine.allocated()), (16, before - (8 << 20) + 16));
    let out = rig.machine.alloc(8).expect("little memory");
    let fault = rig.run("keep", 1, out.0).expect_err("8 bytes and what keeps them apart do not fit");
    assert!(fault.message.contains("null pointer"), "{}", fault.message);
    assert!(!rig.machine.set_heap_bytes(2 << 30), "more than the machine has");
    assert!(rig.machine.set_heap_bytes(1 << 20));
    rig.run("keep", 1, out.0).expect("now it fits");
}

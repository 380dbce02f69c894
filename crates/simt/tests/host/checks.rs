//! Checks on a machine in the host's address space.

use warpwise_simt::{Checks, Launch, Report};

use crate::rig::Rig;

/// Runs `double` with every check.
fn checked(rig: &mut Rig, (blocks, threads): (u32, u32), pointer: u64) -> Result<Report, String> {
    let mut launch = Launch::new([blocks, 1, 1], [threads, 1, 1], pointer.to_le_bytes().to_vec());
    launch.watch.checks = Checks::ALL;
    launch.workers = 2;
    rig.launch("double", &launch).map_err(|fault| fault.message.clone())
}

/// Kinds and messages of what was found.
fn found(report: &Report) -> Vec<(&'static str, &str)> {
    report.findings.iter().map(|finding| (finding.kind.name(), &*finding.message)).collect()
}

#[test]
fn adopted_memory_counts_as_written() {
    let mut rig = Rig::new();
    let mut array = vec![1u32; 64];
    let device = rig.adopt(&mut array).expect("host memory");
    let report = checked(&mut rig, (2, 32), device.0).expect("it ends well");
    assert_eq!(found(&report), []);
    assert_eq!(array, [2; 64], "a launch that is checked runs once, as far as anybody can tell");
}

#[test]
fn allocations_count_as_written_when_the_host_says_so() {
    let mut rig = Rig::new();
    let device = rig.machine.alloc(256).expect("little memory");
    let report = checked(&mut rig, (2, 32), device.0).expect("it ends well");
    assert_eq!(found(&report).iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), ["uninitialized"]);
    let device = rig.machine.alloc(256).expect("little memory");
    rig.machine.wrote(device, 256).expect("allocated");
    let report = checked(&mut rig, (2, 32), device.0).expect("it ends well");
    assert_eq!(found(&report), []);
}

#[test]
fn exact_bounds_and_names_are_in_findings() {
    let mut rig = Rig::new();
    let mut array = vec![1u32; 64];
    let (left, right) = array.split_at_mut(32);
    let device = rig.adopt(left).expect("host memory");
    rig.adopt(right).expect("host memory");
    // The element after the end is in memory too, but not in this allocation.
    let report = checked(&mut rig, (1, 33), device.0).expect("the access lands in the other");
    let [(kind, message), (again, _)] = found(&report)[..] else { panic!("{:?}", report.findings) };
    assert_eq!((kind, again), ("out_of_bounds", "out_of_bounds"), "a load and a store");
    assert!(message.contains("element 32 of argument 0, which has 32 elements of 4 bytes"), "{message}");
    rig.machine.name(device, "pinned (left)").expect("adopted");
    let report = checked(&mut rig, (1, 33), device.0).expect("the access lands in the other");
    assert!(found(&report)[0].1.contains("element 32 of pinned (left)"), "{:?}", report.findings);
}

#[test]
fn accesses_in_the_last_unit_pass_and_are_told() {
    let mut rig = Rig::padded();
    let device = rig.machine.alloc(40).expect("little memory");
    rig.machine.write(device, &[1; 40]).expect("allocated");
    let report = rig.run("double", 12, device.0).expect("it passes, as on a GPU");
    let told: Vec<_> = report.findings.iter().map(|finding| (finding.severity.name(), finding.count)).collect();
    assert_eq!(told, [("warning", 2), ("warning", 2)], "a load and a store, of two threads each");
    let finding = &report.findings[0];
    assert_eq!((finding.kind.name(), finding.address), ("out_of_bounds", Some(device.0 + 40)));
    let text = "Thread 10 of block 0 accesses 4 bytes at offset 40 of argument 0, which has 40 bytes";
    assert!(finding.message.starts_with(text), "{}", finding.message);
    assert_eq!(finding.place.as_ref().map(|place| place.thread), Some([10, 0, 0]));
    rig.run("double", 128, device.0).expect("512 bytes");
    let fault = rig.run("double", 129, device.0).expect_err("more than the unit");
    assert_eq!((fault.kind.name(), fault.address), ("out_of_bounds", Some(device.0 + 512)));
    // What is adopted has the bounds that it has, and checks take none of this.
    let report = checked(&mut rig, (1, 12), device.0).expect("checks go on");
    assert!(found(&report).iter().all(|(kind, _)| *kind == "out_of_bounds"), "{:?}", report.findings);
    assert!(report.findings.iter().all(|finding| finding.severity.name() == "error") && !report.findings.is_empty());
    let mut array = vec![0u32; 10];
    let adopted = rig.adopt(&mut array).expect("host memory");
    rig.run("double", 11, adopted.0).expect_err("it has 10 elements");
}

#[test]
fn accesses_in_the_last_unit_of_shared_memory_pass_and_are_told() {
    let mut rig = Rig::padded();
    let device = rig.machine.alloc(512).expect("little memory");
    let report = rig.run("share", 32, device.0).expect("it passes, as on a GPU");
    let mut back = [0; 128];
    rig.machine.read(device, &mut back).expect("allocated");
    let words: Vec<u32> = back.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
    assert_eq!(words, (0..32).collect::<Vec<_>>());
    let told: Vec<_> = report.findings.iter().map(|finding| (finding.severity.name(), finding.count)).collect();
    assert_eq!(told, [("warning", 29), ("warning", 29)], "a store and a load, of all threads but three");
    let finding = &report.findings[0];
    assert_eq!((finding.kind.name(), finding.address), ("out_of_bounds", Some(12)));
    let text = "Thread 3 of block 0 accesses 4 bytes at offset 12 of the block's shared memory, which has 12 bytes";
    assert!(finding.message.starts_with(text), "{}", finding.message);
    let fault = rig.run("share", 33, device.0).expect_err("more than the unit of 128 bytes");
    assert_eq!((fault.kind.name(), fault.address), ("out_of_bounds", Some(128)));
    // Checks take none of this, and neither does a machine without units.
    let fault = Rig::new().run("share", 4, device.0).expect_err("it has three words");
    assert_eq!(fault.kind.name(), "out_of_bounds");
    let mut launch = Launch::new([1; 3], [4, 1, 1], device.0.to_le_bytes().to_vec());
    launch.watch.checks = Checks::ALL;
    let report = rig.launch("share", &launch).expect("checks go on");
    assert!(report.findings.iter().any(|finding| finding.severity.name() == "error"), "{:?}", report.findings);
}

#[test]
fn races_on_host_addresses_are_found() {
    let mut rig = Rig::new();
    // Both threads follow the list of one node and add to the same variable.
    let mut node = vec![0u64, 1];
    let first = rig.adopt(&mut node).expect("host memory");
    let mut launch = Launch::new([2, 1, 1], [1, 1, 1], first.0.to_le_bytes().to_vec());
    launch.watch.checks = Checks::ALL;
    let report = rig.launch("follow", &launch).expect("it ends well");
    assert!(found(&report).iter().any(|(kind, message)| *kind == "race" && message.contains("total")), "{report:?}");
    let total = rig.machine.global(rig.module, "total").expect("a variable of the module").0;
    assert_eq!(rig.machine.bytes(total, 4), Ok(&[7, 0, 0, 0][..]), "one block after the other");
}

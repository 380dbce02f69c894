//! Kernels that go wrong: the kind of fault, and the line of the source it is pinned to.

use warpwise_simt::{Checks, Fault, FaultKind};

use crate::rig::{Argument, Rig, every_build};

/// Launches a kernel of `faults.cu` that must fail, and looks at how; `text` is on the line to be named.
fn expect_fault(rig: &mut Rig, kernel: &str, values: &[&dyn Argument], kind: FaultKind, text: &str) -> Box<Fault> {
    rig.budget = 200_000;
    // With checks a launch goes on past a bad address.
    let is_address = matches!(kind, FaultKind::OutOfBounds | FaultKind::Misaligned);
    let checks = if is_address { Checks::NONE } else { Checks::ALL };
    let checks = std::mem::replace(&mut rig.checks, checks);
    let fault = match rig.try_launch(kernel, [1; 3], [64, 1, 1], values) {
        Ok(_) => panic!("{kernel} ended well"),
        Err(fault) => fault,
    };
    rig.checks = checks;
    assert_eq!(fault.kind, kind, "{kernel}: {}", fault.message);
    let (file, line) = rig.source_of(&fault).unwrap_or_else(|| panic!("{kernel}: no source line"));
    assert!(file.ends_with("faults.cu"), "{kernel}: in {file}");
    let source = include_str!("faults.cu").lines().nth(line as usize - 1).unwrap_or_default();
    assert!(source.contains(text), "{kernel}: line {line} is `{source}`");
    fault
}

#[test]
fn failed_assertion() {
    every_build("faults", |rig| {
        let input = rig.upload(&(0..64).collect::<Vec<i32>>());
        let fault = expect_fault(rig, "fault_assert", &[&input], FaultKind::Trap, "assert(");
        assert!(fault.message.contains("in[threadIdx.x] != 13"), "{}", fault.message);
        assert_eq!(fault.place.map(|place| place.thread), Some([13, 0, 0]));
    });
}

#[test]
fn stores_outside_of_memory() {
    every_build("faults", |rig| {
        let data = rig.room::<i32>(64);
        let fault =
            expect_fault(rig, "fault_past_end", &[&data, &60_i32], FaultKind::OutOfBounds, "data[threadIdx.x + n]");
        assert_eq!(fault.place.map(|place| place.thread), Some([4, 0, 0]));
        expect_fault(rig, "fault_null", &[&0_u64], FaultKind::OutOfBounds, "data[threadIdx.x] = 1");
        expect_fault(rig, "fault_misaligned", &[&data], FaultKind::Misaligned, "*(int *)(data + 1)");
    });
}

#[test]
fn checks_go_on_past_them() {
    every_build("faults", |rig| {
        let data = rig.room::<i32>(64);
        let both: [(&str, &[&dyn Argument], &str, u64); 3] = [
            ("fault_past_end", &[&data, &60_i32], "out_of_bounds", 60),
            ("fault_null", &[&0_u64], "out_of_bounds", 64),
            ("fault_misaligned", &[&data], "misaligned", 1),
        ];
        for (kernel, values, kind, count) in both {
            let report = rig.try_launch(kernel, [1; 3], [64, 1, 1], values).expect("it goes on to its end");
            let found: Vec<_> = report.findings.iter().map(|f| (f.kind.name(), f.count)).collect();
            assert!(found.contains(&(kind, count)), "{kernel}: {found:?}");
        }
    });
}

#[test]
fn loop_without_end() {
    every_build("faults", |rig| {
        let flag = rig.upload(&[0_i32]);
        rig.budget = 100_000;
        let fault = rig.try_launch("fault_endless", [1; 3], [32, 1, 1], &[&flag]);
        let kind = fault.err().map(|fault| fault.kind);
        // a machine may also notice that nothing can change the flag any more
        assert!(matches!(kind, Some(FaultKind::Timeout | FaultKind::Deadlock)), "{kind:?}");
    });
}

#[test]
fn barrier_that_never_fills() {
    every_build("faults", |rig| {
        let out = rig.room::<i32>(64);
        expect_fault(rig, "fault_barrier", &[&out], FaultKind::Deadlock, "bar.sync 1, 64");
    });
}

#[test]
fn trap_in_one_lane() {
    every_build("faults", |rig| {
        let out = rig.room::<i32>(64);
        let fault = expect_fault(rig, "fault_trap", &[&out], FaultKind::Trap, "__trap()");
        assert_eq!(fault.place.map(|place| place.thread), Some([5, 0, 0]));
    });
}

#[test]
fn recursion_without_end() {
    every_build("faults", |rig| {
        let out = rig.room::<i32>(64);
        rig.budget = 50_000_000;
        let fault = rig.try_launch("fault_stack", [1; 3], [64, 1, 1], &[&out]);
        assert_eq!(fault.err().map(|fault| fault.kind), Some(FaultKind::StackOverflow));
    });
}

#[test]
fn launch_beyond_the_limits() {
    every_build("faults", |rig| {
        let out = rig.room::<i32>(64);
        let fault = rig.try_launch("fault_trap", [1; 3], [1025, 1, 1], &[&out]);
        assert_eq!(fault.err().map(|fault| fault.kind), Some(FaultKind::LaunchLimit));
        rig.shared = 1 << 20;
        let fault = rig.try_launch("fault_trap", [1; 3], [32, 1, 1], &[&out]);
        assert_eq!(fault.err().map(|fault| fault.kind), Some(FaultKind::LaunchLimit));
    });
}

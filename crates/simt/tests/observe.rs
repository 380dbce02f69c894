//! What observers from outside of the crate hear.

use std::sync::Arc;

use warpwise_simt::observe::{Access, Barrier, Block, Copy, Instruction, Observer, Space};
use warpwise_simt::{Checks, Gpu, Launch, Machine, Program, Watch};

/// Writes down everything.
#[derive(Default)]
struct Recorder(Vec<String>);

impl Observer for Recorder {
    fn block_starts(&mut self, block: &Block<'_>) {
        self.0.push(format!("start {:?} {}", block.index(), block.live()));
    }

    fn block_ends(&mut self, block: &Block<'_>) {
        self.0.push(format!("end {}", block.number()));
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.space() == Space::Parameter {
            return;
        }
        let lane = access.lanes().next().expect("an access has lanes");
        let (kind, space, mask, bytes) = (access.kind(), access.space(), access.mask(), access.bytes());
        let value = access.loaded(lane).map(|bytes| bytes.iter().rev().map(|b| format!("{b:02x}")).collect::<String>());
        let value = value.map(|value| format!(" = {value}")).unwrap_or_default();
        let address = access.addresses()[lane as usize] & 0xffff;
        self.0.push(format!("{kind:?} {space:?} {mask:x} {bytes} [{address:#x}]{value}"));
    }

    fn copy(&mut self, _: &Instruction<'_>, copy: &Copy) {
        self.0.push(format!("copy lane {} to {:#x}: {} of {}", copy.lane, copy.to, copy.read, copy.bytes));
    }

    fn arrives(&mut self, at: &Instruction<'_>, barrier: &Barrier) {
        self.0.push(format!("arrive {} at {} ({:?})", at.warp(), barrier.id, barrier.threads));
    }

    fn barrier_completes(&mut self, _: &Block<'_>, id: u32) {
        self.0.push(format!("complete {id}"));
    }

    fn branches(&mut self, at: &Instruction<'_>) {
        self.0.push(format!("branch {:x} of {:x} at line {}", at.mask(), at.running(), at.place().ptx_line));
    }

    fn exits(&mut self, at: &Instruction<'_>) {
        self.0.push(format!("exit {:x}", at.mask()));
    }
}

/// A machine with a kernel of that body; `%r1` is the thread, `%rd1` a buffer of eight words that count from 100.
fn machine(body: &str) -> (Machine, warpwise_simt::ModuleId, Vec<u8>) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n.shared .align 16 .b32 tile[64];\nld.param.u64 %rd1, [p];\n\
         mov.u32 %r1, %tid.x;\n{body}\n}}\n"
    );
    let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    let module = machine.load(Arc::new(Program::load(&text).expect("valid PTX"))).expect("nothing to resolve");
    let data = machine.alloc(32).expect("memory");
    machine.write(data, &(100u32..108).flat_map(u32::to_le_bytes).collect::<Vec<_>>()).expect("as long as it is");
    (machine, module, data.0.to_le_bytes().to_vec())
}

fn heard(body: &str, blocks: u32, threads: u32, watch: Watch) -> Vec<String> {
    let (mut machine, module, params) = machine(body);
    let mut launch = Launch::new([blocks, 1, 1], [threads, 1, 1], params);
    (launch.workers, launch.watch) = (1, watch);
    let (report, observers) = machine.launch_observed(module, "k", &launch, Recorder::default);
    let report = report.expect("the kernel ends well");
    assert_eq!(report.profile.is_some(), watch.counters);
    observers.into_iter().flat_map(|o| o.0).collect()
}

const BODY: &str = "ld.global.u32 %r2, [%rd1+8];
    setp.eq.u32 %p1, %r1, 1; @%p1 bra L;
    st.shared.u32 [tile+4], %r2;
    L: bar.sync 0;
    cvta.shared.u64 %rd2, tile; ld.u32 %r3, [%rd2+4];
    atom.global.add.u32 %r4, [%rd1], 1;
    ret;";

const TOLD: [&str; 10] = [
    "start [0, 0, 0] 2",
    "Load Global 3 4 [0x8] = 00000066",
    "branch 2 of 3 at line 13",
    "Store Shared 1 4 [0x4]",
    "arrive 0 at 0 (None)",
    "complete 0",
    "Load Shared 3 4 [0x4] = 00000066",
    "Atomic Global 3 4 [0x0] = 00000064",
    "exit 3",
    "end 0",
];

#[test]
fn accesses_barriers_and_branches_are_told_in_order() {
    let told = heard(BODY, 1, 2, Watch::NOTHING);
    assert_eq!(told, TOLD);
}

#[test]
fn own_observers_and_those_of_the_emulator_get_along() {
    for watch in [Watch::COUNTERS, Watch::ALL, Watch { counters: false, checks: Checks::ALL, ..Watch::NOTHING }] {
        assert_eq!(heard(BODY, 1, 2, watch), TOLD, "{watch:?}");
    }
}

#[test]
fn copies_are_told_lane_by_lane() {
    let body = "mov.u32 %r2, tile; mad.lo.u32 %r2, %r1, 4, %r2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
        cp.async.ca.shared.global [%r2], [%rd2], 4; cp.async.wait_all; ret;";
    assert_eq!(heard(body, 1, 2, Watch::NOTHING)[1..3], ["copy lane 0 to 0x0: 4 of 4", "copy lane 1 to 0x4: 4 of 4"]);
}

#[test]
fn every_block_is_heard_by_one_observer() {
    let (mut machine, module, params) = machine("ld.global.u32 %r2, [%rd1]; ret;");
    let mut launch = Launch::new([64, 1, 1], [32, 1, 1], params);
    launch.workers = 4;
    // Observers may be chosen when the program runs.
    let observer = || -> Box<dyn CountingObserver> { Box::new(Blocks::default()) };
    let (report, observers) = machine.launch_observed(module, "k", &launch, observer);
    report.expect("the kernel ends well");
    assert_eq!(observers.len(), 4);
    assert_eq!(observers.iter().map(|o| o.count()).sum::<u64>(), 64);
}

/// An observer that counts.
trait CountingObserver: Observer + Send {
    fn count(&self) -> u64;
}

#[derive(Default)]
struct Blocks(u64);

impl Observer for Blocks {
    fn block_ends(&mut self, _: &Block<'_>) {
        self.0 += 1;
    }
}

impl CountingObserver for Blocks {
    fn count(&self) -> u64 {
        self.0
    }
}

/// What every instruction does, and what the one before it left in a register.
#[derive(Default)]
struct Steps(Vec<String>);

impl Observer for Steps {
    fn executes(&mut self, at: &Instruction<'_>) {
        let opcode = at.ptx().map_or_else(|| "end".to_owned(), |ptx| ptx.opcode.to_string());
        let results: Vec<&str> = at.results().iter().map(|register| &*register.name).collect();
        let (mask, running, live) = (at.mask(), at.running(), at.live());
        let idle = format!("{:x} {:x}", at.waiting(), at.met());
        let held = at.register("%r2").map(|lanes| format!("{} {}", lanes[0], lanes[3]));
        let held = held.unwrap_or_default();
        let told = format!("{opcode} {} {mask:x} {running:x} {live:x} ({idle}) {held}", results.join(","));
        self.0.push(told);
    }

    fn diverges(&mut self) {
        self.0.push("diverges".to_owned());
    }
}

#[test]
fn every_instruction_is_told_with_its_lanes_and_registers() {
    let body = "mov.u32 %r2, 7; setp.lt.u32 %p1, %r1, 2;
        @%p1 bra L;
        add.u32 %r2, %r2, %r1; @%p1 mov.u32 %r2, 0;
        L: shl.b32 %r2, %r2, 1;
        ret;";
    let (mut machine, module, params) = machine(body);
    let launch = Launch::new([1, 1, 1], [4, 1, 1], params);
    let mut steps = Steps::default();
    let report = machine.launch_followed(module, "k", &launch, &mut steps).expect("the kernel ends well");
    assert_eq!(report.warp_instructions, 9);
    // Fresh registers hold anything: the first steps are of others.
    assert_eq!(
        steps.0[3..],
        [
            "setp %p1 f f f (0 0) 7 7",
            "bra  3 f f (0 0) 7 7",
            "diverges",
            "add %r2 c c f (0 3) 7 7",
            "mov %r2 0 c f (0 3) 7 10",
            "shl %r2 f f f (0 0) 7 10",
            "ret  f f f (0 0) 14 20",
        ]
    );
}

#[test]
fn counters_are_the_same_with_and_without_an_observer() {
    let (mut machine, module, params) = machine(BODY);
    let mut launch = Launch::new([2, 1, 1], [40, 1, 1], params);
    launch.watch = Watch::COUNTERS;
    let plain = machine.launch(module, "k", &launch).expect("the kernel ends well");
    let (observed, steps) = machine.launch_observed(module, "k", &launch, Steps::default);
    let counted = |report: &warpwise_simt::Report| report.profile.as_ref().expect("it was counted").total;
    let observed = observed.expect("the kernel ends well");
    assert_eq!(counted(&plain), counted(&observed));
    let told = steps.iter().flat_map(|steps| &steps.0).filter(|step| *step != "diverges").count();
    assert_eq!(told as u64, counted(&plain).warp_instructions);
}

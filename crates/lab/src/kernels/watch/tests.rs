//! What a record says is what the emulator counts and checks.

use super::*;
use crate::Place;
use crate::files::testing::folder;
use crate::kernels::run::DEFAULT_MAX_INSTRUCTIONS;
use crate::output::{Report, Style};
use warpwise_gpu::Counters;

fn rung(primitive: &str, variant: &str, n: u64) -> RungRequest {
    let (primitive, variant, gpu) = (primitive.to_owned(), variant.to_owned(), "h200".to_owned());
    RungRequest {
        primitive,
        variant,
        n: Some(n),
        size: None,
        element: None,
        gpu,
        geometry: warpwise::Geometry::default(),
        input: None,
        settings: warpwise::primitive::Settings::default(),
    }
}

/// Two warps: each reads what the other has written with no barrier between, then some lanes of one go another way.
const RACE: &str = ".version 7.0
.target sm_70
.address_size 64
.visible .entry race(.param .u64 out)
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b32 tile[64];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r4, %r3, %r2;
    st.shared.u32 [%r4], %r1;
    xor.b32 %r5, %r2, 128;
    add.u32 %r6, %r3, %r5;
    ld.shared.u32 %r7, [%r6];
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra OUT;
    add.s32 %r7, %r7, -100;
OUT:
    bar.sync 0;
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r2, 32;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    red.global.add.u32 [%rd1], 1;
    ret;
}
";

fn file(name: &str, ptx: &str) -> Target {
    let path = folder(name).join("race.ptx");
    std::fs::write(&path, ptx).unwrap();
    Target::File(Box::new(run::Request {
        values: Vec::new(),
        file: path,
        entry: None,
        grid: [1; 3],
        block: [64, 1, 1],
        shared_bytes: 0,
        cooperative: false,
        cluster: None,
        arguments: vec!["u32[4096]:zeros".to_owned()],
        symbols: Vec::new(),
        device: Place::Emulator,
        gpu: "h200".to_owned(),
        max_instructions: DEFAULT_MAX_INSTRUCTIONS,
        time_limit: None,
        checks: Checks::NONE,
        dump: None,
        defines: Vec::new(),
        includes: Vec::new(),
        debug: false,
        record: None,
    }))
}

fn all() -> Choice {
    Choice::new(Vec::new(), None, None, None)
}

/// Every warp of a launch of at most 64 warps, and what the emulator counted for it.
fn whole(request: &RungRequest) -> (Record, Counters) {
    let trace = request.watch(Watch::COUNTERS).unwrap().trace;
    let launch = &trace.launches[0];
    let [x, y, z] = launch.grid;
    let blocks: Vec<[u32; 3]> = (0..z).flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k]))).collect();
    let warps = blocks.len() as u32 * launch.block.iter().product::<u32>().div_ceil(32);
    assert!(warps <= 64, "{} {}: {warps} warps are too many to record", request.primitive, request.variant);
    let record =
        watch(&Target::Rung(Box::new(request.clone())), &Choice::new(blocks, None, Some(MOST_STEPS), None)).unwrap();
    (record, launch.profile.as_ref().unwrap().total)
}

#[test]
fn sums_over_the_steps_are_what_the_counters_say() {
    let kernels = [
        ("vecadd", "gpu-vec4", 4000),
        ("reduce", "gpu-1-interleaved", 2000),
        ("reduce", "gpu-2-strided", 2048),
        ("reduce", "gpu-8-shuffle", 2000),
        ("scan", "gpu-1-hillis-steele", 1000),
        ("scan", "gpu-3-blelloch", 1000),
        ("histogram", "gpu-3-shared", 1000),
        ("compact", "gpu-2-warp-atomic", 1000),
        ("transpose", "gpu-1-naive-read", 24),
        ("transpose", "gpu-3-tile", 24),
        ("matmul", "gpu-3-tiled", 24),
        ("convolve1d", "gpu-3-tiled", 700),
    ];
    for (primitive, variant, n) in kernels {
        let (record, counted) = whole(&rung(primitive, variant, n));
        assert_eq!(record.counters.0, counted, "{primitive} {variant}");
        assert!(record.warps.iter().all(|warp| warp.left_out == 0), "{primitive} {variant}: {:?}", record.left_out);
        assert!(record.findings.is_empty(), "{primitive} {variant}: {:?}", record.findings);
        for step in &record.steps {
            let masks = [step.on, step.off, step.other, step.met, step.wait, step.gone];
            assert_eq!(masks.iter().fold(0, |all, mask| all | mask), u32::MAX, "{step:?}");
            assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), 32, "{step:?}");
            assert_eq!(step.v.len(), if step.on == 0 { 0 } else { record.instructions[step.i].results.len() });
        }
    }
}

#[test]
fn the_ladder_shows_what_its_rungs_teach() {
    let record = |variant| watch(&Target::Rung(Box::new(rung("reduce", variant, 1024))), &all()).unwrap();
    let conflicts = |record: &Record| record.steps.iter().flat_map(|s| &s.a).filter_map(|a| a.conflicts).sum::<u32>();
    let diverging = |record: &Record| record.steps.iter().filter(|step| step.div).count();
    let (first, second, third) = (record("gpu-1-interleaved"), record("gpu-2-strided"), record("gpu-3-sequential"));
    assert!(diverging(&first) > 3 * diverging(&second), "{} and {}", diverging(&first), diverging(&second));
    assert!(conflicts(&second) > 0 && conflicts(&first) == 0 && conflicts(&third) == 0);
    let words = second.sentences.iter().find(|sentence| sentence.contains("a bank conflict")).unwrap();
    assert!(words.contains("different words of bank 1"), "{words}");
    assert!(second.sources.iter().any(|source| source.lines.iter().any(|line| line.contains("__syncthreads"))));
    let waits = |step: &&StepRecord| step.bar.as_ref().is_some_and(|bar| !bar.last && bar.waits);
    let last = second.steps.iter().filter(|step| step.bar.as_ref().is_some_and(|bar| bar.last)).count();
    assert_eq!(last, second.steps.iter().filter(|step| step.bar.is_some()).count() / second.warps.len());
    let (here, of) = second.steps.iter().find(waits).map(|s| s.bar.as_ref().unwrap()).map(|b| (b.here, b.of)).unwrap();
    assert!(here < of, "{here} of {of}");
}

#[test]
fn warps_meet_at_barriers() {
    let record = watch(&Target::Rung(Box::new(rung("reduce", "gpu-1-interleaved", 256))), &all()).unwrap();
    for step in record.steps.iter().filter(|step| step.bar.as_ref().is_some_and(|bar| bar.last)) {
        let after = record
            .warps
            .iter()
            .enumerate()
            .map(|(warp, _)| record.steps.iter().find(|s| s.w == warp && s.t > step.t).map(|s| s.t));
        assert!(after.flatten().all(|t| t == step.t + 1), "after time {}", step.t);
    }
}

#[test]
fn a_race_leads_to_both_accesses() {
    let record = watch(&file("watch-race", RACE), &all()).unwrap();
    let race = record.findings.iter().find(|found| found.finding.kind == "race").expect("there is a race");
    let [step, other] = [race.step, race.other_step].map(|at| &record.steps[at.expect("it is in the record")]);
    assert_ne!(step.w, other.w);
    let kinds = [step, other].map(|step| step.a[0].kind);
    assert!(kinds.contains(&"load") && kinds.contains(&"store"), "{kinds:?}");
    assert_eq!((step.f.len(), other.f.len()), (1, 1));
}

#[test]
fn steps_show_values_and_why_lanes_are_idle() {
    let record = watch(&file("watch-values", RACE), &all()).unwrap();
    let steps = |start: &str| -> Vec<&StepRecord> {
        record.steps.iter().filter(|step| record.instructions[step.i].ptx.starts_with(start)).collect()
    };
    assert_eq!(steps("mov.u32 %r1").iter().map(|s| &*s.v[0]).collect::<Vec<_>>(), ["0+1x32", "32+1x32"]);
    let branch = steps("@%p1 bra");
    assert_eq!((branch[0].div, branch[0].on, branch[0].off), (true, 0xff, 0xffff_ff00));
    assert!(!branch[1].div && branch[1].on == 0 && branch[1].off == u32::MAX);
    let add = steps("add.s32");
    assert_eq!((add[0].on, add[0].other | add[0].met), (0xffff_ff00, 0xff));
    assert!(add[0].v[0].starts_with("_x8 ") && add[0].v[0].contains('-'), "{}", add[0].v[0]);
    assert_eq!(steps("bar.sync").iter().map(|s| s.bar.as_ref().unwrap().last).collect::<Vec<_>>(), [false, true]);
    let store = &steps("st.global")[0].a[0];
    assert_eq!((store.sectors, store.asked), (Some(32), Some(128)));
    let atomic = &steps("red.global")[0].a[0];
    assert_eq!((atomic.kind, atomic.meeting, atomic.most), ("reduction", Some(32), Some(32)));
    assert!(record.sources.is_empty() && record.instructions.iter().all(|i| i.line.is_none()));
}

#[test]
fn a_record_is_bounded_and_says_what_it_leaves_out() {
    let choice = Choice::new(vec![[1, 0, 0]], Some((1, 2)), Some(10), None);
    let record = watch(&Target::Rung(Box::new(rung("reduce", "gpu-1-interleaved", 4096))), &choice).unwrap();
    assert_eq!(record.warps.iter().map(|w| (w.block, w.warp)).collect::<Vec<_>>(), [([1, 0, 0], 1), ([1, 0, 0], 2)]);
    assert_eq!(record.steps.len(), 20);
    let told = record.left_out.join("; ");
    assert!(told.contains("other blocks of the grid") && told.contains("6 other warps of the block"), "{told}");
    assert!(told.contains("later steps of these warps") && told.contains("this is launch 1 of 2"), "{told}");
    let second = Choice::new(Vec::new(), None, None, Some(2));
    assert_eq!(watch(&Target::Rung(Box::new(rung("reduce", "gpu-1-interleaved", 4096))), &second).unwrap().launch, 2);
}

#[test]
fn what_is_not_there_is_refused() {
    let target = Target::Rung(Box::new(rung("reduce", "gpu-1-interleaved", 256)));
    let wrong = |choice: Choice| watch(&target, &choice).unwrap_err().to_string();
    assert_eq!(wrong(Choice::new(vec![[7, 0, 0]], None, None, None)), "--block-of 7: the grid has 1 block");
    assert!(wrong(Choice::new(Vec::new(), Some((8, 9)), None, None)).starts_with("--warps 8: a block has 8 warps"));
    assert_eq!(wrong(Choice::new(Vec::new(), None, None, Some(9))), "--launch-number 9: there are only 1");
}

#[test]
fn a_page_is_one_small_file_with_all_steps_in_it() {
    let one = |variant| watch(&Target::Rung(Box::new(rung("reduce", variant, 2048))), &all()).unwrap();
    let report = WatchReport::new(one("gpu-1-interleaved"), Some(one("gpu-2-strided")));
    let page = page::page(&report.records);
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("src="), "it needs no network");
    assert!(page.contains("Lanes 0 and 16 want 2 different words of bank 0"));
    assert!(page.contains("All steps as a list") && page.matches("<tr><td>").count() > 300);
    assert!(page.len() < 1_500_000, "{} bytes for two kernels", page.len());
    let text = report.text(Style::default());
    assert!(text.contains("divergent branches") && text.contains("not recorded: 7 other blocks"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["records"][1]["counters"]["warp_instructions"], report.records[1].steps.len());
}

//! What `explain` says, by subject: the diagnosis must follow from what a kernel does.

use std::path::{Path, PathBuf};
use warpwise_lab::kernels::explain::{Explanation, Request, Subject, compare, explain};
use warpwise_lab::kernels::run;
use warpwise_lab::output::Report;
use warpwise_lab::{Checks, RungRequest, Style};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn rung(primitive: &str, variant: &str, n: u64) -> RungRequest {
    RungRequest {
        primitive: primitive.into(),
        variant: variant.into(),
        n: Some(n),
        size: None,
        element: None,
        gpu: "h200".into(),
        geometry: warpwise::Geometry::default(),
        input: None,
        settings: warpwise::primitive::Settings::default(),
    }
}

#[track_caller]
fn explained(primitive: &str, variant: &str, n: u64) -> Explanation {
    explain(&Request::Rung(Box::new(rung(primitive, variant, n))))
        .unwrap_or_else(|e| panic!("{primitive} {variant}: {e}"))
}

/// A kernel of a user's own ladder, over `n` elements.
fn written(entry: &str, n: u64, block: u32, grid: u64) -> run::Request {
    run::Request {
        values: Vec::new(),
        file: data("ladder.ptx"),
        entry: Some(entry.into()),
        grid: [grid as u32, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 4 * block,
        cooperative: false,
        cluster: None,
        arguments: vec![format!("f32[{n}]:random:0:1"), format!("f32[{grid}]:zeros"), format!("u32={n}")],
        symbols: Vec::new(),
        device: warpwise_lab::Place::Emulator,
        gpu: "h200".into(),
        max_instructions: 1 << 32,
        time_limit: None,
        checks: Checks::NONE,
        dump: None,
        defines: Vec::new(),
        includes: Vec::new(),
        debug: false,
        record: None,
    }
}

fn first(explanation: &Explanation) -> Subject {
    explanation.diagnoses[0].subject
}

#[test]
fn each_rung_of_reduce_says_why_the_next_is_faster() {
    use Subject::{BankConflicts, Divergence, IdleThreads, InstructionOverhead, LoadsInFlight, WorkPerThread};
    let ladder = [
        ("gpu-1-interleaved", Divergence),
        ("gpu-2-strided", BankConflicts),
        ("gpu-3-sequential", IdleThreads),
        ("gpu-4-first-add", InstructionOverhead),
        ("gpu-5-unroll-last-warp", InstructionOverhead),
        ("gpu-6-unrolled", WorkPerThread),
        ("gpu-7-multi-add", LoadsInFlight),
    ];
    for n in [1 << 20, 700_001] {
        for (variant, subject) in ladder {
            let explanation = explained("reduce", variant, n);
            assert_eq!(first(&explanation), subject, "{variant} of {n}: {:#?}", explanation.causes);
        }
    }
}

#[test]
fn kernels_of_other_names_and_sizes_get_the_same_reasons() {
    use Subject::{BankConflicts, Divergence, IdleThreads, InstructionOverhead, LoadsInFlight, WorkPerThread};
    for (n, block) in [(1u64 << 20, 256u32), (1 << 19, 512), (1 << 18, 256)] {
        let blocks = n / u64::from(block);
        let unrolled = format!("pine{block}");
        let ladder = [
            ("maple", blocks, Divergence),
            ("oak", blocks, BankConflicts),
            ("birch", blocks, IdleThreads),
            ("elm", blocks / 2, InstructionOverhead),
            ("ash", blocks / 2, InstructionOverhead),
            (unrolled.as_str(), blocks / 2, WorkPerThread),
            ("larch", 132, LoadsInFlight),
        ];
        for (entry, grid, subject) in ladder {
            let explanation = explain(&Request::File(Box::new(written(entry, n, block, grid)))).unwrap();
            assert_eq!(first(&explanation), subject, "{entry}, {n} by {block}: {:#?}", explanation.causes);
        }
    }
}

#[test]
fn other_ladders_are_explained_by_their_own_reasons() {
    for (primitive, variant, n, subject) in [
        ("matmul", "gpu-1-uncoalesced", 128, Subject::Uncoalesced),
        ("scan", "gpu-3-blelloch", 1024, Subject::BankConflicts),
        ("vecadd", "gpu-blocks", 100_000, Subject::PartialWarps),
        ("vecadd", "gpu-vec4", 1 << 20, Subject::Bandwidth),
        ("vecadd", "gpu-one-block", 1024, Subject::SmallGrid),
        ("histogram", "gpu-2-interleaved", 1 << 18, Subject::AtomicContention),
        ("convolve2d", "gpu-3-tiled-serial-load", 128, Subject::Divergence),
    ] {
        let explanation = explained(primitive, variant, n);
        assert_eq!(first(&explanation), subject, "{primitive} {variant}: {:#?}", explanation.causes);
    }
}

#[test]
fn what_is_removed_is_no_longer_told() {
    let told = |variant: &str, subject: Subject| {
        let explanation = explained("reduce", variant, 1 << 18);
        explanation.causes.iter().find(|c| c.subject == subject).map_or(0.0, |c| c.estimated_percent)
    };
    assert!(told("gpu-1-interleaved", Subject::Divergence) > 5.0 * told("gpu-2-strided", Subject::Divergence));
    assert_eq!(told("gpu-3-sequential", Subject::BankConflicts), 0.0);
    assert!(told("gpu-2-strided", Subject::BankConflicts) > 10.0);
    assert_eq!(told("gpu-4-first-add", Subject::IdleThreads), 0.0);
    assert_eq!(told("gpu-6-unrolled", Subject::InstructionOverhead), 0.0);
}

#[test]
fn launches_of_a_kernel_are_one_entry() {
    let explanation = explained("reduce", "gpu-3-sequential", 1 << 20);
    assert_eq!((explanation.launches, explanation.kernels.len(), explanation.kernels[0].launches), (3, 1, 3));
    assert_eq!(explanation.kernels[0].grid, [4096, 1, 1], "the largest");
    let heat = explained("heat", "gpu-1-separate-mirror", 64);
    assert!(heat.kernels.len() > 2, "a kernel for each thing");
    assert_eq!(heat.kernels.iter().map(|k| k.launches).sum::<usize>(), heat.launches);
}

#[test]
fn lines_are_those_of_the_source_and_add_up() {
    let explanation = explained("reduce", "gpu-1-interleaved", 1 << 16);
    let lines = &explanation.kernels[0].lines;
    let all: f64 = lines.iter().map(|l| l.instructions_percent).sum();
    assert!((all - 100.0).abs() < 0.5, "{all}");
    let test = lines.iter().max_by(|a, b| a.instructions_percent.total_cmp(&b.instructions_percent)).unwrap();
    assert!(test.text.as_ref().unwrap().contains("t % (2 * distance) == 0"), "{test:?}");
    assert!(test.divergent_branches > 0 && test.file.ends_with("reduce/kernels.cu"), "{test:?}");
    let sectors: u64 = lines.iter().map(|l| l.sectors).sum();
    let counters = explanation.kernels[0].counters.0;
    assert_eq!(sectors, counters.global_load_sectors + counters.global_store_sectors);
    let text = explanation.text(Style::default());
    assert!(text.lines().nth(2).unwrap().starts_with("Divergence: "), "the first sentence:\n{text}");
    let whole = Explanation { all_lines: true, ..explanation };
    assert!(whole.text(Style::default()).lines().count() > text.lines().count());
}

#[test]
fn ptx_without_line_information_is_shown_itself() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let plain: String = std::fs::read_to_string(data("ladder.ptx"))
        .unwrap()
        .lines()
        .filter(|l| !l.trim_start().starts_with(".loc") && !l.trim_start().starts_with(".file"))
        .fold(String::new(), |text, line| text + line + "\n");
    let file = folder.join("no_lines.ptx");
    std::fs::write(&file, plain).unwrap();
    let request = run::Request { file: file.clone(), ..written("oak", 1 << 14, 128, 128) };
    let explanation = explain(&Request::File(Box::new(request))).unwrap();
    assert_eq!(first(&explanation), Subject::BankConflicts);
    let lines = &explanation.kernels[0].lines;
    assert!(lines.iter().all(|l| l.file == file.display().to_string()));
    assert!(lines.iter().filter(|l| l.conflicts > 0).all(|l| l.text.as_ref().unwrap().contains(".shared")));
    assert!(explanation.diagnoses[0].sentence.contains(" line "), "{}", explanation.diagnoses[0].sentence);
}

#[test]
fn two_rungs_side_by_side() {
    let pair = || (explained("reduce", "gpu-2-strided", 1 << 16), explained("reduce", "gpu-3-sequential", 1 << 16));
    let (left, right) = pair();
    let comparison = compare(left, right);
    let ratio = |name: &str| comparison.ratios.iter().find(|r| r.name == name).unwrap();
    assert_eq!(ratio("shared_load_conflicts").ratio, Some(0.0));
    assert_eq!(ratio("global_load_sectors").ratio, Some(1.0));
    assert_eq!(ratio("global_atomics").ratio, None, "nothing by nothing is nothing");
    assert!(ratio("estimated_us").ratio.unwrap() < 1.0);
    let text = comparison.text(Style::default());
    for piece in
        ["gpu-2-strided", "gpu-3-sequential", "no bank conflicts", "shared load conflicts: gone", "Idle threads"]
    {
        assert!(text.contains(piece), "`{piece}` in:\n{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&comparison.to_json()).unwrap();
    assert_eq!(json["left"]["variant"], "gpu-2-strided");
    assert_eq!(json["right"]["diagnoses"][0]["subject"], "idle_threads");
}

#[test]
fn estimates_depend_on_the_gpu_and_counters_do_not() {
    let on = |gpu: &str| {
        let request = RungRequest { gpu: gpu.into(), ..rung("vecadd", "gpu-grid", 1 << 20) };
        explain(&Request::Rung(Box::new(request))).unwrap()
    };
    let (fast, slow) = (on("h200"), on("gtx-970"));
    assert!(slow.estimated_us > 5.0 * fast.estimated_us, "{} and {}", slow.estimated_us, fast.estimated_us);
    assert_eq!(slow.kernels[0].counters, fast.kernels[0].counters);
}

#[test]
fn what_cannot_be_explained_is_said() {
    let error = |request: RungRequest| explain(&Request::Rung(Box::new(request))).unwrap_err().to_string();
    assert!(error(rung("redcue", "gpu-1", 10)).contains("there is no primitive redcue"));
    assert!(error(rung("reduce", "gpu-12", 10)).contains("gpu-9-single-pass"));
    assert!(error(rung("reduce", "cpu-par", 10)).contains("runs on the CPU"));
    assert!(error(rung("reduce", "gpu-3-sequential", 0)).contains("at least one"));
    assert!(error(rung("reduce", "gpu-3-sequential", u64::MAX)).contains("use at most"));
    assert!(error(RungRequest { element: Some("u8".into()), ..rung("reduce", "gpu-3-sequential", 9) }).contains("i32"));
    assert!(error(RungRequest { size: Some((3, 4)), ..rung("scan", "gpu-5-three-phase", 9) }).contains("-n N"));
    assert!(error(RungRequest { gpu: "voodoo2".into(), ..rung("scan", "gpu-5-three-phase", 9) }).contains("h200"));
    let past_the_end = run::Request {
        arguments: vec!["f32[8]:ones".into(), "f32[4]:zeros".into(), "u32=1024".into()],
        ..written("birch", 1024, 256, 4)
    };
    let stopped = explain(&Request::File(Box::new(past_the_end))).unwrap_err().to_string();
    assert!(stopped.contains("out_of_bounds"), "{stopped}");
}

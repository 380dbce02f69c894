//! What `explain` estimates: orders of magnitude that follow from how a GPU works, and sentences that must be true.

use std::path::{Path, PathBuf};
use warpwise_lab::kernels::explain::{Explanation, Request, Subject, explain};
use warpwise_lab::kernels::run;
use warpwise_lab::{Checks, Place, RungRequest};
use warpwise_model::Bound;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A kernel of `compute.cu`.
#[track_caller]
fn computed(entry: &str, grid: [u32; 3], block: [u32; 3], arguments: &[&str]) -> Explanation {
    let request = run::Request {
        values: Vec::new(),
        file: data("compute.ptx"),
        entry: Some(entry.into()),
        grid,
        block,
        shared_bytes: 0,
        cooperative: false,
        cluster: None,
        arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
        symbols: Vec::new(),
        device: Place::Emulator,
        gpu: "h200".into(),
        max_instructions: 1 << 32,
        time_limit: None,
        checks: Checks::NONE,
        dump: None,
        defines: Vec::new(),
        includes: Vec::new(),
        debug: false,
        record: None,
    };
    explain(&Request::File(Box::new(request))).unwrap_or_else(|error| panic!("{entry}: {error}"))
}

#[track_caller]
fn rung(primitive: &str, variant: &str, n: u64) -> Explanation {
    let request = RungRequest {
        primitive: primitive.into(),
        variant: variant.into(),
        n: Some(n),
        size: None,
        element: None,
        gpu: "h200".into(),
        geometry: warpwise::Geometry::default(),
        input: None,
        settings: warpwise::primitive::Settings::default(),
    };
    explain(&Request::Rung(Box::new(request))).unwrap_or_else(|error| panic!("{primitive} {variant}: {error}"))
}

fn said(explanation: &Explanation) -> String {
    explanation.diagnoses.iter().map(|d| format!("{} {}\n", d.sentence, d.remedy)).collect()
}

#[test]
fn a_loop_without_barriers_and_loads_works_on_data() {
    let explanation = computed("monte_carlo", [528, 1, 1], [256, 1, 1], &["u32[135168]:zeros", "u32=64"]);
    let text = said(&explanation);
    assert!(!text.contains("__syncthreads") && !text.contains(" 0 % to work on data"), "{text}");
    let on_data = explanation.kernels[0].measures.iter().find(|m| m.name == "of them on data").unwrap();
    assert!(on_data.value > 50.0, "{on_data:?}");
    assert!(matches!(explanation.bound, Some(Bound::Issue | Bound::Integer | Bound::Fp32)), "{:?}", explanation.bound);
}

#[test]
fn every_body_with_every_other_is_work_enough() {
    let bodies = ["f32[16384]:random:0:1", "f32[16384]:zeros", "u32=4096"];
    let explanation = computed("nbody", [32, 1, 1], [128, 1, 1], &bodies);
    assert!(explanation.causes.iter().all(|c| c.subject != Subject::WorkPerThread), "{:?}", explanation.causes);
    assert!(!said(&explanation).contains("grid-stride"), "{}", said(&explanation));
}

#[test]
fn lanes_that_leave_a_loop_one_by_one_are_counted() {
    let points = ["u32[65536]:zeros", "u32=256", "u32=256", "u32=100"];
    let explanation = computed("mandelbrot", [256, 1, 1], [256, 1, 1], &points);
    assert!(!said(&explanation).contains("with 0.0 of 32 lanes"), "{}", said(&explanation));
}

#[test]
fn a_column_written_by_a_warp_takes_much_longer_than_a_row() {
    let matrix = ["f32[2^22]:ones", "f32[2^22]:zeros", "u32=2048"];
    let [turned, copied] = ["turn", "copy"].map(|entry| computed(entry, [64, 256, 1], [32, 8, 1], &matrix));
    assert!(turned.estimated_us > 3.0 * copied.estimated_us, "{} and {}", turned.estimated_us, copied.estimated_us);
    assert_eq!(turned.diagnoses[0].subject, Subject::Uncoalesced);
    assert_eq!(turned.bound, Some(Bound::L2));
}

#[test]
fn atomics_of_all_blocks_meet_at_one_address() {
    let at = |mask: &str| computed("counters", [1024, 1, 1], [256, 1, 1], &["u32[2^18]:zeros", mask]);
    let (one, many) = (at("u32=0"), at("u32=262143"));
    assert_eq!(one.bound, Some(Bound::Atomics));
    assert!(one.estimated_us > 20.0 * many.estimated_us, "{} and {}", one.estimated_us, many.estimated_us);
}

#[test]
fn blocks_of_one_thread_are_held_by_their_start() {
    let (blocks, grid) = (rung("vecadd", "gpu-blocks", 1 << 20), rung("vecadd", "gpu-grid", 1 << 20));
    assert_eq!(blocks.bound, Some(Bound::Blocks));
    assert!(blocks.estimated_us > 30.0 * grid.estimated_us, "{} and {}", blocks.estimated_us, grid.estimated_us);
}

#[test]
fn large_grids_are_sampled_and_counted_as_if_all_blocks_had_run() {
    let explanation = rung("vecadd", "gpu-grid", 1 << 24);
    let counters = explanation.kernels[0].counters.0;
    assert_eq!(counters.global_load_sectors, 2 * (1 << 24) * 4 / 32);
    assert_eq!(counters.global_store_sectors, (1 << 24) * 4 / 32);
    let smaller = rung("vecadd", "gpu-grid", 1 << 22);
    let ratio = explanation.estimated_us / smaller.estimated_us;
    assert!((2.5..6.0).contains(&ratio), "four times the data: {ratio}");
}

#[test]
fn the_figures_are_percentages() {
    let explanation = rung("reduce", "gpu-3-sequential", 1 << 18);
    let figures = explanation.kernels[0].figures.as_ref().expect("recorded");
    let all = [
        figures.compute_percent,
        figures.memory_percent,
        figures.dram_percent,
        figures.issue_percent,
        figures.l1_hit_percent,
        figures.l2_hit_percent,
        figures.occupancy_percent,
        figures.achieved_occupancy_percent,
    ];
    assert!(all.iter().all(|percent| (0.0..=100.0).contains(percent)), "{figures:?}");
    assert!(figures.kernel_us > 0.0 && explanation.estimated_us > figures.kernel_us);
}

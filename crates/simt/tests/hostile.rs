//! PTX is untrusted input: whatever it says, loading and executing it ends soon, with success or an error.
//!
//! A short, repeatable stand-in for the fuzz target `executor`: mutations of the micro-kernels, run with a small
//! budget. `WARPWISE_HOSTILE_CASES=100000 WARPWISE_HOSTILE_SEED=1` tries more of them, and others, and mutates the kernels
//! with defects too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use warpwise_simt::{Gpu, Launch, Machine, Program, Watch};

/// Mutated modules to try, unless the environment says how many.
const CASES: u32 = 4000;

/// A number in the environment.
fn given<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the collection is there").flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
    found.sort();
}

fn corpus() -> Vec<String> {
    let mut paths = Vec::new();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    files(&tests.join("micro"), &mut paths);
    if given::<u8>("WARPWISE_HOSTILE_SEED").is_some() {
        files(&tests.join("defects"), &mut paths);
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    }
    paths.iter().filter_map(|p| std::fs::read_to_string(p).ok()).collect()
}

/// Loads a text and runs its kernels; nothing may panic.
fn execute(text: &str, watch: Watch) {
    let Ok(program) = Program::load(text) else { return };
    // Checks read the source that a module names: here, the text itself.
    let program = Arc::new(program.with_files(|_| Some(text.to_owned())));
    let mut machine = Machine::with_memory_limit(Gpu::named("h200").expect("in the table"), 32 << 20);
    let Ok(module) = machine.load(Arc::clone(&program)) else { return };
    let buffer = machine.alloc(4096).expect("little enough");
    for kernel in program.kernels().iter().take(3) {
        let params = buffer.0.to_le_bytes().into_iter().cycle().take(kernel.param_bytes as usize).collect();
        let mut launch = Launch::new([2, 1, 1], [40, 1, 1], params);
        launch.shared_bytes = 128;
        launch.max_instructions = 3000;
        launch.workers = 1;
        launch.watch = watch;
        let _ = machine.launch(module, &kernel.name, &launch);
    }
}

/// Replaces, removes or repeats words of a text.
fn mutate(text: &str, edits: &[(prop::sample::Index, u8, prop::sample::Index)]) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ',', '.', ';', '%']).collect();
    for (at, kind, other) in edits {
        if words.is_empty() {
            break;
        }
        let at = at.index(words.len());
        let other = words[other.index(words.len())];
        match kind % 3 {
            0 => words[at] = other,
            1 => words.insert(at, other),
            _ => {
                words.remove(at);
            }
        }
    }
    words.concat()
}

#[test]
fn mutated_kernels_end() {
    mutate_and_execute(Watch::NOTHING);
}

#[test]
fn mutated_kernels_end_with_every_check_on() {
    mutate_and_execute(Watch::ALL);
}

fn mutate_and_execute(watch: Watch) {
    let corpus = corpus();
    let seed = given("WARPWISE_HOSTILE_SEED").unwrap_or(7);
    let cases = given("WARPWISE_HOSTILE_CASES").unwrap_or(CASES);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config { cases, failure_persistence: None, ..Config::default() }, rng);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<prop::sample::Index>()), 1..6);
    let strategy = (any::<prop::sample::Index>(), edits);
    runner
        .run(&strategy, |(file, edits)| {
            execute(&mutate(&corpus[file.index(corpus.len())], &edits), watch);
            Ok(())
        })
        .expect("no mutation may panic");
}

#[test]
fn an_endless_kernel_ends_by_its_budget() {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nL: bra L;\n}\n";
    let program = Arc::new(Program::load(text).expect("valid PTX"));
    let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
    let module = machine.load(program).expect("nothing to resolve");
    let mut launch = Launch::new([1000, 1, 1], [1024, 1, 1], Vec::new());
    launch.max_instructions = 100_000;
    let fault = machine.launch(module, "k", &launch).expect_err("it cannot end well");
    assert_eq!(fault.kind.name(), "timeout");
}

/// A kernel with plenty of everything that checks keep lists of: every thread reads, writes and adds everywhere, in
/// bytes and words, between barriers of a few lanes, fences and flags.
#[test]
fn checks_keep_to_their_memory_and_time() {
    let text = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 data)
{
    .reg .pred %p<2>;
    .reg .b16 %h<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<5>;
    .shared .b8 room[1024];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mov.u32 %r5, 0;
L:
    add.u32 %r5, %r5, 37;
    add.u32 %r2, %r1, %r5;
    and.b32 %r2, %r2, 1020;
    cvt.u64.u32 %rd2, %r2;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    st.global.u8 [%rd3+1], %h1;
    atom.global.add.u32 %r4, [%rd3], 1;
    ld.volatile.global.u16 %h1, [%rd3+2];
    membar.gl;
    mov.u32 %r6, room;
    add.u32 %r6, %r6, %r2;
    st.shared.u8 [%r6], %h1;
    atom.shared.or.b32 %r4, [%r6], 1;
    ld.shared.u32 %r4, [%r6];
    activemask.b32 %r7;
    bar.warp.sync %r7;
    st.release.gpu.global.u32 [%rd3], %r4;
    ld.acquire.gpu.global.u32 %r4, [%rd3];
    bra L;
}";
    let program = Arc::new(Program::load(text).expect("valid PTX"));
    let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
    let module = machine.load(program).expect("nothing to resolve");
    let data = machine.alloc(1024).expect("little enough");
    let mut launch = Launch::new([64, 1, 1], [256, 1, 1], data.0.to_le_bytes().to_vec());
    launch.max_instructions = 20_000;
    launch.watch = Watch::ALL;
    let fault = machine.launch(module, "k", &launch).expect_err("it does not end");
    assert_eq!(fault.kind.name(), "timeout");
    assert!(fault.findings.iter().any(|f| f.kind.name() == "race"));
    assert!(fault.findings.len() <= 100);
}

#[test]
fn enormous_declarations_are_refused_or_free() {
    let module = |declarations: &str, body: &str| {
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n{declarations}\n.visible .entry k()\n{{\n{body}\nret;\n}}\n"
        )
    };
    let load = |text: &str| Program::load(text).map(|_| ()).map_err(|e| e.to_string());
    assert!(load(&module("", ".reg .b32 %r<4000000000>;\nmov.u32 %r3999999999, 1;")).is_ok());
    assert!(load(&module("", ".local .b8 big[99999999999];")).is_err_and(|e| e.contains("local memory")));
    assert!(load(&module("", ".shared .b8 big[99999999999];")).is_err_and(|e| e.contains("shared memory")));
    // Global memory is taken when the module is loaded on a machine, and refused there.
    let text = module(".global .b8 big[999999999999999];", "");
    let program = Arc::new(Program::load(&text).expect("a declaration costs nothing"));
    let mut machine = Machine::with_memory_limit(Gpu::named("h200").expect("in the table"), 1 << 20);
    assert!(machine.load(program).is_err());
}

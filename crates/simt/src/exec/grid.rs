//! The grid: clusters of blocks, started in order, on all host cores.
//!
//! A launch without clusters has clusters of one block. Each host thread takes the next one and runs it to its end. A
//! block that only polls memory waits for another block; it is set aside, and the thread continues with others, older
//! ones first, and starts new ones while the GPU would have room for them. So a block may wait for any earlier block, and
//! for later ones as long as they would all be resident on the GPU. Hardware gives the same guarantee.
//!
//! Kernels that use the values returned by atomics on global memory can see the order in which blocks run. They get one
//! host thread, so that the same launch gives the same result every time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::block::{Block, Turn};
use super::cluster::Cluster;
use super::pool::with_help;
use super::watcher::Watcher;
use crate::program::Program;
use crate::report::{Fault, FaultKind, Place, Report};
use crate::warp::{Context, QUANTUM, Sample, Trouble, Warp};

/// Memory that the blocks of one launch may take for registers, local and shared memory.
const BLOCK_MEMORY: usize = 1 << 30;
/// Turns that a block polls, while other host threads run blocks, before another block takes its place.
const PATIENCE: u32 = 4;

/// The cost of a launch, in instructions, up to which a host thread runs it without help: others would come too late.
const ALONE: u64 = 4096;
/// What it costs to start a cluster, in instructions.
const START_COST: u64 = 64;

/// Turns that each warp of a block gets before the host thread looks at the budget.
const ROUNDS: u32 = 4;

/// The length of a warp's turn under a budget of that many instructions.
pub(crate) fn quantum(max_instructions: u64) -> i64 {
    QUANTUM.min(i64::try_from(max_instructions).unwrap_or(QUANTUM)).max(1)
}

/// A program and the launch of one of its kernels.
pub(crate) struct Job<'l> {
    pub(crate) program: &'l Program,
    pub(crate) launch: Context<'l>,
}

/// What the host threads of a launch share.
struct Run {
    next: AtomicU64,
    executed: AtomicU64,
    /// Number of the first cluster known to have faulted; later ones need not run.
    faulted: AtomicU64,
    timed_out: AtomicBool,
    outcome: Mutex<Outcome>,
}

impl Run {
    /// What the launch has cost so far, in instructions.
    fn cost(&self, clusters: u64) -> u64 {
        let started = self.next.load(Ordering::Relaxed).min(clusters);
        self.executed.load(Ordering::Relaxed).saturating_add(started * START_COST)
    }
}

#[derive(Default)]
struct Outcome {
    fault: Option<(u64, Fault)>,
    printed: Vec<(u64, Vec<u8>)>,
}

/// Runs a launch to its end on `workers` host threads, each with its own observer; returns the observers too.
pub(crate) fn run<O: Watcher + Send>(
    job: &Job<'_>,
    workers: usize,
    observer: impl Fn() -> O + Sync,
) -> (Result<Report, Fault>, Vec<O>) {
    let run = Run {
        next: AtomicU64::new(0),
        executed: AtomicU64::new(0),
        faulted: AtomicU64::new(u64::MAX),
        timed_out: AtomicBool::new(false),
        outcome: Mutex::default(),
    };
    let observers = if workers <= 1 {
        vec![Worker::new(job, &run, observer()).work(|| ())]
    } else {
        let others = Mutex::new(Vec::new());
        let work = || {
            let other = Worker::new(job, &run, observer()).work(|| ());
            others.lock().unwrap_or_else(PoisonError::into_inner).push(other);
        };
        let mine = with_help(&work, |helpers| {
            let help = || helpers.call(workers - 1);
            if O::ACTIVE || job.launch.expected_cost() > ALONE {
                help();
            }
            Worker::new(job, &run, observer()).work(help)
        });
        let mut all = others.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.push(mine);
        // Those that came too late have heard nothing.
        all.resize_with(workers, &observer);
        all
    };
    let clusters = job.launch.clusters_run();
    job.launch.cost.store(run.cost(clusters).div_ceil(clusters), Ordering::Relaxed);
    let mut outcome = run.outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.printed.sort_by_key(|&(block, _)| block);
    let printed: Vec<u8> = outcome.printed.into_iter().flat_map(|(_, text)| text).collect();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let result = match outcome.fault {
        Some((_, fault)) => Err(Fault { printed, ..fault }),
        None => Ok(Report { warp_instructions: run.executed.into_inner(), printed, ..Report::default() }),
    };
    (result, observers)
}

/// A host thread.
struct Worker<'l, 'r, O> {
    program: &'l Program,
    launch: &'l Context<'l>,
    run: &'r Run,
    /// Clusters that were set aside, oldest first, with the turns they have polled.
    aside: VecDeque<(Cluster<'l>, u32)>,
    /// Clusters that have ended and can be started again.
    idle: Vec<Cluster<'l>>,
    /// The view that each memory instruction hit last; warps point into it.
    hints: Vec<u32>,
    /// Clusters that this thread may hold at once.
    capacity: usize,
    /// Blocks made so far.
    blocks: u32,
    observer: O,
}

impl<'l, 'r, O: Watcher> Worker<'l, 'r, O> {
    fn new(job: &'l Job<'l>, run: &'r Run, observer: O) -> Self {
        let Job { program, launch } = job;
        let hints = launch.hints.take(program.code.len());
        Self {
            program,
            launch,
            run,
            aside: VecDeque::new(),
            idle: Vec::new(),
            hints,
            capacity: usize::MAX,
            blocks: 0,
            observer,
        }
    }

    /// Runs clusters until there are no more; calls `help` if that takes long.
    fn work(mut self, help: impl Fn()) -> O {
        let (mut alone, clusters) = (true, self.launch.clusters_run());
        while let Some((mut cluster, polled)) = self.next_cluster() {
            // Asked before a turn, so that a grid of many short blocks ends too.
            if let Some(deadline) = self.launch.deadline.filter(|deadline| Instant::now() >= *deadline) {
                // As long as it was given: the time by now differs from run to run.
                let given = deadline.duration_since(self.launch.started).as_secs_f64();
                self.time_out(&cluster, &format!("run for {} s", (given * 100.0).round() / 100.0));
                break;
            }
            let before = cluster.executed();
            let (rank, turn) = cluster.turn(ROUNDS, self.program, &mut self.observer);
            let more = cluster.executed() - before;
            let total = self.run.executed.fetch_add(more, Ordering::Relaxed) + more;
            if alone && self.run.cost(clusters) > ALONE {
                alone = false;
                if self.run.next.load(Ordering::Relaxed) < clusters {
                    help();
                }
            }
            match turn {
                Turn::Done => self.finish(cluster),
                Turn::Fault(warp, trouble) => {
                    self.record(cluster.number, &cluster.blocks[rank], warp, *trouble);
                    self.finish(cluster);
                }
                Turn::Again { .. } | Turn::Stuck if total > self.launch.max_instructions => {
                    self.time_out(&cluster, &format!("executed {total} warp instructions"));
                    break;
                }
                Turn::Again { polling: false } | Turn::Stuck => self.aside.push_front((cluster, 0)),
                Turn::Again { polling: true } => {
                    if self.launch.parallel {
                        std::thread::yield_now();
                    }
                    let polled = polled + 1;
                    if polled >= self.patience() {
                        self.aside.push_back((cluster, polled));
                    } else {
                        self.aside.push_front((cluster, polled));
                    }
                }
            }
        }
        self.launch.hints.give_back(std::mem::take(&mut self.hints));
        self.observer
    }

    /// With one host thread nothing else can write what a block polls for.
    fn patience(&self) -> u32 {
        if self.launch.parallel { PATIENCE } else { 1 }
    }

    /// The next cluster to run: one that was set aside, or a new one.
    fn next_cluster(&mut self) -> Option<(Cluster<'l>, u32)> {
        if self.run.timed_out.load(Ordering::Relaxed) {
            return None;
        }
        let faulted = self.run.faulted.load(Ordering::Relaxed);
        self.aside.retain(|(cluster, _)| cluster.number < faulted);
        let all_poll = self.aside.iter().all(|&(_, polled)| polled >= self.patience());
        if self.aside.len() < self.capacity && all_poll {
            let next = self.run.next.fetch_add(1, Ordering::Relaxed);
            let spent =
                |sample: Sample| next >= sample.least && self.run.executed.load(Ordering::Relaxed) > sample.budget;
            if next < self.launch.clusters_run() && !self.launch.sample.is_some_and(spent) {
                let number = self.launch.cluster_run(next);
                if number < faulted {
                    return self.start(number);
                }
            }
            // Nothing new to start: return to those set aside.
            self.run.next.store(u64::MAX / 2, Ordering::Relaxed);
        }
        self.aside.pop_front()
    }

    fn start(&mut self, number: u64) -> Option<(Cluster<'l>, u32)> {
        let (hints, size) = (self.hints.as_mut_ptr(), self.launch.cluster_blocks());
        let mut cluster = self.idle.pop().unwrap_or_else(|| {
            self.blocks += size;
            Cluster::new(self.launch, self.blocks - size, hints)
        });
        let fits = cluster.start(self.launch, number);
        if !fits {
            let block = &cluster.blocks[0];
            let trouble = Trouble {
                kind: FaultKind::StackOverflow,
                message: "the kernel's local variables need more memory than a thread has".to_owned(),
                lane: 0,
                pc: block.warps[0].pc,
                address: None,
            };
            self.record(number, block, 0, trouble);
            return self.next_cluster();
        }
        if self.capacity == usize::MAX {
            let warps = cluster.blocks.iter().flat_map(|block| &block.warps);
            let bytes: usize = warps.map(|w| w.frames.bytes + w.local.len()).sum();
            let watched = self.observer.footprint();
            let each = self.launch.shared_bytes as usize + watched;
            let fit = BLOCK_MEMORY / (bytes + each * size as usize + 1);
            // Blocks that all wait for each other must all have been started.
            let resident = (self.launch.resident / size).max(1) as usize;
            let least = if self.launch.cooperative { resident } else { 1 };
            self.capacity = fit.clamp(least, resident);
        }
        for block in &cluster.blocks {
            self.observer.block_starts(&block.state);
        }
        Some((cluster, 0))
    }

    fn finish(&mut self, mut cluster: Cluster<'l>) {
        for block in &mut cluster.blocks {
            self.observer.block_ends(&block.state);
            if !block.state.printed.is_empty() {
                let printed = std::mem::take(&mut block.state.printed);
                self.lock().printed.push((block.linear, printed));
            }
        }
        self.idle.push(cluster);
    }

    /// Ends the launch in this cluster, because the kernel has done that much without ending.
    fn time_out(&mut self, cluster: &Cluster<'l>, done: &str) {
        self.run.timed_out.store(true, Ordering::Relaxed);
        let block = cluster.blocks.iter().find(|block| block.state.live > 0).unwrap_or(&cluster.blocks[0]);
        let (warp, pc) = block.warps.iter().find(|w| !w.done()).map_or((0, 0), |w| (w.index, w.pc));
        let blocks = self.launch.blocks();
        let clusters = self.run.next.load(Ordering::Relaxed);
        let started = clusters.saturating_mul(self.launch.cluster_blocks().into()).min(blocks);
        let begun =
            if started < blocks { format!("; {started} of {blocks} blocks were started") } else { String::new() };
        let at = whereabouts(self.program, block);
        let message = format!("the kernel has {done} without ending{begun}{at}");
        let trouble = Trouble { kind: FaultKind::Timeout, message, lane: 0, pc, address: None };
        self.record(cluster.number, block, warp, trouble);
    }

    /// Records a fault; of several, the one in the first block counts.
    fn record(&self, cluster: u64, block: &Block<'l>, warp: u32, trouble: Trouble) {
        self.run.faulted.fetch_min(cluster, Ordering::Relaxed);
        let warp = &block.warps[warp as usize];
        let thread = warp.thread_index(trouble.lane);
        let index = block.state.index;
        let place = self.program.image.place(trouble.pc).map(|at| Box::new(Place { block: index, thread, ..at }));
        let fault = Fault {
            kind: trouble.kind,
            message: trouble.message,
            place,
            address: trouble.address,
            printed: String::new(),
            findings: Vec::new(),
        };
        let mut outcome = self.lock();
        if outcome.fault.as_ref().is_none_or(|&(first, _)| cluster < first) {
            outcome.fault = Some((cluster, fault));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'r, Outcome> {
        self.run.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines of a block that a message names.
const LINES_NAMED: usize = 4;

/// `; this block's threads were at line 7 (96 threads), line 9 (1 thread)`: the lines with the most threads first.
fn whereabouts(program: &Program, block: &Block<'_>) -> String {
    let mut lines: BTreeMap<String, u32> = BTreeMap::new();
    for (pc, mask) in block.warps.iter().flat_map(Warp::positions) {
        let Some(place) = program.image.place(pc) else { continue };
        let line = match place.source {
            Some(source) => format!("line {}", source.line),
            None => format!("PTX line {}", place.ptx_line),
        };
        *lines.entry(line).or_default() += mask.count_ones();
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by_key(|&(_, threads)| std::cmp::Reverse(threads));
    let more = if lines.len() > LINES_NAMED { " and elsewhere" } else { "" };
    let threads = |n: u32| if n == 1 { "1 thread".to_owned() } else { format!("{n} threads") };
    let named: Vec<String> =
        lines.iter().take(LINES_NAMED).map(|(line, n)| format!("{line} ({})", threads(*n))).collect();
    if named.is_empty() { String::new() } else { format!("; this block's threads were at {}{more}", named.join(", ")) }
}

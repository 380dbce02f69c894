//! From the trace of a program to what is reported.

use super::estimate::{self, Counted};
use super::findings::Gathered;
use super::report::{CopyRow, KernelRow};
use crate::kernels::counters::CounterTable;
use crate::kernels::explain::Explanation;
use crate::kernels::finding::Finding;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use warpwise_gpu::symbol::demangle;
use warpwise_gpu::{Counters, Gpu};
use warpwise_trace::{CopySum, Direction, KernelSum, Launch, Record, Sums};

/// What a trace says.
#[derive(Default)]
pub(super) struct Summary {
    pub(super) kernels: Vec<KernelRow>,
    pub(super) copies: Vec<CopyRow>,
    pub(super) findings: Vec<Finding>,
    pub(super) explanations: Vec<Explanation>,
    pub(super) notes: Vec<String>,
    /// Processes that used the driver.
    pub(super) processes: usize,
    /// Whether one of them did not end by itself.
    pub(super) cut: bool,
}

/// A process of the program.
#[derive(Default)]
struct Process {
    /// The PTX of its modules, by their numbers.
    modules: HashMap<u32, PathBuf>,
    sums: Sums,
    launches: Vec<Launch>,
    ended: bool,
}

/// Kernels that are explained.
const EXPLAINED: usize = 3;

/// Sums up the records of a folder. Kernels of the source are called `program` in explanations.
pub(super) fn gather(records: Vec<Record>, folder: &Path, program: &str, gpu: &Gpu, explain: bool) -> Summary {
    let mut summary = Summary::default();
    let mut processes: Vec<Process> = Vec::new();
    let mut gathered = Gathered::default();
    for record in records {
        if let Record::Start(_) = record {
            processes.push(Process::default());
        }
        // A comparison may find something in a program that made no call.
        if let Record::Finding(finding) = &record {
            gathered.host(finding);
        }
        let Some(process) = processes.last_mut() else { continue };
        match record {
            Record::Start(_) | Record::Finding(_) => {}
            Record::Module(module) => {
                if let Some(why) = &module.refused {
                    summary.notes.push(format!("a module was refused: {why}"));
                }
                gathered.knows(&module.kernels);
                process.modules.extend(module.ptx.map(|ptx| (module.module, folder.join(ptx))));
            }
            Record::Launch(launch) => {
                gathered.launch(&launch);
                for note in &launch.notes {
                    if !summary.notes.contains(note) {
                        summary.notes.push(note.clone());
                    }
                }
                process.launches.push(launch);
            }
            Record::Sums(sums) => process.sums = sums,
            Record::Unasked(unasked) => gathered.unasked(&unasked),
            Record::Note { text } => summary.notes.push(text),
            Record::End => process.ended = true,
        }
    }
    summary.processes = processes.len();
    summary.cut = processes.iter().any(|process| !process.ended);
    let stopped = processes.iter().flat_map(|process| &process.launches).any(|launch| launch.stopped);
    summary.findings = gathered.finish(stopped);
    summary.kernels = rows(processes.iter().flat_map(|process| &process.sums.kernels));
    summary.copies = copies(processes.iter().flat_map(|process| &process.sums.copies));
    count(&mut summary.kernels, processes.iter().flat_map(|process| &process.launches));
    for process in &processes {
        let counted = Counted { modules: &process.modules, launches: &process.launches, program, gpu };
        estimate::estimate(&counted, &mut summary.kernels);
        if explain {
            summary.explanations.extend(estimate::explain(&counted, EXPLAINED));
        }
    }
    share(&mut summary.kernels);
    summary
}

/// A row for each symbol.
fn rows<'s>(sums: impl Iterator<Item = &'s KernelSum>) -> Vec<KernelRow> {
    let mut rows: Vec<KernelRow> = Vec::new();
    for sum in sums {
        let at = rows.iter().position(|row| row.symbol == sum.kernel).unwrap_or_else(|| {
            rows.push(KernelRow {
                kernel: kernel_name(&sum.kernel),
                symbol: sum.kernel.clone(),
                launches: 0,
                threads: 0,
                warp_instructions: 0,
                host_seconds: 0.0,
                estimated_us: None,
                percent: 0.0,
                counters: None,
            });
            rows.len() - 1
        });
        let row = &mut rows[at];
        row.launches += sum.launches;
        row.threads += sum.threads;
        row.warp_instructions += sum.instructions;
        row.host_seconds += sum.seconds;
    }
    rows
}

/// The name of a kernel in the source.
pub(super) fn kernel_name(symbol: &str) -> String {
    demangle(symbol).map_or_else(|| symbol.to_owned(), |demangled| demangled.name)
}

/// A row for each direction that was used.
fn copies<'s>(sums: impl Iterator<Item = &'s CopySum>) -> Vec<CopyRow> {
    let sums: Vec<&CopySum> = sums.collect();
    let row = |direction: Direction| {
        let of = sums.iter().filter(|sum| sum.direction == direction);
        let (count, bytes) = of.fold((0, 0), |(count, bytes), sum| (count + sum.count, bytes + sum.bytes));
        (count > 0).then_some(CopyRow { direction: direction.words(), count, bytes })
    };
    Direction::ALL.into_iter().filter_map(row).collect()
}

/// Adds what launches were counted to do to their kernels.
fn count<'l>(rows: &mut [KernelRow], launches: impl Iterator<Item = &'l Launch>) {
    for launch in launches {
        let (Some(row), Some(counters)) = (rows.iter_mut().find(|row| row.symbol == launch.kernel), &launch.counters)
        else {
            continue;
        };
        row.counters.get_or_insert(CounterTable(Counters::default())).0 += counters;
    }
}

/// Gives every kernel its share, and puts the costliest first.
fn share(rows: &mut [KernelRow]) {
    let estimated = !rows.is_empty() && rows.iter().all(|row| row.estimated_us.is_some());
    #[allow(clippy::cast_precision_loss, reason = "shown with few digits")]
    let cost = |row: &KernelRow| {
        if estimated { row.estimated_us.unwrap_or(0.0) } else { row.warp_instructions as f64 }
    };
    let all: f64 = rows.iter().map(cost).sum();
    for row in rows.iter_mut() {
        row.percent = if all > 0.0 { (1000.0 * cost(row) / all).round() / 10.0 } else { 0.0 };
    }
    rows.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_trace::{HostKind, Module, Start, Unasked};

    fn start() -> Record {
        Record::Start(Start { process: 1, program: "p".into(), gpu: "h200".to_owned() })
    }

    fn sums(kernel: &str, launches: u64, instructions: u64) -> Record {
        let kernel =
            KernelSum { kernel: kernel.to_owned(), launches, instructions, threads: 64, ..KernelSum::default() };
        let copies = vec![CopySum { direction: Direction::ToHost, count: 1, bytes: 100 }];
        Record::Sums(Sums { kernels: vec![kernel], copies })
    }

    fn summary(records: Vec<Record>) -> Summary {
        gather(records, Path::new("/nowhere"), "p.cu", &Gpu::named("h200").expect("known"), false)
    }

    #[test]
    fn processes_are_added_and_their_last_sums_count() {
        let records = vec![
            start(),
            sums("_Z3addPf", 1, 10),
            sums("_Z3addPf", 3, 30),
            Record::End,
            start(),
            sums("_Z3addPf", 1, 10),
            sums("scale", 1, 120),
        ];
        let summary = summary(records);
        assert_eq!((summary.processes, summary.cut), (2, true));
        let rows: Vec<_> = summary.kernels.iter().map(|r| (r.kernel.as_str(), r.launches, r.percent)).collect();
        assert_eq!(rows, [("scale", 1, 80.0), ("add", 3, 20.0)]);
        assert_eq!((summary.copies[0].count, summary.copies[0].bytes), (2, 200));
    }

    #[test]
    fn mistakes_of_the_host_are_findings() {
        let leak = warpwise_trace::Finding::of_host(HostKind::Leak, "64 bytes were never freed.", None);
        let unasked = Unasked {
            call: "cudaLaunchKernel".to_owned(),
            error: "cudaErrorInvalidConfiguration".to_owned(),
            code: 9,
            kernel: Some("_Z3addPf".to_owned()),
            reason: Some("a block has 2048 threads".to_owned()),
            host: None,
        };
        let refused = Module { refused: Some("no PTX".to_owned()), ..Module::default() };
        let records = vec![
            start(),
            Record::Finding(leak.clone()),
            Record::Finding(leak),
            Record::Unasked(unasked),
            Record::Module(refused),
            Record::Note { text: "so".to_owned() },
        ];
        let summary = summary(records);
        assert_eq!(summary.findings.len(), 2, "{:?}", summary.findings);
        let (leak, error) = (&summary.findings[0], &summary.findings[1]);
        assert_eq!((leak.kind, leak.severity, leak.count), ("leak", "warning", 2));
        assert_eq!((error.kind, error.severity, error.kernel.as_deref()), ("unchecked_error", "error", Some("add")));
        let told = "cudaLaunchKernel returned cudaErrorInvalidConfiguration (9): a block has 2048 threads; \
                    the program never asked";
        assert_eq!(error.message, told);
        assert_eq!(summary.notes, ["a module was refused: no PTX", "so"]);
    }
}

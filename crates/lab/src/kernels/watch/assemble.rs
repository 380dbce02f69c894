//! From what was observed to a record.

use super::record::{BarrierRecord, FindingRecord, InstructionRecord, Record, SourceRecord, StepRecord, WarpRecord};
use super::recorder::{Known, Recorder, Step};
use super::values::{Reading, encode};
use super::{tie, words};
use crate::kernels::counters::CounterTable;
use crate::kernels::finding::Finding;
use crate::kernels::source::{Line, SourceMap};
use std::collections::{BTreeMap, HashMap};
use warpwise_gpu::Counters;

/// Lines of a source that are shown before and after those that steps are in.
const AROUND: u32 = 4;

/// What is watched.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) title: String,
    pub(super) idea: Option<String>,
    pub(super) gpu: String,
}

/// Makes a record of what was observed.
pub(super) fn assemble(recorder: &Recorder, subject: Subject, sources: &SourceMap, found: Vec<Finding>) -> Record {
    let mut order: Vec<usize> = (0..recorder.steps.len()).collect();
    order.sort_by_key(|&at| (recorder.steps[at].time, recorder.steps[at].warp));
    let steps: Vec<&Step> = order.iter().map(|&at| &recorder.steps[at]).collect();
    let instructions = Instructions::new(recorder, sources);
    let mut sentences = Sentences::default();
    let mut counters = Counters::default();
    let mut records: Vec<StepRecord> = Vec::with_capacity(steps.len());
    for step in &steps {
        let Some(known) = recorder.known.get(&step.pc) else { continue };
        let mut record = StepRecord {
            t: step.time,
            w: step.warp,
            i: instructions.number(step.pc),
            s: sentences.number(words::sentence(step, known)),
            on: step.on,
            off: step.off,
            other: step.other,
            met: step.met,
            wait: step.wait,
            gone: step.gone,
            v: values(step, known),
            a: Vec::new(),
            bar: step.barrier.map(|b| BarrierRecord { id: b.id, here: b.here, of: b.of, waits: b.waits, last: b.last }),
            div: step.diverges,
            f: Vec::new(),
        };
        count(step, known, &mut counters);
        for seen in &step.accesses {
            let access = seen.record();
            seen.count(&access, &mut counters);
            record.a.push(access);
        }
        records.push(record);
    }
    let mut findings = Vec::new();
    for (number, finding) in found.into_iter().enumerate() {
        let [step, other_step] = tie::steps(&finding, recorder, &steps, sources);
        for at in [step, other_step].into_iter().flatten() {
            records[at].f.push(number);
        }
        findings.push(FindingRecord { finding, step, other_step });
    }
    let launched = recorder.launched.as_ref();
    Record {
        title: subject.title,
        idea: subject.idea,
        kernel: launched.map_or_else(String::new, |launched| launched.kernel.clone()),
        gpu: subject.gpu,
        grid: launched.map_or([1; 3], |launched| launched.grid),
        block: launched.map_or([1; 3], |launched| launched.block),
        launch: recorder.launch(),
        launches: recorder.launches,
        warps: warps(recorder),
        left_out: left_out(recorder),
        counters: CounterTable(counters),
        sources: instructions.sources,
        instructions: instructions.list,
        sentences: sentences.list,
        steps: records,
        findings,
    }
}

fn values(step: &Step, known: &Known) -> Vec<String> {
    let words = known.ptx.as_ref().map_or(&[][..], |ptx| &ptx.modifiers);
    let each = known.results.iter().zip(&step.values);
    let texts = each.map(|(register, (mask, values))| encode(*mask, values, Reading::of(register.ty, words)));
    texts.collect()
}

/// Adds what counters say of a step besides its accesses.
fn count(step: &Step, known: &Known, counters: &mut Counters) {
    counters.warp_instructions += 1;
    counters.thread_instructions += u64::from(step.on.count_ones());
    let Some(ptx) = &known.ptx else { return };
    let is_branch = match &*ptx.opcode {
        "bra" => ptx.guard.is_some(),
        opcode => opcode == "brx",
    };
    counters.branches += u64::from(is_branch);
    counters.divergent_branches += u64::from(step.diverges);
    let meets = |word: &str| ptx.modifiers.iter().any(|modifier| &**modifier == word);
    let cluster = &*ptx.opcode == "barrier" && meets("cluster") && meets("arrive") && step.on != 0;
    counters.barriers += u64::from(step.barrier.is_some() || cluster);
}

fn warps(recorder: &Recorder) -> Vec<WarpRecord> {
    let record = |row: &super::recorder::Row| WarpRecord {
        block: row.block,
        warp: row.warp,
        steps: row.steps,
        left_out: row.steps - row.kept,
    };
    recorder.rows.iter().map(record).collect()
}

/// What the record does not have, in sentences.
fn left_out(recorder: &Recorder) -> Vec<String> {
    let mut told = Vec::new();
    let Some(launched) = &recorder.launched else { return told };
    let blocks: u64 = launched.grid.iter().map(|&side| u64::from(side)).product();
    let mut recorded: Vec<u64> = recorder.rows.iter().map(|row| row.number).collect();
    recorded.dedup();
    let others = blocks.saturating_sub(recorded.len() as u64);
    if others > 0 {
        let s = if others == 1 { "" } else { "s" };
        told.push(format!("{others} other block{s} of the grid: choose with --block-of"));
    }
    let threads: u32 = launched.block.iter().product();
    let there = recorded.len() * threads.div_ceil(32) as usize;
    if there > recorder.rows.len() {
        let missing = there - recorder.rows.len();
        let s = if missing == 1 { "" } else { "s" };
        let why = if recorder.crowded > 0 { ": a record has at most 64" } else { ": choose with --warps" };
        told.push(format!("{missing} other warp{s} of the block{why}"));
    }
    let steps: usize = recorder.rows.iter().map(|row| row.steps - row.kept).sum();
    if steps > 0 {
        told.push(format!("{steps} later steps of these warps: ask for more with --steps"));
    }
    if recorder.launches > 1 {
        let (this, all) = (recorder.launch(), recorder.launches);
        told.push(format!("the other launches: this is launch {this} of {all}, choose with --launch-number"));
    }
    told
}

/// Sentences, each once.
#[derive(Default)]
struct Sentences {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Sentences {
    fn number(&mut self, sentence: String) -> usize {
        let next = self.list.len();
        *self.numbers.entry(sentence).or_insert_with_key(|sentence| {
            self.list.push(sentence.clone());
            next
        })
    }
}

/// The instructions of a record in the order of the code, and the lines of their sources.
struct Instructions {
    list: Vec<InstructionRecord>,
    sources: Vec<SourceRecord>,
    numbers: BTreeMap<u32, usize>,
}

impl Instructions {
    fn new(recorder: &Recorder, map: &SourceMap) -> Self {
        let known: BTreeMap<u32, &Known> = recorder.known.iter().map(|(pc, known)| (*pc, known)).collect();
        let lines: Vec<Option<Line>> = known.values().map(|known| line_of(known, map)).collect();
        let sources = sources(&lines, map);
        let record = |(known, line): (&&Known, &Option<Line>)| {
            let place = &known.place;
            let source = line.as_ref().and_then(|line| sources.iter().position(|source| source.name == line.file));
            InstructionRecord {
                ptx: match &known.ptx {
                    Some(_) => place.instruction.to_string(),
                    None => "ret; (the end of the function)".to_owned(),
                },
                ptx_line: place.ptx_line,
                function: place.function.to_string(),
                source,
                line: line.as_ref().filter(|_| source.is_some()).map(|line| line.number),
                results: known.results.iter().map(|register| register.name.to_string()).collect(),
            }
        };
        let list = known.values().zip(&lines).map(record).collect();
        Self { list, sources, numbers: known.into_keys().enumerate().map(|(at, pc)| (pc, at)).collect() }
    }

    fn number(&self, pc: u32) -> usize {
        self.numbers.get(&pc).copied().unwrap_or(0)
    }
}

/// The line of the source that an instruction is of.
pub(super) fn line_of(known: &Known, map: &SourceMap) -> Option<Line> {
    let place = known.ptx.as_ref().map(|_| &known.place)?;
    let line = map.line(Some(place.source?), place.ptx_line);
    map.file_text(&line.file).is_some().then_some(line)
}

/// The parts of the sources that lines are in.
fn sources(lines: &[Option<Line>], map: &SourceMap) -> Vec<SourceRecord> {
    let mut ranges: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for line in lines.iter().flatten() {
        let range = ranges.entry(&line.file).or_insert((line.number, line.number));
        *range = (range.0.min(line.number), range.1.max(line.number));
    }
    let part = |(name, (first, last)): (&str, (u32, u32))| {
        let first = first.saturating_sub(AROUND).max(1);
        let text = map.file_text(name)?.lines();
        let lines = text.skip(first as usize - 1).take((last + AROUND + 1 - first) as usize).map(str::to_owned);
        Some(SourceRecord { name: name.to_owned(), first, lines: lines.collect() })
    };
    ranges.into_iter().filter_map(part).collect()
}

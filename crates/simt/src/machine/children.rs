//! Kernels that kernels launch.

use std::time::{Duration, Instant};

use super::kernels::KernelId;
use super::launches::refuse;
use super::{Machine, ModuleId};
use crate::memory::MachineError;
use crate::report::{Fault, FaultKind, Profile, Report};
use crate::warp::{Child, Children};
use crate::{Launch, Program};

/// Memory for the parameters of launches that one grid asks for.
const PARAMETER_BYTES: u64 = 4 << 20;
/// How deep launches of launches may go, as on a GPU.
const DEPTH: u32 = 24;

/// A launch that was asked for.
struct Asked {
    child: Child,
    params: Vec<u8>,
    depth: u32,
}

impl Machine {
    /// Makes room for the parameters of launches, if a kernel of the program launches any and there is none.
    pub(super) fn make_children_for(&mut self, program: &Program) -> Result<(), MachineError> {
        if self.children.is_none() && program.kernels().iter().any(|k| k.launches) {
            let base = self.memory.alloc(PARAMETER_BYTES, false)?;
            self.memory.name(base, "the parameters of launches")?;
            self.children = Some(Box::new(Children::new(base, PARAMETER_BYTES)));
        }
        Ok(())
    }

    /// Runs what a grid has launched, each with all that it launches itself, and adds it to the report.
    pub(super) fn launch_children(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        mut report: Report,
    ) -> Result<Report, Fault> {
        if self.children.is_none() {
            return Ok(report);
        }
        let started = Instant::now();
        let mut todo = self.asked(1);
        while let Some(Asked { child, params, depth }) = todo.pop() {
            let outcome = self.launch_child(module, launch, &report, (child, params, depth), started.elapsed());
            match outcome {
                Ok(more) => add(&mut report, more),
                Err(mut fault) => {
                    // What ended well before it counts as well.
                    self.asked(0);
                    fault.printed.insert_str(0, &report.printed);
                    fault.findings.splice(0..0, report.findings);
                    return Err(fault);
                }
            }
            todo.extend(self.asked(depth + 1));
        }
        Ok(report)
    }

    /// What the last grid has launched, the first one last.
    fn asked(&self, depth: u32) -> Vec<Asked> {
        let Some(children) = &self.children else { return Vec::new() };
        let asked = children.take().into_iter().rev().map(|(buffer, child)| {
            let params = self.memory.bytes(buffer, child.param_bytes.into()).map(<[u8]>::to_vec);
            Asked { child, params: params.unwrap_or_default(), depth }
        });
        asked.collect()
    }

    fn launch_child(
        &mut self,
        module: ModuleId,
        parent: &Launch,
        so_far: &Report,
        (child, params, depth): (Child, Vec<u8>, u32),
        elapsed: Duration,
    ) -> Result<Report, Fault> {
        let Child { function, grid, block, shared_bytes, .. } = child;
        let kernels = self.loaded(module).map(|loaded| loaded.program.kernels()).unwrap_or_default();
        let Some(number) = kernels.iter().position(|k| k.function == function) else {
            return Err(refuse("a kernel launched something that is not a kernel".to_owned()));
        };
        if depth > DEPTH {
            let name = &kernels[number].name;
            return Err(refuse(format!("kernels that launch kernels: {name} would be more than {DEPTH} deep")));
        }
        let left = parent.max_instructions.saturating_sub(so_far.warp_instructions);
        let time_left = parent.time_limit.map(|limit| limit.saturating_sub(elapsed));
        if left == 0 || time_left == Some(Duration::ZERO) {
            let message = "kernels that launch kernels have used up the limit of the launch".to_owned();
            return Err(Fault { kind: FaultKind::Timeout, ..refuse(message) });
        }
        let launch = Launch {
            grid,
            block,
            shared_bytes,
            params,
            cooperative: false,
            cluster: None,
            max_instructions: left,
            time_limit: time_left,
            workers: parent.workers,
            watch: parent.watch,
        };
        self.launch_one(KernelId { module, number: number as u32 }, &launch)
    }
}

/// Adds the report of a launch to that of the grid that asked for it.
fn add(report: &mut Report, more: Report) {
    report.warp_instructions += more.warp_instructions;
    report.printed += &more.printed;
    report.findings.extend(more.findings);
    for note in more.notes {
        if !report.notes.contains(&note) {
            report.notes.push(note);
        }
    }
    let Some(theirs) = more.profile else { return };
    let Some(Profile { total, instructions, .. }) = &mut report.profile else {
        report.profile = Some(theirs);
        return;
    };
    *total += &theirs.total;
    for line in theirs.instructions {
        let same = |known: &&mut crate::report::InstructionProfile| {
            (&known.function, known.ptx_line, known.source) == (&line.function, line.ptx_line, line.source)
        };
        match instructions.iter_mut().find(same) {
            Some(known) => known.counters += &line.counters,
            None => instructions.push(line),
        }
    }
}

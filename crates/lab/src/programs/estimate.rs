//! Estimated times of a program's kernels, and why they take that long, from launches that were counted.

use super::gather::kernel_name;
use super::report::KernelRow;
use crate::kernels::explain::{Explained, Explanation, Launched, put_together};
use crate::kernels::source::SourceMap;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpwise_gpu::{Gpu, InstructionProfile, Profile};
use warpwise_ptx::ast::SourceLine;
use warpwise_simt::Program;
use warpwise_trace::Launch;

/// Launches of a process with what is needed to explain them.
pub(super) struct Counted<'a> {
    /// The PTX of its modules, by their numbers.
    pub(super) modules: &'a HashMap<u32, PathBuf>,
    /// Its launches.
    pub(super) launches: &'a [Launch],
    /// The program, for titles.
    pub(super) program: &'a str,
    /// The GPU to estimate for.
    pub(super) gpu: &'a Gpu,
}

impl Counted<'_> {
    /// Explanations of all kernels that were counted, with their symbols.
    fn explanations(&self) -> Vec<(String, Explanation)> {
        let mut kernels: Vec<(u32, &str)> = Vec::new();
        for launch in self.launches.iter().filter(|launch| launch.profile.is_some()) {
            if !kernels.contains(&(launch.module, &launch.kernel)) {
                kernels.push((launch.module, &launch.kernel));
            }
        }
        let mut sources: HashMap<u32, Option<SourceMap>> = HashMap::new();
        let mut all = Vec::new();
        for (module, symbol) in kernels {
            let read = || self.modules.get(&module).and_then(|path| source_map(path));
            let Some(sources) = sources.entry(module).or_insert_with(read) else { continue };
            let own = || self.launches.iter().filter(|l| l.module == module && l.kernel == symbol);
            let launched: Vec<Launched> = own().filter_map(launched).collect();
            let footprint = own().filter_map(|launch| launch.footprint).max();
            let target = Explained::File { file: self.program.to_owned(), kernel: kernel_name(symbol) };
            all.push((symbol.to_owned(), put_together(target, &launched, sources, footprint, self.gpu)));
        }
        all
    }
}

/// Adds the estimated time to kernels that were counted. Launches that were not are taken to be like those that were.
pub(super) fn estimate(counted: &Counted<'_>, rows: &mut [KernelRow]) {
    for (symbol, explanation) in counted.explanations() {
        let Some(row) = rows.iter_mut().find(|row| row.symbol == symbol) else { continue };
        let us: f64 = explanation.kernels.iter().map(|kernel| kernel.estimated.us).sum();
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let scale = row.launches as f64 / explanation.launches.max(1) as f64;
        row.estimated_us = Some(row.estimated_us.unwrap_or(0.0) + us * scale.max(1.0));
    }
}

/// Explains the costliest kernels.
pub(super) fn explain(counted: &Counted<'_>, many: usize) -> Vec<Explanation> {
    let mut all: Vec<Explanation> = counted.explanations().into_iter().map(|(_, explanation)| explanation).collect();
    all.sort_by(|a, b| b.estimated_us.total_cmp(&a.estimated_us));
    all.truncate(many);
    all
}

/// A launch as explanations take it.
fn launched(launch: &Launch) -> Option<Launched> {
    let instruction = |one: &warpwise_trace::Instruction| InstructionProfile {
        function: one.function.as_str().into(),
        ptx_line: one.ptx_line,
        source: one.source.map(|[file, line, column]| SourceLine { file, line, column }),
        counters: one.counters,
    };
    let instructions = launch.profile.as_ref()?.instructions.iter().map(instruction).collect();
    Some(Launched {
        kernel: kernel_name(&launch.kernel),
        symbol: launch.kernel.clone(),
        grid: launch.grid,
        block: launch.block,
        shared_bytes: launch.shared_bytes,
        profile: Profile { total: launch.counters?, instructions, recording: None },
        estimated_us: launch.estimated_us,
    })
}

/// A module with its sources, as far as they can be read.
fn source_map(path: &Path) -> Option<SourceMap> {
    let ptx = std::fs::read_to_string(path).ok()?;
    let program = Program::load(&ptx).ok()?;
    let files = (1..).map_while(|index| program.file(index)).filter_map(|file| {
        let text = std::fs::read_to_string(file).ok()?;
        Some((super::host_lines::shown(file), text))
    });
    let files = files.collect();
    Some(SourceMap { program: Arc::new(program), ptx, ptx_name: "the PTX of the program".to_owned(), files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use warpwise_simt::{Launch as Start, Machine, Watch};

    const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry fill(.param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<4>;\n\
        ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n\
        add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";

    /// A launch as the driver writes it down.
    fn counted() -> Launch {
        let mut machine = Machine::new(Gpu::named("h200").expect("known"));
        let module = machine.load(Arc::new(Program::load(PTX).expect("valid"))).expect("loaded");
        let data = machine.alloc(1024).expect("room");
        let mut start = Start::new([1, 1, 1], [256, 1, 1], data.0.to_le_bytes().to_vec());
        start.watch = Watch { counters: true, ..Watch::NOTHING };
        let report = machine.launch(module, "fill", &start).expect("it runs");
        let profile = report.profile.expect("counted");
        Launch {
            kernel: "fill".to_owned(),
            number: 1,
            grid: [1, 1, 1],
            block: [256, 1, 1],
            instructions: report.warp_instructions,
            counters: Some(profile.total),
            profile: Some((&profile).into()),
            ..Launch::default()
        }
    }

    #[test]
    fn counted_launches_have_estimates_and_explanations() {
        let root = folder("estimate");
        let file = root.join("1-0.ptx");
        std::fs::write(&file, PTX).expect("written");
        let gpu = Gpu::named("h200").expect("known");
        let modules = HashMap::from([(0, file)]);
        let launches = [counted()];
        let counted = Counted { modules: &modules, launches: &launches, program: "p.cu", gpu: &gpu };
        let explained = explain(&counted, 3);
        assert_eq!((explained.len(), explained[0].target.name().as_str()), (1, "fill"));
        assert!(explained[0].estimated_us > 0.0 && !explained[0].diagnoses.is_empty());
        let row = |launches| KernelRow {
            kernel: "fill".to_owned(),
            symbol: "fill".to_owned(),
            launches,
            threads: 256,
            warp_instructions: 48,
            host_seconds: 0.0,
            estimated_us: None,
            percent: 0.0,
            counters: None,
        };
        let mut rows = [row(1)];
        estimate(&counted, &mut rows);
        let once = rows[0].estimated_us.expect("counted");
        let mut rows = [row(10)];
        estimate(&counted, &mut rows);
        let ten = rows[0].estimated_us.expect("counted");
        assert!((ten - 10.0 * once).abs() < 1e-6 * ten, "{once} {ten}");
        std::fs::remove_dir_all(root).expect("removed");
    }
}

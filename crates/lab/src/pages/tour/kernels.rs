//! A kernel line by line, for the heat map.

use super::{Cause, IdealMeasure, KernelMap, LineWork, SourceLine};
use crate::kernels::explain::{self, Explained, LineReport};
use crate::kernels::rung::RungRequest;

/// Lines of context around executed lines.
const CONTEXT: u32 = 2;

/// Runs a rung on the emulator with counters, and returns what each line did.
pub(super) fn look(primitive: &str, variant: &str, n: u64, id: &str) -> Result<KernelMap, String> {
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
    let explanation =
        explain::explain(&explain::Request::Rung(Box::new(request))).map_err(|error| error.to_string())?;
    let kernel = explanation.kernels.first().ok_or("nothing was launched")?;
    let (ty, size, idea) = match &explanation.target {
        Explained::Rung { element, size, idea, .. } => ((*element).to_owned(), size.clone(), (*idea).to_owned()),
        Explained::File { .. } => Default::default(),
    };
    let work = |file: &str| kernel.lines.iter().filter(|line| line.file == file).count();
    let sources = warpwise::kernels(primitive).map(|module| module.sources()[0]);
    let source = sources.max_by_key(|source| work(source.path())).ok_or("it has no kernels")?;
    let measures = kernel.measures.iter().enumerate().map(|(i, m)| IdealMeasure {
        id: format!("{id}m{}", i + 1),
        name: m.name.into(),
        value: m.value,
        ideal: m.ideal,
        unit: m.unit.into(),
    });
    let cause = |d: &explain::Diagnosis| Cause { sentence: d.sentence.clone(), remedy: d.remedy.clone() };
    Ok(KernelMap {
        id: id.into(),
        primitive: primitive.into(),
        variant: variant.into(),
        ty,
        size,
        idea,
        kernel: kernel.kernel.clone(),
        gpu: explanation.gpu.clone(),
        measures: measures.collect(),
        lines: lines(id, (source.path(), source.text()), &kernel.lines),
        causes: explanation.diagnoses.iter().map(cause).collect(),
    })
}

/// The executed lines of the main file, and those around them.
fn lines(id: &str, (file, text): (&str, &str), reports: &[LineReport]) -> Vec<SourceLine> {
    let here: Vec<&LineReport> = reports.iter().filter(|line| line.file == file).collect();
    let near = |number: u32| here.iter().any(|line| line.line.abs_diff(number) <= CONTEXT);
    let numbered = text.lines().zip(1_u32..).filter(|(_, number)| near(*number));
    numbered
        .map(|(text, number)| SourceLine {
            id: format!("{id}l{number}"),
            line: number,
            text: text.into(),
            work: here.iter().find(|line| line.line == number).map(|line| LineWork {
                instructions_percent: line.instructions_percent,
                lanes: line.lanes,
                sectors: line.sectors,
                conflicts: line.conflicts,
                divergent_branches: line.divergent_branches,
            }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_that_diverges_is_found() {
        let map = look("reduce", "gpu-1-interleaved", 4096, "k1").unwrap();
        let hot = map.lines.iter().filter(|line| line.work.is_some_and(|work| work.divergent_branches > 0));
        assert!(hot.into_iter().any(|line| line.text.contains("% (2 * distance)")), "{:?}", map.lines);
        assert!(map.lines.iter().any(|line| line.work.is_none()), "there is context");
        assert!(map.causes[0].sentence.contains("Divergence"));
    }
}

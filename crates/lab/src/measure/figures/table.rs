//! Reading the tables.

use crate::measure::bench::{parse_lengths, parse_planes};
use serde_json::{Map, Value};
use warpwise::primitive::{self, Settings};
use warpwise::{Geometry, Primitive};
use warpwise_model::Moved;

/// A table that others have published.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, as the command line spells it.
    pub name: &'static str,
    /// What was measured, and on which hardware.
    pub source: &'static str,
    /// The GPU that it names, or the likeliest one if it names none: times are estimated for it.
    pub gpu: &'static str,
    /// Whether that GPU is assumed, and not named.
    pub assumed: bool,
    /// What the authors chose, where they said so: `2048 blocks of 512`.
    pub chosen: Option<&'static str>,
    /// Its rows.
    pub entries: Vec<Entry>,
}

/// A published time, and our equivalent.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The primitive.
    pub primitive: &'static Primitive,
    /// The variant.
    pub variant: &'static str,
    /// The element type.
    pub ty: &'static str,
    /// The length or side.
    pub n: Option<usize>,
    /// Rows and columns.
    pub size: Option<(usize, usize)>,
    /// The test data.
    pub input: &'static str,
    /// Choices.
    pub settings: Settings,
    /// The launch.
    pub geometry: Geometry,
    /// The authors' name for it.
    pub called: &'static str,
    /// The time as published.
    pub ms: f64,
    /// Everything else that was published of it, by name.
    pub columns: Vec<(&'static str, f64)>,
    /// Whether the time is that of the first launch only.
    pub first: bool,
    /// Whether the time is that of kernels, without what passes between one launch and the next.
    pub alone: bool,
    /// Kernels of ours that the published program cannot have had: part of their names.
    pub without: Option<&'static str>,
    /// Whether the launch fails, so that the time is that of nothing.
    pub fails: bool,
    /// What moves between the host's memory and the GPU's while the time is taken: its bytes are those for an element.
    pub moved: Moved,
    /// Whether the time is that of a whole program, which begins with starting to use the GPU.
    pub starts: bool,
}

impl Figure {
    /// Reads a table: a line with the source, others with what else is known, the headings, the rows.
    pub(super) fn parse(name: &'static str, text: &'static str) -> Result<Self, String> {
        let mut notes = text.lines().map_while(|line| line.strip_prefix("# "));
        let source = notes.next().ok_or("no line with the source")?;
        let (mut gpu, mut chosen) = (None, None);
        for note in notes {
            match note.split_once(": ") {
                Some(("gpu", name)) => gpu = Some(name),
                Some(("chosen", what)) => chosen = Some(what),
                _ => return Err(format!("`{note}` says nothing that is known")),
            }
        }
        let gpu = gpu.ok_or("no line with the GPU")?;
        let (gpu, assumed) = gpu.strip_suffix(" (assumed)").map_or((gpu, false), |gpu| (gpu, true));
        let mut lines = text.lines().skip_while(|line| line.starts_with("# "));
        let headings: Vec<&'static str> = lines.next().ok_or("no headings")?.split(',').collect();
        let entries = lines.map(|line| Entry::parse(&headings, line)).collect::<Result<_, _>>()?;
        Ok(Self { name, source, gpu, assumed, chosen, entries })
    }
}

impl Figure {
    /// Whether rows have one name and differ in their blocks and grids.
    pub(crate) fn is_sweep(&self) -> bool {
        self.entries.len() > 1
            && self.entries.iter().all(|entry| entry.called == self.entries[0].called && entry.n == self.entries[0].n)
    }
}

impl Entry {
    fn parse(headings: &[&'static str], line: &'static str) -> Result<Self, String> {
        let cells: Vec<&'static str> = line.split(',').collect();
        if cells.len() != headings.len() {
            return Err(format!("{} cells under {} headings: {line}", cells.len(), headings.len()));
        }
        let get = |name: &str| headings.iter().position(|h| *h == name).map(|at| cells[at]).filter(|c| !c.is_empty());
        let number =
            |name: &str| get(name).map(|c| c.parse::<u32>().map_err(|e| format!("{name} {c}: {e}"))).transpose();
        let amount =
            |name: &str| get(name).map(|c| c.parse::<f64>().map_err(|e| format!("{name} {c}: {e}"))).transpose();
        let wrong = |what: &str| format!("no {what} in: {line}");
        let primitive = get("primitive").and_then(|name| primitive::find(name).ok());
        let primitive = primitive.ok_or_else(|| wrong("primitive"))?;
        let variant = get("variant").and_then(|name| primitive.variant(name));
        let ty = primitive.types.iter().find(|ty| Some(ty.name()) == get("type"));
        let input = get("input").unwrap_or(primitive.inputs[0]);
        let input = primitive.inputs.iter().find(|known| **known == input);
        let first = |list: Result<Vec<usize>, String>| list.map(|list| list[0]);
        let mut settings = Settings::default();
        for parameter in primitive.parameters {
            if let Some(text) = get(parameter.name) {
                settings = settings.with(parameter.name, parameter.parse(text)?);
            }
        }
        let mut columns = Vec::new();
        for (heading, cell) in headings.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()) {
            if let Some(name) = heading.strip_prefix("published ") {
                columns.push((name, cell.parse::<f64>().map_err(|e| format!("{name} {cell}: {e}"))?));
            }
        }
        Ok(Self {
            primitive,
            variant: variant.ok_or_else(|| wrong("variant"))?.name,
            ty: ty.ok_or_else(|| wrong("type"))?.name(),
            n: get("n").map(|c| first(parse_lengths(c))).transpose()?,
            size: get("size").map(|c| parse_planes(c).map(|list| list[0])).transpose()?,
            input: input.ok_or_else(|| wrong("input"))?,
            settings,
            geometry: Geometry { block: number("block")?, grid: number("grid")?, items: None },
            called: get("as").ok_or_else(|| wrong("name"))?,
            ms: get("ms").and_then(|c| c.parse().ok()).filter(|&ms: &f64| ms > 0.0).ok_or_else(|| wrong("time"))?,
            columns,
            first: get("launches") == Some("first"),
            alone: get("launches") == Some("kernels"),
            without: get("without"),
            fails: get("fails").is_some(),
            moved: Moved {
                bytes: amount("moved bytes")?.unwrap_or(0.0),
                arrays: amount("moved arrays")?.unwrap_or(0.0),
            },
            starts: get("starts").is_some(),
        })
    }

    /// Everything else that was published, as JSON: whole numbers without a fraction.
    pub(crate) fn published(&self) -> Map<String, Value> {
        #[allow(clippy::cast_possible_truncation, reason = "whole numbers far below 2^53")]
        let number = |x: f64| if x.fract() == 0.0 && x.abs() < 1e15 { Value::from(x as i64) } else { Value::from(x) };
        self.columns.iter().map(|(name, value)| ((*name).to_owned(), number(*value))).collect()
    }

    /// How many elements.
    pub fn elements(&self) -> usize {
        let plane = self.size.map(|(rows, cols)| rows.saturating_mul(cols));
        let line = self.n.map(|n| self.primitive.extents.of(n).elements().unwrap_or(usize::MAX));
        plane.or(line).unwrap_or(0)
    }

    /// Whether two differ only in the variant.
    pub(super) fn same_problem(&self, other: &Self) -> bool {
        let bare = |e: &Self| {
            let moved = Moved::default();
            Self { variant: "", called: "", ms: 0.0, columns: Vec::new(), fails: false, moved, ..e.clone() }
        };
        bare(self) == bare(other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TABLES, all};
    use super::*;
    use warpwise::primitive::Setting;

    #[test]
    fn every_table_is_read() {
        for (name, text) in TABLES {
            let figure = Figure::parse(name, text).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(!figure.entries.is_empty() && !figure.source.is_empty(), "{name}");
            assert!(warpwise_gpu::Gpu::named(figure.gpu).is_some(), "{name}: {}", figure.gpu);
            for entry in &figure.entries {
                assert!(entry.elements() > 0 && (entry.n.is_some() != entry.size.is_some()), "{name}: {entry:?}");
            }
        }
    }

    #[test]
    fn a_few_values_as_published() {
        let figure = |name: &str| all().into_iter().find(|figure| figure.name == name).unwrap();
        let ladder = figure("reduce-ladder");
        assert_eq!((ladder.entries.len(), ladder.entries[6].ms), (7, 0.12387));
        let columns: Vec<&str> = ladder.entries[0].columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(columns, ["instructions", "memory %", "DRAM %", "compute %", "occupancy %", "active warps"]);
        assert_eq!(ladder.entries[0].columns[0].1, 166_805_504.0);
        let blocks: Vec<_> = ladder.entries.iter().map(|entry| (entry.geometry.block, entry.first)).collect();
        assert_eq!((blocks[2], blocks[3]), ((Some(1024), true), (Some(512), true)));
        let sweep = figure("reduce-block-grid");
        let last = sweep.entries.last().unwrap();
        assert_eq!((sweep.chosen, sweep.gpu, sweep.assumed), (Some("2048 blocks of 512"), "rtx-2080-ti", false));
        assert_eq!((last.geometry.block, last.geometry.grid, last.ms), (Some(1024), Some(4096), 0.14784));
        let heat = figure("heat");
        assert_eq!(
            (heat.entries[4].settings.get("iterations"), heat.entries[4].ms),
            (Some(Setting::Number(200)), 2320.0)
        );
        let vecadd = figure("vecadd");
        assert_eq!(vecadd.entries.iter().map(|entry| entry.fails).collect::<Vec<_>>(), [false, false, true, false]);
        assert!(figure("scan-surrey").entries.iter().all(|entry| entry.ty == "f32"));
        let reduce = figure("reduce-surrey");
        let moved = |at: usize| (reduce.entries[at].moved.bytes, reduce.entries[at].moved.arrays);
        assert_eq!((moved(0), moved(1), moved(61)), ((0.125, 1.0), (0.0, 0.0), (8.0, 2.0)));
        let image = figure("histogram-image");
        let optimized = image.entries.iter().find(|entry| entry.called == "gpu-optimized kernel").unwrap();
        assert_eq!((optimized.variant, optimized.columns.len()), ("gpu-4-tree", 3));
        assert_eq!(all().iter().map(|figure| figure.entries.len()).sum::<usize>(), 248);
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        let head = "# s\n# gpu: h200\nprimitive,variant,type,n,as,ms\n";
        for (line, part) in [
            ("reduce,gpu-1-interleaved,i32,4,k", "5 cells under 6"),
            ("redcue,gpu-1-interleaved,i32,4,k,1", "no primitive"),
            ("reduce,gpu-1,i32,4,k,1", "no variant"),
            ("reduce,cpu-seq,i32,4,k,-1", "no time"),
        ] {
            let error = Figure::parse("t", Box::leak(format!("{head}{line}").into_boxed_str())).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        assert!(Figure::parse("t", "primitive\n").is_err());
        assert!(Figure::parse("t", "# s\nprimitive\n").unwrap_err().contains("no line with the GPU"));
    }
}

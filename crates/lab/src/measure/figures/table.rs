//! Reading the tables.

use crate::measure::bench::{parse_lengths, parse_planes};
use warpwise::primitive::{self, Settings};
use warpwise::{Geometry, Primitive};

/// A table that others have published.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, as the command line spells it.
    pub name: &'static str,
    /// What was measured, and on which hardware.
    pub source: &'static str,
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
}

impl Figure {
    /// Reads a table: a line with the source, the headings, the rows.
    pub(super) fn parse(name: &'static str, text: &'static str) -> Result<Self, String> {
        let mut lines = text.lines();
        let source = lines.next().and_then(|line| line.strip_prefix("# ")).ok_or("no line with the source")?;
        let headings: Vec<&str> = lines.next().ok_or("no headings")?.split(',').collect();
        let entries = lines.map(|line| Entry::parse(&headings, line)).collect::<Result<_, _>>()?;
        Ok(Self { name, source, entries })
    }
}

impl Entry {
    fn parse(headings: &[&str], line: &'static str) -> Result<Self, String> {
        let cells: Vec<&'static str> = line.split(',').collect();
        if cells.len() != headings.len() {
            return Err(format!("{} cells under {} headings: {line}", cells.len(), headings.len()));
        }
        let get = |name: &str| headings.iter().position(|h| *h == name).map(|at| cells[at]).filter(|c| !c.is_empty());
        let number =
            |name: &str| get(name).map(|c| c.parse::<u32>().map_err(|e| format!("{name} {c}: {e}"))).transpose();
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
        })
    }

    /// How many elements.
    pub fn elements(&self) -> usize {
        let plane = self.size.map(|(rows, cols)| rows.saturating_mul(cols));
        let line = self.n.map(|n| self.primitive.extents.of(n).elements().unwrap_or(usize::MAX));
        plane.or(line).unwrap_or(0)
    }

    /// Whether two differ only in the variant.
    pub(super) fn same_problem(&self, other: &Self) -> bool {
        let bare = |e: &Self| Self { variant: "", called: "", ms: 0.0, ..e.clone() };
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
        let sweep = figure("reduce-block-grid");
        let last = sweep.entries.last().unwrap();
        assert_eq!((last.geometry.block, last.geometry.grid, last.ms), (Some(1024), Some(4096), 0.14784));
        let heat = figure("heat");
        assert_eq!(
            (heat.entries[4].settings.get("iterations"), heat.entries[4].ms),
            (Some(Setting::Number(200)), 2320.0)
        );
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said() {
        let head = "# s\nprimitive,variant,type,n,as,ms\n";
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
    }
}

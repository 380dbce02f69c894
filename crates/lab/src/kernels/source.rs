//! From places in PTX to lines of the source, for messages and line-by-line tables.

use std::path::Path;
use std::sync::Arc;
use warpwise::trace::LaunchRecord;
use warpwise_ptx::ast::SourceLine;
use warpwise_simt::Program;

/// Compiled PTX and its source: a user's file or the kernels of a primitive.
#[derive(Debug)]
pub(crate) struct SourceMap {
    pub(crate) program: Arc<Program>,
    /// The PTX text.
    pub(crate) ptx: String,
    /// The name of the PTX in messages: its file, or that it was compiled.
    pub(crate) ptx_name: String,
    /// Name and text of the sources, the main one first. None if there is only PTX.
    pub(crate) files: Vec<(String, String)>,
}

/// A line of a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    /// The name of the text in messages.
    pub(crate) file: String,
    /// One-based.
    pub(crate) number: u32,
}

impl SourceMap {
    /// The line to show: of the source if the module names it, else of the PTX.
    pub(crate) fn line(&self, source: Option<SourceLine>, ptx_line: u32) -> Line {
        match source {
            None => Line { file: self.ptx_name.clone(), number: ptx_line },
            Some(source) => {
                let path = self.program.file(source.file).unwrap_or("");
                let known = self.named(path).map_or(path, |(name, _)| name.as_str());
                Line { file: known.to_owned(), number: source.line }
            }
        }
    }

    /// The text of a line, if it is known.
    pub(crate) fn text(&self, line: &Line) -> Option<&str> {
        self.file_text(&line.file)?.lines().nth((line.number as usize).checked_sub(1)?)
    }

    /// The text of a file, by its name in lines.
    pub(crate) fn file_text(&self, file: &str) -> Option<&str> {
        let sources = self.files.iter().find(|(name, _)| name == file).map(|(_, text)| text.as_str());
        sources.or_else(|| (file == self.ptx_name).then_some(self.ptx.as_str()))
    }

    /// The texts that are known, each after its path in the module's line information.
    pub(crate) fn by_path(&self) -> impl Iterator<Item = (String, String)> {
        let files = self.program.module().files.iter();
        files.filter_map(|file| Some((file.path.to_string(), self.named(&file.path)?.1.clone())))
    }

    /// The source for a path in the module's line information, where compilers write full paths.
    fn named(&self, path: &str) -> Option<&(String, String)> {
        let wanted = Path::new(path);
        let exact = |name: &str| Path::new(name) == wanted;
        let same =
            |name: &str| matches!((Path::new(name).canonicalize(), wanted.canonicalize()), (Ok(a), Ok(b)) if a == b);
        let ending = |name: &str| wanted.ends_with(name.trim_start_matches("./").trim_start_matches("../"));
        let find = |fits: &dyn Fn(&str) -> bool| self.files.iter().find(|(name, _)| fits(name));
        let namesake = |name: &str| Path::new(name).file_name().is_some_and(|n| Some(n) == wanted.file_name());
        find(&exact).or_else(|| find(&same)).or_else(|| find(&ending)).or_else(|| find(&namesake))
    }

    /// Kernels of a primitive of the library: those of a module that the launches name.
    pub(crate) fn of_launches(module: &str, launches: &[LaunchRecord]) -> Option<Self> {
        let kernels = warpwise::kernel_module(module)?;
        let known = |kernel: &str| kernels.entries().any(|entry| entry == kernel);
        let own = launches.iter().filter(|launch| launch.module == module && known(&launch.kernel));
        let ptx = kernels.text_of(&own.map(|launch| launch.kernel.as_str()).collect::<Vec<_>>())?;
        Some(Self {
            program: Arc::new(Program::load(&ptx).ok()?),
            ptx,
            ptx_name: kernels.sources()[0].path().replace(".cu", ".ptx"),
            files: kernels
                .sources()
                .iter()
                .map(|source| (source.path().to_owned(), source.text().to_owned()))
                .collect(),
        })
    }
}

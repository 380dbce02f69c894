//! Lines of the host's source, from return addresses and debug information.

use addr2line::Context;
use gimli::{Dwarf, EndianArcSlice, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use warpwise_trace::{HostFrame, HostPlace, Line};

/// Debug information of the files that a program consists of, loaded when asked for.
#[derive(Default)]
pub(super) struct HostLines {
    objects: HashMap<String, Option<DebugInformation>>,
}

/// The debug information of one file.
type DebugInformation = Context<EndianArcSlice<LittleEndian>>;

/// The debug information of a file, if it has any that can be read.
fn load(path: &str) -> Option<DebugInformation> {
    let bytes = std::fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let dwarf = Dwarf::load(|section| {
        let data = file.section_by_name(section.name()).and_then(|section| section.data().ok()).unwrap_or_default();
        Ok::<_, gimli::Error>(EndianArcSlice::new(Arc::from(data), LittleEndian))
    });
    Context::from_dwarf(dwarf.ok()?).ok()
}

/// A frame's source: the line, and the function.
struct Source {
    line: Line,
    function: Option<String>,
}

impl HostLines {
    /// The user's line that made a call: the innermost one that is neither in a header of the compiler nor in the code
    /// that nvcc writes to launch a kernel.
    /// `kernels` are the symbols of all kernels: the functions of the host that have these names are nvcc's, too.
    pub(super) fn line(&mut self, place: &HostPlace, kernels: &HashSet<String>) -> Option<Line> {
        let sources = place.frames.iter().flat_map(|frame| self.sources(frame)).collect::<Vec<_>>();
        sources.into_iter().find(|source| !is_made(source, kernels)).map(|source| source.line)
    }

    /// Whether a call was made by Thrust, CUB or another of these libraries, and not by the user's code itself.
    pub(super) fn is_of_library(&mut self, place: &HostPlace) -> bool {
        let sources = place.frames.iter().flat_map(|frame| self.sources(frame)).collect::<Vec<_>>();
        // Calls go through inline functions of the runtime's header.
        sources.iter().find(|source| !source.line.file.contains("cuda_runtime")).is_some_and(is_library)
    }

    /// The function that an address is in and those that it is inlined in, the innermost first.
    fn sources(&mut self, frame: &HostFrame) -> Vec<Source> {
        let object = self.objects.entry(frame.object.clone()).or_insert_with(|| load(&frame.object));
        let Some(object) = object else { return Vec::new() };
        // A return address is after the call.
        let address = frame.offset.wrapping_sub(1);
        let Ok(mut frames) = object.find_frames(address).skip_all_loads() else { return Vec::new() };
        let mut sources = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.as_ref().and_then(|f| f.raw_name().ok()).map(Cow::into_owned);
            let place = frame.location.and_then(|location| Some((location.file?.to_owned(), location.line?)));
            if let Some((file, line)) = place {
                sources.push(Source { line: Line { file, line }, function });
            }
        }
        sources
    }
}

/// Whether a frame is not the user's: made by nvcc, or of a header.
fn is_made(source: &Source, kernels: &HashSet<String>) -> bool {
    const FOREIGN: [&str; 6] = [".cudafe1.", ".fatbin.c", "/tmpxft_", "/include/crt/", "/include/c++/", "cuda_runtime"];
    let file = &source.line.file;
    let function = source.function.as_deref().unwrap_or("");
    FOREIGN.iter().any(|part| file.contains(part))
        || is_library(source)
        || file.starts_with("/usr/")
        || function.contains("__device_stub__")
        || kernels.contains(function)
        || source.line.line == 0
}

/// Whether a frame is of a library that a CUDA compiler brings along.
fn is_library(source: &Source) -> bool {
    ["/include/cccl/", "/include/thrust/", "/include/cub/"].iter().any(|part| source.line.file.contains(part))
}

/// A path as the user would write it: relative to the current folder, if it is below that.
pub(super) fn shown(file: &str) -> String {
    let path = Path::new(file);
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let current =
        std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_else(|_| PathBuf::from("/"));
    match path.strip_prefix(&current) {
        Ok(below) if current != Path::new("/") => below.display().to_string(),
        _ if path.exists() => path.display().to_string(),
        _ => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn called() -> HostPlace {
        HostPlace::here()
    }

    #[test]
    fn a_call_in_this_file_is_found() {
        let (place, line) = (called(), line!());
        let own = HostPlace { frames: place.frames.into_iter().skip_while(|frame| !ends_here(frame)).collect() };
        let found = HostLines::default().line(&own, &HashSet::new()).expect("tests have line tables");
        assert!(found.file.ends_with("host_lines.rs"), "{found:?}");
        // The call of `here` itself, or the call of `called`.
        assert!(found.line <= line, "{found:?}");
    }

    /// Whether the innermost source of a frame is this file.
    fn ends_here(frame: &HostFrame) -> bool {
        let mut lines = HostLines::default();
        lines.sources(frame).first().is_some_and(|source| source.line.file.ends_with("host_lines.rs"))
    }

    #[test]
    fn what_nvcc_writes_is_skipped() {
        let source = |file: &str, function: &str| Source {
            line: Line { file: file.to_owned(), line: 3 },
            function: Some(function.to_owned()),
        };
        let kernels = HashSet::from(["_Z3addPf".to_owned()]);
        let made = |file: &str, function: &str| is_made(&source(file, function), &kernels);
        assert!(made("/tmp/tmpxft_1/a.cudafe1.stub.c", "x"));
        assert!(made("a.cu", "_Z27__device_stub__Z3addPfPf"));
        assert!(made("a.cu", "_Z3addPf"));
        assert!(made("/opt/cuda/include/thrust/sort.h", "x"));
        assert!(!made("a.cu", "main"));
        assert!(is_library(&source("/x/include/cccl/thrust/system/cuda/detail/util.h", "copy")));
        assert!(!is_library(&source("/x/include/cuda_runtime.h", "cudaMemcpyAsync")));
    }

    #[test]
    fn paths_are_relative_where_they_can_be() {
        let here = std::env::current_dir().expect("there is one");
        assert_eq!(shown(&here.join("Cargo.toml").display().to_string()), "Cargo.toml");
        assert_eq!(shown("/no/such/file.cu"), "/no/such/file.cu");
    }
}

//! Compilers' headers: code from them is shown where the user's code calls it.

use warpwise_ptx::ast::{Instruction, SourceLine};

use super::lookup::Lookup;

/// How the names of headers begin that a CUDA compiler brings along.
const NAMES: [&str; 12] = [
    "cooperative_groups",
    "cuda_bf16",
    "cuda_fp",
    "cuda_awbarrier",
    "cuda_pipeline",
    "device_atomic_functions",
    "device_functions",
    "math_functions",
    "mma.h",
    "surface_",
    "texture_",
    "vector_functions",
];

/// Folders of such headers.
const FOLDERS: [&str; 4] = ["cooperative_groups", "cub", "libcudacxx", "thrust"];

/// The line to show for an instruction, and the line in a header that is inlined there, if it is another.
pub(super) fn shown(lookup: &Lookup<'_>, i: &Instruction) -> (Option<SourceLine>, Option<SourceLine>) {
    let is_own = |line: &&SourceLine| !lookup.is_header(line.file);
    match i.line {
        Some(line) if !is_own(&&line) => match i.inlined_at.iter().find(is_own) {
            Some(call) => (Some(*call), Some(line)),
            None => (Some(line), None),
        },
        line => (line, None),
    }
}

/// Whether a file is a header that a compiler brings along.
pub(super) fn is_header(path: &str) -> bool {
    let path = path.replace('\\', "/").to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let installed = folders.split_once("/include").is_some_and(|(before, _)| {
        ["cuda", "nvidia"].iter().any(|maker| before.contains(maker)) && !name.ends_with(".cu")
    });
    installed
        || NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".cu")
        || name.strip_prefix("sm_").is_some_and(is_version)
        || folders.split('/').any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;

    #[test]
    fn headers_are_told_from_the_users_files() {
        for header in [
            "/usr/local/cuda-12.4/targets/x86_64-linux/include/cuda_fp16.hpp",
            "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.4\\include\\cooperative_groups.h",
            "/venv/site-packages/nvidia/cuda_runtime/include/cuda/std/barrier",
            "cooperative_groups/details/sync.h",
            "cooperative_groups.h",
            "sm_32_intrinsics.hpp",
            "texture_indirect_functions.h",
        ] {
            assert!(is_header(header), "{header}");
        }
        for own in ["k.cu", "/home/x/project/include/tile.cuh", "src/sm_tools.h", "texture_filter.cu", "kernels.cuh"] {
            assert!(!is_header(own), "{own}");
        }
    }

    #[test]
    fn the_line_that_is_shown_is_the_callers() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<9>;\n\
                    .loc 1 5 1\nmov.u32 %r1, 1;\n\
                    .loc 2 70 1, function_name $f, inlined_at 1 5 1\nmov.u32 %r2, 1;\n\
                    .loc 2 90 3, function_name $g, inlined_at 2 70 1\nmov.u32 %r3, 1;\n\
                    .loc 3 7 1, function_name $h, inlined_at 1 5 1\nmov.u32 %r4, 1;\nret;\n}\n\
                    .file 1 \"k.cu\"\n.file 2 \"/cooperative_groups.h\"\n.file 3 \"own.cuh\"\n";
        let program = Program::load(text).expect("valid PTX");
        let at = |pc: u32| {
            let place = program.image.place(pc).expect("an instruction");
            let line = |line: SourceLine| (line.file, line.line);
            (place.source.map(line), place.inner.map(line))
        };
        assert_eq!(at(0), (Some((1, 5)), None));
        assert_eq!(at(1), (Some((1, 5)), Some((2, 70))));
        assert_eq!(at(2), (Some((1, 5)), Some((2, 90))), "two calls deep");
        assert_eq!(at(3), (Some((3, 7)), None), "the user's own header");
        assert_eq!(program.image.location(2).2.map(|line| line.line), Some(90), "counters stay where they were");
    }
}

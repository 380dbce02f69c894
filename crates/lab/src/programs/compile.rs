//! Compiling CUDA C++ programs, once for each version of their sources.

use super::libraries::Libraries;
use super::nvcc::Nvcc;
use super::{ProgramError, cache};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What nvcc compiles; anything else that it is given, it links.
const SOURCES: [&str; 5] = ["cu", "cpp", "cc", "cxx", "c"];
/// What nvcc links.
const OBJECTS: [&str; 3] = ["o", "a", "so"];

/// The program of an entry of the cache.
const PROGRAM: &str = "program";
/// Its files and their hashes.
const FILES: &str = "files";

/// A program in source.
#[derive(Clone, Debug)]
pub(super) struct Sources<'a> {
    /// Its files, and objects and libraries to link.
    pub(super) files: &'a [PathBuf],
    /// More arguments for nvcc.
    pub(super) arguments: &'a [String],
    /// The compute capability of the GPU, such as 90.
    pub(super) cc: u32,
}

/// Whether a file is for nvcc.
pub(super) fn is_for_nvcc(path: &Path) -> bool {
    has_extension(path, &SOURCES) || has_extension(path, &OBJECTS)
}

/// Whether a file is a source.
pub(super) fn is_source(path: &Path) -> bool {
    has_extension(path, &SOURCES)
}

fn has_extension(path: &Path, all: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| all.contains(&extension))
}

impl Sources<'_> {
    /// The program: the one in the cache if no file has changed, else a new one.
    pub(super) fn build(&self, nvcc: &Nvcc, libraries: &Libraries, cache: &Path) -> Result<PathBuf, ProgramError> {
        let programs = cache.join("programs");
        let entry = programs.join(self.key(nvcc, libraries)?);
        let program = entry.join(PROGRAM);
        if program.is_file() && is_current(&entry) {
            return Ok(program);
        }
        // Made aside, so that another run never sees half of it.
        let aside = programs.join(format!("new-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&aside);
        cache::make(&aside)?;
        let made = self.compile(nvcc, libraries, &aside);
        if let Err(error) = made {
            let _ = std::fs::remove_dir_all(&aside);
            return Err(error);
        }
        let _ = std::fs::remove_dir_all(&entry);
        std::fs::rename(&aside, &entry).map_err(|problem| ProgramError::Folder { path: entry.clone(), problem })?;
        cache::thin(&programs);
        Ok(program)
    }

    /// What the program depends on, except the headers that it includes.
    fn key(&self, nvcc: &Nvcc, libraries: &Libraries) -> Result<String, ProgramError> {
        let mut parts: Vec<Vec<u8>> = vec![
            nvcc.version.clone().into_bytes(),
            nvcc.program.as_os_str().as_encoded_bytes().to_vec(),
            libraries.folder.as_os_str().as_encoded_bytes().to_vec(),
            self.cc.to_le_bytes().to_vec(),
        ];
        parts.extend(self.arguments.iter().map(|argument| argument.clone().into_bytes()));
        for file in self.files {
            let read = |problem| ProgramError::Read { path: file.clone(), problem };
            let path = std::path::absolute(file).map_err(read)?;
            parts.push(path.into_os_string().into_encoded_bytes());
            parts.push(std::fs::read(file).map_err(read)?);
        }
        Ok(cache::hash(parts.iter().map(Vec::as_slice)))
    }

    fn compile(&self, nvcc: &Nvcc, libraries: &Libraries, folder: &Path) -> Result<(), ProgramError> {
        let mut objects: Vec<OsString> = Vec::new();
        let mut included = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            if !is_source(file) {
                objects.push(file.into());
                continue;
            }
            let (object, depends) = (folder.join(format!("{at}.o")), folder.join(format!("{at}.d")));
            let mut command = self.nvcc(nvcc);
            command.args(["-g", "-lineinfo", "-c", "-MD", "-MF"]).arg(&depends).arg("-o").arg(&object).arg(file);
            run(&mut command, |messages| ProgramError::Compile { file: file.display().to_string(), messages })?;
            included.extend(dependencies(&std::fs::read_to_string(&depends).unwrap_or_default()));
            objects.push(object.into());
        }
        let mut command = self.nvcc(nvcc);
        // Ours comes before the compiler's own.
        let folders = [libraries.to_link(nvcc.major)].into_iter().chain(nvcc.library_folders());
        folders.for_each(|folder| {
            command.arg("-L").arg(folder);
        });
        command.args(["-cudart", "shared", "-o"]).arg(folder.join(PROGRAM)).args(&objects);
        run(&mut command, |messages| match self.files {
            [file] if messages.contains("undefined reference to `main'") => ProgramError::NoMain { file: file.clone() },
            _ => ProgramError::Link { messages },
        })?;
        // Objects are in the program now.
        let temporary = objects.iter().map(Path::new).filter(|object| object.starts_with(folder));
        temporary.for_each(|object| {
            let _ = std::fs::remove_file(object);
            let _ = std::fs::remove_file(object.with_extension("d"));
        });
        remember(folder, &included, nvcc)
    }

    /// The compiler with what compiling and linking both need.
    fn nvcc(&self, nvcc: &Nvcc) -> Command {
        let mut command = Command::new(&nvcc.program);
        let chosen = |argument: &String| argument.contains("-arch") || argument.contains("-gencode");
        if !self.arguments.iter().any(chosen) {
            // PTX only: machine code would not be run.
            command.arg(format!("-arch=compute_{}", self.cc));
        }
        command.args(self.arguments);
        command
    }
}

/// Runs the compiler; `failed` says what has gone wrong, from what it has printed.
fn run(command: &mut Command, failed: impl Fn(String) -> ProgramError) -> Result<(), ProgramError> {
    let path = PathBuf::from(command.get_program());
    let output = command.output().map_err(|problem| ProgramError::Compiler { path, problem })?;
    let messages = [output.stdout, output.stderr].concat();
    let messages = String::from_utf8_lossy(&messages).into_owned();
    if !output.status.success() {
        return Err(failed(messages));
    }
    // Warnings are the user's to see.
    eprint!("{messages}");
    Ok(())
}

/// The files that a rule of make depends on: `a.o: a.cu b.h \`.
fn dependencies(rule: &str) -> Vec<PathBuf> {
    let Some((_, list)) = rule.split_once(": ").or_else(|| rule.split_once(":\n")) else { return Vec::new() };
    let mut names = vec![String::new()];
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('\n')) => {}
            ('\\', Some(' ' | '#' | '\\')) => names.last_mut().expect("one at least").extend(characters.next()),
            (c, _) if c.is_whitespace() => names.push(String::new()),
            (c, _) => names.last_mut().expect("one at least").push(c),
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

/// Writes down which files the program was made from; those of the compiler change with its version only.
fn remember(folder: &Path, files: &[PathBuf], nvcc: &Nvcc) -> Result<(), ProgramError> {
    let toolkit = nvcc.program.ancestors().nth(2).map(Path::to_owned).unwrap_or_default();
    let is_system = |path: &Path| path.starts_with(&toolkit) || path.starts_with("/usr");
    let own = files.iter().filter_map(|path| std::path::absolute(path).ok()).filter(|path| !is_system(path));
    let mut lines: Vec<String> =
        own.filter_map(|path| Some(format!("{} {}", hash_of(&path)?, path.display()))).collect();
    lines.sort();
    lines.dedup();
    let file = folder.join(FILES);
    std::fs::write(&file, lines.join("\n")).map_err(|problem| ProgramError::Folder { path: file, problem })
}

/// Whether the files of a program are as they were.
fn is_current(entry: &Path) -> bool {
    let same = |line: &str| {
        line.split_once(' ').is_some_and(|(hash, path)| hash_of(Path::new(path)).is_some_and(|now| now == hash))
    };
    std::fs::read_to_string(entry.join(FILES)).is_ok_and(|text| text.lines().all(same))
}

fn hash_of(path: &Path) -> Option<String> {
    Some(cache::hash([std::fs::read(path).ok()?.as_slice()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn rules_of_make_are_read() {
        let rule = "a.o: a.cu \\\n    my\\ file.h /usr/include/stdio.h \\\n  b.h\n";
        let names = dependencies(rule);
        assert_eq!(names, ["a.cu", "my file.h", "/usr/include/stdio.h", "b.h"].map(PathBuf::from));
        assert!(dependencies("").is_empty());
    }

    /// A compiler that writes down how it was called, and copies its last argument.
    fn compiler(root: &Path) -> Nvcc {
        let program = root.join("cuda/bin/nvcc");
        std::fs::create_dir_all(program.parent().expect("a folder")).expect("made");
        let script = "#!/bin/sh\necho \"$@\" >> LOG\nwhile [ $# -gt 1 ]; do\n\
            case $1 in -MF) echo \"x.o: HEADER\" > $2;; -o) out=$2;; esac; shift; done\n\
            case $1 in *bad*) echo 'bad.cu(1): error: no' >&2; exit 2;; esac\ncp $1 $out\n";
        let script = script.replace("LOG", &root.join("log").display().to_string());
        let script = script.replace("HEADER", &root.join("own.h").display().to_string());
        std::fs::write(&program, script).expect("written");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("set");
        Nvcc { program, version: "release 13.0".to_owned(), major: 13 }
    }

    #[test]
    fn a_program_is_compiled_once_for_each_version_of_its_files() {
        let root = folder("compile");
        let nvcc = compiler(&root);
        let libraries = Libraries { folder: root.join("links") };
        let file = root.join("a.cu");
        std::fs::write(&file, "one").expect("written");
        std::fs::write(root.join("own.h"), "header").expect("written");
        let files = [file.clone()];
        let build = |arguments: &[String]| {
            let sources = Sources { files: &files, arguments, cc: 90 };
            sources.build(&nvcc, &libraries, &root).expect("it compiles")
        };
        let calls = || std::fs::read_to_string(root.join("log")).map_or(0, |log| log.lines().count());
        let first = build(&[]);
        assert_eq!((std::fs::read_to_string(&first).expect("there").as_str(), calls()), ("one", 2));
        let log = std::fs::read_to_string(root.join("log")).expect("there");
        assert!(log.contains("-arch=compute_90") && log.contains("-cudart shared") && log.contains("link-13"), "{log}");
        assert_eq!((build(&[]), calls()), (first.clone(), 2), "nothing has changed");
        std::fs::write(root.join("own.h"), "another").expect("written");
        assert_eq!((build(&[]), calls()), (first.clone(), 4), "a header has changed");
        assert_ne!(build(&["-O3".to_owned()]), first, "other arguments");
        std::fs::write(&file, "two").expect("written");
        assert_eq!(std::fs::read_to_string(build(&[])).expect("there"), "two");
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn mistakes_in_a_source_are_shown_and_leave_nothing() {
        let root = folder("compile-bad");
        let nvcc = compiler(&root);
        let file = root.join("bad.cu");
        std::fs::write(&file, "x").expect("written");
        let files = [file];
        let arguments = ["-arch=sm_80".to_owned()];
        let sources = Sources { files: &files, arguments: &arguments, cc: 90 };
        let libraries = Libraries { folder: root.join("links") };
        let told = sources.build(&nvcc, &libraries, &root).expect_err("it is bad").to_string();
        assert!(told.contains("bad.cu does not compile:\n") && told.ends_with("bad.cu(1): error: no"), "{told}");
        assert_eq!(root.join("programs").read_dir().expect("there").count(), 0);
        let log = std::fs::read_to_string(root.join("log")).expect("there");
        assert!(!log.contains("compute_90") && log.contains("-arch=sm_80"), "{log}");
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn sources_and_objects_are_told_apart() {
        let all = ["a.cu", "b.cpp", "c.o", "d.py", "e"].map(Path::new);
        assert_eq!(all.map(is_for_nvcc), [true, true, true, false, false]);
        assert_eq!(all.map(is_source), [true, true, false, false, false]);
    }
}

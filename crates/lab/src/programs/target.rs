//! What is to be run: a program, sources, or a script.

use super::ProgramError;
use super::compile::{is_for_nvcc, is_source};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Something that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An executable.
    Program(PathBuf),
    /// Sources for nvcc, with objects and libraries.
    Sources(Vec<PathBuf>),
    /// A script for Python.
    Script(PathBuf),
}

impl Target {
    /// What the words before and after `--` mean, with the arguments of the program.
    pub(super) fn of(words: &[OsString], after: &[OsString]) -> Result<(Self, Vec<OsString>), ProgramError> {
        let (words, arguments) = match (words, after) {
            ([], []) => return Err(ProgramError::Nothing),
            ([], [first, rest @ ..]) => (std::slice::from_ref(first), rest),
            (words, after) => (words, after),
        };
        let files: Vec<PathBuf> = words.iter().map(PathBuf::from).collect();
        let first = files[0].clone();
        let target = if files.iter().any(|file| is_source(file)) {
            if let Some(other) = files.iter().find(|file| !is_for_nvcc(file)) {
                return Err(ProgramError::Several { word: other.display().to_string() });
            }
            if let Some(missing) = files.iter().find(|file| !file.exists()) {
                return Err(ProgramError::Missing { path: missing.clone() });
            }
            Self::Sources(files)
        } else if let Some(second) = files.get(1) {
            return Err(ProgramError::Several { word: second.display().to_string() });
        } else if first.extension().is_some_and(|extension| extension == "py") {
            if !first.exists() {
                return Err(ProgramError::Missing { path: first });
            }
            Self::Script(first)
        } else {
            Self::Program(found(&first).ok_or(ProgramError::Missing { path: first })?)
        };
        Ok((target, arguments.to_vec()))
    }
}

/// A program: a path if it has a slash or is a file here, else one on the search path.
fn found(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 || name.is_absolute() {
        return name.is_file().then(|| name.to_owned());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    on_path.or_else(|| name.is_file().then(|| Path::new(".").join(name)))
}

/// The Python that is active: of the virtual environment, else the one on the search path.
pub(super) fn python() -> PathBuf {
    let environment = std::env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty());
    let own = environment.map(|root| PathBuf::from(root).join("bin/python")).filter(|path| path.is_file());
    let named = ["python3", "python"].into_iter().find_map(|name| found(Path::new(name)));
    own.or(named).unwrap_or_else(|| PathBuf::from("python3"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    fn of(words: &[&str], after: &[&str]) -> Result<(Target, Vec<OsString>), String> {
        let all = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        Target::of(&all(words), &all(after)).map_err(|error| error.to_string())
    }

    #[test]
    fn programs_sources_and_scripts_are_told_apart() {
        let root = folder("target");
        for name in ["a.cu", "b.cpp", "c.o", "s.py", "prog"] {
            std::fs::write(root.join(name), "").expect("written");
        }
        let path = |name: &str| root.join(name).display().to_string();
        let (a, b, c, s, p) = (path("a.cu"), path("b.cpp"), path("c.o"), path("s.py"), path("prog"));
        let sources = |names: &[&str]| Target::Sources(names.iter().map(PathBuf::from).collect());
        let arguments = vec![OsString::from("-x"), OsString::from("1")];
        assert_eq!(of(&[&a], &["-x", "1"]), Ok((sources(&[&a]), arguments.clone())));
        assert_eq!(of(&[], &[&a, "-x", "1"]), Ok((sources(&[&a]), arguments.clone())));
        assert_eq!(of(&[&a, &b, &c], &[]), Ok((sources(&[&a, &b, &c]), vec![])));
        assert_eq!(of(&[&s], &["-x", "1"]), Ok((Target::Script(s.clone().into()), arguments.clone())));
        assert_eq!(of(&[], &[&p, "-x", "1"]), Ok((Target::Program(p.clone().into()), arguments)));
        assert!(matches!(of(&[], &["sh"]), Ok((Target::Program(path), _)) if path.is_absolute()));
        std::fs::remove_dir_all(root).expect("removed");
    }

    #[test]
    fn mistakes_say_what_to_write() {
        assert!(of(&[], &[]).expect_err("nothing").contains("after --"));
        assert!(of(&["./no/such"], &[]).expect_err("not there").contains("there is no program `./no/such`"));
        assert!(of(&["sh", "x"], &[]).expect_err("two").contains("`x` is not a source file"));
        assert!(of(&["no.cu"], &[]).expect_err("not there").contains("`no.cu`"));
        assert!(of(&["no.py"], &[]).expect_err("not there").contains("`no.py`"));
    }
}

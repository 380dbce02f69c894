//! Whole programs, compiled by nvcc, run on this driver and this runtime, and compared with the output that they state.
//!
//! A program is a file in `tests/programs`, or a folder of files; its output is beside it, in a file with the ending
//! `.out`. In its first file, a line `// nvcc: ` adds words to the compiler's command, and a line `// finds: ` names the
//! errors that checks find in it. `PROGRAMS=name,name` picks some.
//!
//! Python packages have nvcc only from version 13 on. Of the versions before they have the headers, which is enough for
//! programs with no kernels of their own: the host's compiler takes these.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use warpwise_trace::{Record, Settings};

/// How long a program may run.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where things are.
pub(crate) struct Bench {
    sources: PathBuf,
    /// What cargo built.
    built: PathBuf,
    /// What is compiled here.
    work: PathBuf,
    compiler: Compiler,
    version: u32,
}

/// What compiles.
enum Compiler {
    Nvcc(PathBuf),
    /// The compiler of the host, with the headers of these packages.
    Host(Vec<PathBuf>),
}

/// A program: its name and its files.
struct Program {
    name: String,
    files: Vec<PathBuf>,
    expected: String,
    /// The kinds of errors that checks find.
    finds: Vec<String>,
}

impl Bench {
    /// The bench for a version of CUDA, or nothing where there is no compiler.
    pub(crate) fn find(version: u32) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let test = std::env::current_exe().expect("a test has a path");
        // The test is in `deps`, below what cargo built, below `target`.
        let built = test.ancestors().nth(2).expect("a test is in a folder").to_owned();
        let target = built.parent().expect("what was built is in a folder").to_owned();
        let places = [target.clone(), root.join("target")];
        let Some(compiler) = Compiler::find(&places, version) else {
            assert!(std::env::var_os("CI").is_none(), "CI needs CUDA {version}: cargo xtask programs --install");
            println!("skipped: no CUDA {version} in target; run `cargo xtask programs --install`");
            return None;
        };
        let work = target.join(format!("programs-{version}"));
        Some(Self { sources: root.join("tests/programs"), built, work, compiler, version })
    }

    /// The names that programs look for, in a folder.
    fn lay_libraries(&self) -> PathBuf {
        let folder = self.work.join("libraries");
        fs::create_dir_all(&folder).expect("a folder can be made");
        let runtime = format!("libwarpwise_cudart{}.so", self.version);
        let names = [
            ("libwarpwise_driver.so", "libcuda.so.1".to_owned()),
            ("libwarpwise_driver.so", "libcuda.so".to_owned()),
            (&runtime, format!("libcudart.so.{}", self.version)),
            (&runtime, "libcudart.so".to_owned()),
        ];
        for (file, name) in names {
            let target = library(&self.built, file);
            let link = folder.join(name);
            if fs::read_link(&link).ok().as_deref() != Some(&target) {
                let _ = fs::remove_file(&link);
                std::os::unix::fs::symlink(&target, &link).expect("a link can be made");
            }
        }
        folder
    }

    /// Compiles a program where that has not been done since it changed.
    fn compile(&self, program: &Program, libraries: &Path) -> Result<PathBuf, String> {
        let output = self.work.join(&program.name);
        let newest = fs::metadata(&output).and_then(|file| file.modified()).ok();
        let header = self.sources.join("check.h");
        let changed = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok() > newest;
        if newest.is_some() && !program.files.iter().chain([&header]).any(changed) {
            return Ok(output);
        }
        let mut command = self.compiler.command(program, libraries)?;
        let made = command.arg("-o").arg(&output).output().map_err(|error| format!("{command:?}: {error}"))?;
        if made.status.success() { Ok(output) } else { Err(format!("does not compile:\n{}", told(&made))) }
    }

    /// Runs a program and compares what it prints.
    fn check(&self, program: &Program, libraries: &Path) -> Result<(), String> {
        let path = self.compile(program, libraries)?;
        let mut command = Command::new(path);
        command.env("LD_LIBRARY_PATH", libraries).current_dir(&self.work);
        let (output, late) = within(&mut command, PATIENCE)?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let complaints = String::from_utf8_lossy(&output.stderr);
        if late {
            return Err(format!("did not end within {} s\n{}", PATIENCE.as_secs(), told(&output)));
        }
        if printed != program.expected || !output.status.success() {
            return Err(format!("{}\nexpected:\n{}\nprinted:\n{}", output.status, program.expected, told(&output)));
        }
        if complaints.contains("no version information") {
            return Err(format!("the loader complains:\n{complaints}"));
        }
        Ok(())
    }

    /// Runs a program with all checks on and compares what they find.
    #[allow(dead_code, reason = "not every test looks for findings")]
    fn check_findings(&self, program: &Program, libraries: &Path) -> Result<(), String> {
        let path = self.compile(program, libraries)?;
        let folder = self.work.join("checked").join(&program.name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let settings = Settings {
            folder: Some(folder.clone()),
            checks: "all".to_owned(),
            host_checks: true,
            ..Settings::default()
        };
        let file = folder.join("settings.json");
        fs::write(&file, settings.to_json()).map_err(|error| error.to_string())?;
        let mut command = Command::new(path);
        command.env("LD_LIBRARY_PATH", libraries).env("WARPWISE_EXEC", file).current_dir(&self.work);
        let (_, late) = within(&mut command, PATIENCE)?;
        if late {
            return Err(format!("did not end within {} s with checks", PATIENCE.as_secs()));
        }
        let mut found = Vec::new();
        for record in warpwise_trace::read(&folder).map_err(|error| error.to_string())? {
            match record {
                Record::Launch(launch) => found.extend(launch.findings),
                Record::Finding(finding) => found.push(finding),
                _ => {}
            }
        }
        found.retain(|finding| finding.is_error);
        let mut kinds: Vec<String> = found.iter().map(|finding| finding.kind.clone()).collect();
        kinds.sort();
        kinds.dedup();
        if kinds == program.finds {
            return Ok(());
        }
        let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
        Err(format!("finds {kinds:?}, not {:?}:\n{}", program.finds, messages.join("\n")))
    }

    /// Checks what all programs print. Returns how many there are.
    pub(crate) fn run(&self) -> usize {
        self.each(|program, libraries| self.check(program, libraries))
    }

    /// Checks what is found in all programs. Returns how many there are.
    #[allow(dead_code, reason = "not every test looks for findings")]
    pub(crate) fn run_checked(&self) -> usize {
        self.each(|program, libraries| self.check_findings(program, libraries))
    }

    /// Does something with all programs, two at a time, and tells of all that fail.
    fn each(&self, check: impl Fn(&Program, &Path) -> Result<(), String> + Sync) -> usize {
        // One test at a time: they compile to the same places.
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let libraries = self.lay_libraries();
        let mut programs = programs(&self.sources);
        programs.retain(|program| self.compiler.takes(program));
        let (next, failures) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let work = || {
            while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(problem) = check(program, &libraries) {
                    failures.lock().expect("no test panics").insert(program.name.clone(), problem);
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
        let failures = failures.into_inner().expect("no test panics");
        for (name, problem) in &failures {
            println!("{name}: {problem}\n");
        }
        let names: Vec<&str> = failures.keys().map(String::as_str).collect();
        assert!(names.is_empty(), "{} of {} programs fail: {}", names.len(), programs.len(), names.join(" "));
        programs.len()
    }
}

/// What a process printed.
fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs a command for at most so long. The second part says whether it had to be ended.
fn within(command: &mut Command, patience: Duration) -> Result<(Output, bool), String> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = Mutex::new(command.spawn().map_err(|error| error.to_string())?);
    let mut held = child.lock().map_err(|error| error.to_string())?;
    let (mut out, mut complaints) = (held.stdout.take().expect("piped"), held.stderr.take().expect("piped"));
    drop(held);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let read = |from: &mut dyn std::io::Read| {
            let mut bytes = Vec::new();
            let _ = from.read_to_end(&mut bytes);
            bytes
        };
        let stdout = scope.spawn(move || read(&mut out));
        let stderr = scope.spawn(move || read(&mut complaints));
        let mut late = false;
        let status = loop {
            let mut child = child.lock().map_err(|error| error.to_string())?;
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                break status;
            }
            if started.elapsed() > patience {
                late = true;
                child.kill().map_err(|error| error.to_string())?;
            }
            drop(child);
            std::thread::sleep(Duration::from_millis(5));
        };
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        Ok((Output { status, stdout, stderr }, late))
    })
}

/// A library that cargo built.
fn library(built: &Path, file: &str) -> PathBuf {
    let places = [built.join(file), built.join("deps").join(file)];
    let found = places.iter().filter(|path| path.exists());
    let newest = found.max_by_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
    newest.unwrap_or_else(|| panic!("cargo has not built {file}")).clone()
}

impl Compiler {
    /// The compiler of the packages in `target`: nvcc, or the host's where there are only headers.
    fn find(targets: &[PathBuf], version: u32) -> Option<Self> {
        let versions = targets.iter().map(|target| target.join(format!("nvcc-{version}/lib")));
        let pythons = versions.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        pythons.map(|python| python.path().join("site-packages/nvidia")).find_map(|packages| {
            let nvcc = packages.join(format!("cu{version}/bin/nvcc"));
            if nvcc.exists() {
                return Some(Self::Nvcc(nvcc));
            }
            let includes = ["cuda_runtime", "cuda_nvcc"].map(|package| packages.join(package).join("include"));
            includes.iter().all(|folder| folder.exists()).then(|| Self::Host(includes.to_vec()))
        })
    }

    /// Whether this compiler can make a program.
    fn takes(&self, program: &Program) -> bool {
        let needs_nvcc = |text: &str| ["__global__", "__device__", "<thrust/"].iter().any(|word| text.contains(word));
        let plain = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| !needs_nvcc(&text));
        matches!(self, Self::Nvcc(_)) || program.files.iter().all(plain)
    }

    /// The command that compiles a program, but for its output.
    fn command(&self, program: &Program, libraries: &Path) -> Result<Command, String> {
        let sources = program.files.iter().filter(|file| file.extension().is_some_and(|ending| ending != "h"));
        let first = fs::read_to_string(&program.files[0]).map_err(|error| error.to_string())?;
        let words = stated(&first, "// nvcc: ");
        let mut command;
        match self {
            Self::Nvcc(nvcc) => {
                command = Command::new(nvcc);
                if !words.iter().any(|word| word.starts_with("-arch")) {
                    // Only PTX: nothing else is run.
                    command.arg("-arch=compute_75");
                }
                let package = nvcc.ancestors().nth(2).unwrap_or(nvcc);
                command.args(["-cudart", "shared", "-lineinfo", "-I"]).arg(package.join("include"));
                command.arg("-L").arg(libraries).arg("-L").arg(package.join("lib")).args(sources).args(words);
            }
            Self::Host(includes) => {
                let c = program.files[0].extension().is_some_and(|ending| ending == "c");
                command = Command::new(if c { "cc" } else { "c++" });
                for folder in includes {
                    command.arg("-I").arg(folder);
                }
                command.args(["-x", if c { "c" } else { "c++" }]).args(sources).args(["-x", "none"]);
                command.arg("-L").arg(libraries).args(words).arg("-lcudart");
            }
        }
        Ok(command)
    }
}

/// The words of a line that begins so.
fn stated<'a>(source: &'a str, begin: &str) -> Vec<&'a str> {
    source.lines().find_map(|line| line.strip_prefix(begin)).unwrap_or_default().split_whitespace().collect()
}

/// All programs, or those that `PROGRAMS` names.
fn programs(folder: &Path) -> Vec<Program> {
    let wanted = std::env::var("PROGRAMS").ok();
    let wanted: Option<Vec<&str>> = wanted.as_deref().map(|names| names.split(',').collect());
    let mut programs = Vec::new();
    for entry in fs::read_dir(folder).expect("the programs are there").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != "out") {
            continue;
        }
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&name.as_str())) {
            continue;
        }
        let expected = fs::read_to_string(&path).expect("the output can be read");
        let files = files(folder, &name);
        let first = fs::read_to_string(&files[0]).expect("the program can be read");
        let finds = stated(&first, "// finds: ").into_iter().map(str::to_owned).collect();
        programs.push(Program { files, name, expected, finds });
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs
}

/// The files of a program, the one with `main` first.
fn files(folder: &Path, name: &str) -> Vec<PathBuf> {
    let alone =
        ["cu", "c"].map(|ending| folder.join(format!("{name}.{ending}"))).into_iter().find(|path| path.exists());
    if let Some(path) = alone {
        return vec![path];
    }
    let entries = fs::read_dir(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort_by_key(|path| (path.file_stem().is_none_or(|stem| stem != "main"), path.clone()));
    files
}

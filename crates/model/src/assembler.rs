//! Asking `ptxas` what it makes of kernels.

use crate::assembled::{Assembled, pieces};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use warpwise_ptx::ast::Module;

/// An assembler: the program `ptxas` of some release.
#[derive(Clone, Debug)]
pub struct Assembler {
    program: PathBuf,
}

impl Assembler {
    /// The program at a path.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into() }
    }

    /// The text with a note at the end of each kernel of what it takes in machine code such as `sm_90`: estimates read it
    /// there.
    ///
    /// # Errors
    ///
    /// What the assembler says if it refuses the text, or why it does not run.
    pub fn noted(&self, ptx: &str, machine: &str) -> Result<String, String> {
        let module = warpwise_ptx::parse(ptx).map_err(|error| error.to_string())?;
        let (words, cubin) = self.assemble(ptx, machine)?;
        let lines = warpwise_fatbin::machine_instructions(&cubin).map_err(|error| error.to_string())?;
        Ok(with_notes(ptx, &module, machine, &taken(&words), &lines))
    }

    /// What the assembler says of a text, and the machine code.
    fn assemble(&self, ptx: &str, machine: &str) -> Result<(String, Vec<u8>), String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("warpwise-{}-{number}.cubin", std::process::id()));
        let said = self.run(ptx, machine, &file);
        let cubin = std::fs::read(&file);
        let _ = std::fs::remove_file(&file);
        Ok((said?, cubin.map_err(|error| error.to_string())?))
    }

    fn run(&self, ptx: &str, machine: &str, file: &std::path::Path) -> Result<String, String> {
        let mut command = Command::new(&self.program);
        command.args(["-v", "--generate-line-info", "-arch", machine, "-o"]).arg(file).arg("/dev/stdin");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let problem = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let mut child = command.spawn().map_err(problem)?;
        let written = child.stdin.take().map(|mut input| input.write_all(ptx.as_bytes()));
        let output = child.wait_with_output().map_err(problem)?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(words);
        }
        written.transpose().map_err(problem)?;
        Ok(words)
    }
}

/// Registers and bytes of stack of a thread.
type Taken = (u32, u32);

/// What each kernel takes, from the assembler's words.
fn taken(words: &str) -> HashMap<String, Taken> {
    let (mut all, mut entry, mut stack) = (HashMap::new(), None, 0);
    for line in words.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            entry = rest.split('\'').next();
        } else if let Some((bytes, _)) = line.split_once(" bytes stack frame") {
            stack = bytes.trim().parse().unwrap_or(0);
        } else if let Some((_, rest)) = line.split_once("Used ") {
            let registers = rest.split(' ').next().and_then(|count| count.parse().ok());
            if let (Some(entry), Some(registers)) = (entry.take(), registers) {
                all.insert(entry.to_owned(), (registers, stack));
            }
        }
    }
    all
}

/// A text with notes at the ends of its kernels. They go where there is a line already: places in the text keep theirs.
fn with_notes(
    ptx: &str,
    module: &Module,
    machine: &str,
    taken: &HashMap<String, Taken>,
    lines: &BTreeMap<u32, u32>,
) -> String {
    let mut pieces = if lines.is_empty() { BTreeMap::new() } else { pieces(module, ptx, lines) };
    let (mut out, mut entry) = (String::with_capacity(ptx.len()), None);
    for line in ptx.lines() {
        if let Some((_, rest)) = line.split_once(".entry ") {
            entry = rest.split('(').next();
        }
        if line == "}"
            && let Some(entry) = entry.take()
            && let Some(&(registers, stack)) = taken.get(entry)
        {
            let pieces = pieces.remove(entry).unwrap_or_default();
            out.pop();
            out.push_str(&format!("\t{}\n", Assembled { registers, stack, pieces }.note(machine)));
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kernels_take_is_noted_at_their_ends() {
        let words = "ptxas info    : 0 bytes gmem\n\
                     ptxas info    : Compiling entry function 'one' for 'sm_90'\n\
                     ptxas info    : Function properties for one\n    \
                     160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                     ptxas info    : Used 58 registers, used 1 barriers, 160 bytes cumulative stack size\n\
                     ptxas info    : Compiling entry function 'two' for 'sm_90'\n\
                     ptxas info    : Function properties for two\n    \
                     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                     ptxas info    : Used 28 registers, used 0 barriers\n";
        let taken = taken(words);
        assert_eq!((taken["one"], taken["two"]), ((58, 160), (28, 0)));
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        let text = format!(
            "{head}.visible .entry one()\n{{\n\tbar.sync 0;\n\tret;\n}}\n.func three()\n{{\n\tret;\n}}\n\
             .visible .entry two()\n{{\n\tret;\n}}\n"
        );
        let module = warpwise_ptx::parse(&text).expect("valid");
        let lines = BTreeMap::from([(5, 2), (6, 1), (7, 1), (15, 1)]);
        let noted = with_notes(&text, &module, "sm_90", &taken, &lines);
        assert_eq!(
            noted,
            format!(
                "{head}.visible .entry one()\n{{\n\tbar.sync 0;\n\tret;\
                 \t// sm_90: 58 registers, 160 bytes of stack, 3 1 instructions\n}}\n.func three()\n{{\n\tret;\n}}\n\
                 .visible .entry two()\n{{\n\tret;\t// sm_90: 28 registers, 0 bytes of stack, 1 instructions\n}}\n"
            )
        );
    }

    #[test]
    fn a_program_that_refuses_says_why() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";
        assert_eq!(Assembler::new("/bin/false").noted(text, "sm_90"), Err(String::new()));
        let error = Assembler::new("/no/such/ptxas").noted(text, "sm_90").expect_err("there is none");
        assert!(error.starts_with("/no/such/ptxas: "), "{error}");
    }
}

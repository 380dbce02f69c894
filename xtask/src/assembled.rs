//! What the assembler says that kernels take, noted in their PTX as the last line of each body: estimates of time read it
//! there.

use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Registers and bytes of stack of a thread.
type Taken = (u32, u32);

/// A text with notes.
pub(crate) fn noted(text: &str, assembler: &Path, machine: &str) -> Result<String> {
    let taken = taken(&said(text, assembler, machine)?);
    let (mut out, mut entry) = (String::with_capacity(text.len()), None);
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once(".entry ") {
            entry = rest.split('(').next();
        }
        if line == "}"
            && let Some((registers, stack)) = entry.take().and_then(|entry| taken.get(entry))
        {
            out.push_str(&format!("\t// {machine}: {registers} registers, {stack} bytes of stack\n"));
        }
        out.push_str(line);
        out.push('\n');
    }
    Ok(out)
}

/// What the assembler says of a text.
fn said(text: &str, assembler: &Path, machine: &str) -> Result<String> {
    let mut command = Command::new(assembler);
    command.args(["-v", "-arch", machine, "-o", "/dev/null", "/dev/stdin"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    child.stdin.take().context("it reads its input")?.write_all(text.as_bytes())?;
    let output = child.wait_with_output()?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{words}");
    Ok(words)
}

/// What each kernel takes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_assembler_says_is_read() {
        let words = "ptxas info    : 0 bytes gmem\n\
                     ptxas info    : Compiling entry function 'one' for 'sm_90'\n\
                     ptxas info    : Function properties for one\n\
                     \x20   160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                     ptxas info    : Used 58 registers, used 1 barriers, 160 bytes cumulative stack size\n\
                     ptxas info    : Compiling entry function 'two' for 'sm_90'\n\
                     ptxas info    : Function properties for two\n\
                     \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
                     ptxas info    : Used 28 registers, used 0 barriers\n";
        let taken = taken(words);
        assert_eq!((taken.len(), taken["one"], taken["two"]), (2, (58, 160), (28, 0)));
    }
}

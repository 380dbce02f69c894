//! `warpwise hello`.

use crate::format::Format;
use crate::number::parse_u32;
use crate::placement::{alone, places};
use serde::Serialize;
use std::process::ExitCode;
use warpwise::hello;
use warpwise_lab::Place;
use warpwise_lab::output::{Report, Style};

const EXAMPLES: &str = "Lines come in any order on a real GPU.

Examples:
  warpwise hello
  warpwise hello --blocks 2 --threads 3 --device emulator
  warpwise hello --json";

/// Say hello from every thread of a launch: the smallest kernel
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Blocks of the grid
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = parse_u32)]
    blocks: u32,
    /// Threads per block
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = parse_u32)]
    threads: u32,
    /// Where to run; kernels do not run on the CPU itself
    #[arg(long, value_parser = places(alone, &[]), default_value = "auto")]
    device: Place,
    #[command(flatten)]
    format: Format<Greeting>,
}

/// What every thread printed: its fields are the JSON, in order.
#[derive(Serialize)]
struct Greeting {
    schema: u32,
    device: String,
    blocks: u32,
    threads: u32,
    lines: Vec<String>,
}

impl Report for Greeting {
    fn text(&self, _: Style) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Greets.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments { blocks, threads, device, format } = arguments;
    format.print(&greet(device, blocks, threads)?)?;
    Ok(ExitCode::SUCCESS)
}

fn greet(place: Place, blocks: u32, threads: u32) -> anyhow::Result<Greeting> {
    // If any device will do, use one that has threads.
    let device = place.open(Some(hello::VARIANTS[0].name))?;
    let printed = hello::greet(&device, blocks, threads)?;
    let lines = printed.lines().map(str::to_owned).collect();
    Ok(Greeting { schema: 1, device: device.name(), blocks, threads, lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_says_hello_once() {
        let mut greeting = greet(Place::Emulator, 3, 33).unwrap();
        assert_eq!((greeting.device.as_str(), greeting.lines.len()), ("emulator", 99));
        assert_eq!(greeting.text(Style::default()).lines().count(), 99);
        greeting.lines.sort_unstable();
        greeting.lines.dedup();
        assert_eq!(greeting.lines.len(), 99);
        assert!(greeting.lines.iter().any(|line| line == "Hello from block 2, thread 32"));
        assert!(greeting.to_json().starts_with(r#"{"schema":1,"device":"emulator","blocks":3,"threads":33,"lines":["#));
    }

    #[test]
    fn a_cpu_has_no_threads_to_greet() {
        assert!(greet(Place::Cpu, 1, 1).is_err());
        assert!(greet(Place::Emulator, 1, 100_000).is_err());
    }
}

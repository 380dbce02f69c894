//! What a run writes down.

use crate::finding::Finding;
use crate::place::HostPlace;
use crate::profile::Profile;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use warpwise_simt::Counters;

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// A process has begun to use the driver.
    Start(Start),
    /// A module was loaded, or refused.
    Module(Module),
    /// A launch that was checked or counted, or that failed.
    Launch(Launch),
    /// Everything that is summed, so far: the last one counts.
    Sums(Sums),
    /// A mistake of the host.
    Finding(Finding),
    /// An error that a call returned, and that the program had not asked about by its end.
    Unasked(Unasked),
    /// Something that a reader of the report should know.
    Note {
        /// In a sentence.
        text: String,
    },
    /// The process ended by itself.
    End,
}

/// A process that uses the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Its id.
    pub process: u32,
    /// Its executable.
    pub program: PathBuf,
    /// The GPU that is emulated.
    pub gpu: String,
}

/// A module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Its number in this process.
    pub module: u32,
    /// Its kernels, by their symbols.
    pub kernels: Vec<String>,
    /// The file with its PTX, in the folder of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx: Option<PathBuf>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlace>,
}

/// A launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The module of the kernel.
    pub module: u32,
    /// The kernel's symbol.
    pub kernel: String,
    /// Which launch of this kernel it was, from 1.
    pub number: u64,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Static and dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// The stream: 0 for the default one.
    pub stream: u64,
    /// Instructions of warps.
    pub instructions: u64,
    /// What was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// What was counted by instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Bytes of the allocations that its arguments point to, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub footprint: Option<u64>,
    /// Microseconds of the kernel on the GPU, as estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_us: Option<f64>,
    /// What was found; what ended the launch comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Whether it ended early.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// What checks could not look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlace>,
}

/// What a process did so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Its kernels, in the order of their first launch.
    pub kernels: Vec<KernelSum>,
    /// Its copies, by direction.
    pub copies: Vec<CopySum>,
}

/// All launches of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelSum {
    /// Its module.
    pub module: u32,
    /// Its symbol.
    pub kernel: String,
    /// How many.
    pub launches: u64,
    /// Threads of all.
    pub threads: u64,
    /// Instructions of warps of all.
    pub instructions: u64,
    /// Seconds that they took on this machine.
    pub seconds: f64,
}

/// All copies in a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopySum {
    /// From where to where.
    pub direction: Direction,
    /// How many.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
}

/// From where to where a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the host to the device.
    ToDevice,
    /// From the device to the host.
    ToHost,
    /// Within the device.
    OnDevice,
    /// Within the host.
    OnHost,
    /// A memset.
    Set,
}

impl Direction {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 5] = [Self::ToDevice, Self::ToHost, Self::OnDevice, Self::OnHost, Self::Set];

    /// Its name in reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::ToDevice => "host to device",
            Self::ToHost => "device to host",
            Self::OnDevice => "device to device",
            Self::OnHost => "host to host",
            Self::Set => "memset",
        }
    }
}

/// An error that was returned and not asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unasked {
    /// The function that returned it.
    pub call: String,
    /// The error's name.
    pub error: String,
    /// Its number.
    pub code: u32,
    /// The kernel, for a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Why it failed, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlace>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_line_and_comes_back() {
        let records = [
            Record::Start(Start { process: 7, program: "/bin/x".into(), gpu: "h200".to_owned() }),
            Record::Module(Module { module: 1, kernels: vec!["k".to_owned()], ..Module::default() }),
            Record::Launch(Launch {
                kernel: "k".to_owned(),
                number: 3,
                counters: Some(Counters { branches: u64::MAX, ..Counters::default() }),
                stopped: true,
                ..Launch::default()
            }),
            Record::Sums(Sums {
                kernels: vec![KernelSum { seconds: 0.1, ..KernelSum::default() }],
                copies: vec![CopySum { direction: Direction::ToHost, count: 2, bytes: 1 << 40 }],
            }),
            Record::Finding(Finding { message: "two\nlines".to_owned(), ..Finding::default() }),
            Record::Note { text: "so".to_owned() },
            Record::End,
        ];
        for record in records {
            let line = serde_json::to_string(&record).expect("plain data");
            assert!(!line.contains('\n') && line.starts_with(r#"{"record":""#), "{line}");
            assert_eq!(serde_json::from_str::<Record>(&line).expect("its own line"), record);
        }
    }
}

//! Conversions between the types of the device interface and those of the emulator.

use crate::{
    DeviceError, DevicePtr, Fault, Finding, InstructionProfile, Launch, MemorySpace, Place, Profile, Report, Severity,
    Watched,
};
use std::time::Duration;
use warpwise_simt::{self as simt, MachineError, Watch};

pub(super) fn pointer(at: DevicePtr) -> simt::DevicePtr {
    simt::DevicePtr(at.0)
}

pub(super) fn address(at: simt::DevicePtr) -> DevicePtr {
    DevicePtr(at.0)
}

pub(super) fn launch(launch: &Launch, watch: Watch, budget: Option<u64>, time_limit: Option<Duration>) -> simt::Launch {
    let mut converted = simt::Launch::new(launch.grid, launch.block, launch.params.clone());
    converted.shared_bytes = launch.shared_bytes;
    converted.cooperative = launch.cooperative;
    converted.cluster = launch.cluster;
    converted.watch = watch;
    converted.max_instructions = budget.unwrap_or(converted.max_instructions);
    converted.time_limit = time_limit;
    converted
}

pub(super) fn report(report: simt::Report) -> Report {
    let watched = Watched {
        warp_instructions: report.warp_instructions,
        profile: report.profile.map(profile),
        findings: report.findings.into_iter().map(finding).collect(),
        notes: report.notes,
    };
    Report { printed: report.printed, watched: Some(Box::new(watched)) }
}

fn profile(profile: simt::Profile) -> Profile {
    let instruction = |i: simt::InstructionProfile| InstructionProfile {
        function: i.function,
        ptx_line: i.ptx_line,
        source: i.source,
        counters: i.counters,
    };
    Profile {
        total: profile.total,
        instructions: profile.instructions.into_iter().map(instruction).collect(),
        recording: profile.recording,
    }
}

pub(super) fn fault(fault: simt::Fault) -> Fault {
    Fault {
        kind: fault.kind,
        message: fault.message,
        place: fault.place.map(place),
        address: fault.address,
        printed: fault.printed,
        findings: fault.findings.into_iter().map(finding).collect(),
    }
}

fn finding(finding: simt::Finding) -> Finding {
    Finding {
        kind: finding.kind.name(),
        severity: match finding.severity {
            simt::Severity::Error => Severity::Error,
            simt::Severity::Warning => Severity::Warning,
        },
        message: finding.message,
        advice: finding.advice,
        count: finding.count,
        more: finding.more,
        place: finding.place.map(place),
        other: finding.other.map(place),
        space: finding.space.map(|space| match space {
            simt::MemorySpace::Global => MemorySpace::Global,
            simt::MemorySpace::Shared => MemorySpace::Shared,
            simt::MemorySpace::Local => MemorySpace::Local,
        }),
        object: finding.object,
        address: finding.address,
    }
}

#[expect(clippy::boxed_local, reason = "both sides keep places in boxes")]
fn place(place: Box<simt::Place>) -> Box<Place> {
    Box::new(Place {
        function: place.function,
        ptx_line: place.ptx_line,
        instruction: place.instruction,
        source: place.source,
        inner: place.inner,
        block: place.block,
        thread: place.thread,
    })
}

impl From<MachineError> for DeviceError {
    fn from(error: MachineError) -> Self {
        match error {
            MachineError::OutOfMemory { wanted, free } => Self::OutOfMemory { wanted, free },
            MachineError::BadAddress { address, bytes } => Self::BadAddress { address, bytes },
            MachineError::Unresolved { .. }
            | MachineError::BadImage { .. }
            | MachineError::Overlap { .. }
            | MachineError::NoModule => Self::Module(error.to_string()),
        }
    }
}

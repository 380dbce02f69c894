//! Findings, as a trace holds them.

use crate::kinds::HostKind;
use crate::place::{DevicePlace, HostPlace, Line};
use serde::{Deserialize, Serialize};
use warpwise_ptx::ast::SourceLine;
use warpwise_simt::{Fault, FaultKind, MemorySpace, Place, Program, Severity};

/// Something that is wrong with a kernel or with the host's use of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// `race`, `out_of_bounds`, ... of kernels; of the host, the name of a [`HostKind`].
    pub kind: String,
    /// Whether it is an error; else, a warning.
    pub is_error: bool,
    /// In a sentence.
    pub message: String,
    /// What to do about it, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
    /// How often it was seen.
    pub count: u64,
    /// Whether it was seen more often than that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Where in a kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<DevicePlace>,
    /// The other place in a kernel: of a race, the earlier access.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<DevicePlace>,
    /// `global`, `shared` or `local`, for accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The variable or buffer concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The call of the host that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPlace>,
    /// The other call of the host: the allocation, the first free, the earlier launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_host: Option<HostPlace>,
    /// The kernel, for a finding of the host that concerns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Which launch of that kernel it was, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<u64>,
}

impl Finding {
    /// A mistake of the host, with the advice of its kind.
    pub fn of_host(kind: HostKind, message: impl Into<String>, host: Option<HostPlace>) -> Self {
        Self {
            kind: kind.name().to_owned(),
            is_error: kind.severity() == Severity::Error,
            message: message.into(),
            advice: kind.advice().to_owned(),
            count: 1,
            host,
            ..Self::default()
        }
    }

    /// What a check found in a kernel of a program.
    pub fn of_check(found: &warpwise_simt::Finding, program: &Program) -> Self {
        Self {
            kind: found.kind.name().to_owned(),
            is_error: found.severity == Severity::Error,
            message: found.message.clone(),
            advice: found.advice.clone(),
            count: found.count,
            more: found.more,
            place: found.place.as_deref().map(|place| DevicePlace::of(place, program)),
            other: found.other.as_deref().map(|place| DevicePlace::of(place, program)),
            space: found.space.map(|space| match space {
                MemorySpace::Global => "global".to_owned(),
                MemorySpace::Shared => "shared".to_owned(),
                MemorySpace::Local => "local".to_owned(),
            }),
            object: found.object.clone(),
            ..Self::default()
        }
    }

    /// What stopped a kernel of a program.
    pub fn of_fault(fault: &Fault, program: &Program) -> Self {
        let words = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        let who = |place: &Place| match fault.kind {
            // No thread is to blame more than the others.
            FaultKind::Timeout => format!(", in block {}", words(place.block)),
            _ => format!(", by thread {} of block {}", words(place.thread), words(place.block)),
        };
        let told = fault.message.contains("thread (");
        let who = fault.place.as_deref().filter(|_| !told).map_or(String::new(), who);
        Self {
            kind: fault.kind.name().to_owned(),
            is_error: true,
            message: fault.message.trim_end().trim_end_matches('.').to_owned() + &who,
            count: 1,
            place: fault.place.as_deref().map(|place| DevicePlace::of(place, program)),
            ..Self::default()
        }
    }
}

impl DevicePlace {
    /// A place in a program.
    pub fn of(place: &Place, program: &Program) -> Self {
        let line =
            |source: SourceLine| Line { file: program.file(source.file).unwrap_or("").to_owned(), line: source.line };
        Self {
            function: place.function.to_string(),
            ptx_line: place.ptx_line,
            instruction: place.instruction.to_string(),
            source: place.source.map(line),
            inner: place.inner.map(line),
            block: place.block,
            thread: place.thread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_simt::FindingKind;

    const PTX: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n";

    fn place() -> Place {
        Place {
            function: "k".into(),
            ptx_line: 6,
            instruction: "ret;".into(),
            source: None,
            inner: None,
            block: [1, 0, 0],
            thread: [2, 0, 0],
        }
    }

    #[test]
    fn what_checks_find_keeps_its_words_and_places() {
        let program = Program::load(PTX).expect("valid");
        let found = warpwise_simt::Finding {
            kind: FindingKind::new("race", Severity::Error),
            severity: Severity::Warning,
            message: "two writes".to_owned(),
            advice: "order them".to_owned(),
            count: 3,
            more: true,
            place: Some(Box::new(place())),
            other: None,
            space: Some(MemorySpace::Shared),
            object: Some("tile".to_owned()),
            address: None,
        };
        let finding = Finding::of_check(&found, &program);
        assert!(!finding.is_error && finding.more && finding.count == 3);
        assert_eq!((finding.kind.as_str(), finding.space.as_deref()), ("race", Some("shared")));
        let place = finding.place.expect("it has one");
        assert_eq!((place.ptx_line, place.block, place.thread), (6, [1, 0, 0], [2, 0, 0]));
    }

    #[test]
    fn faults_and_mistakes_of_the_host_are_findings() {
        let program = Program::load(PTX).expect("valid");
        let fault = Fault {
            kind: FaultKind::Trap,
            message: "trap".to_owned(),
            place: None,
            address: None,
            printed: String::new(),
            findings: Vec::new(),
        };
        let finding = Finding::of_fault(&fault, &program);
        assert!(finding.is_error && finding.kind == "trap" && finding.message == "trap");
        let placed = Finding::of_fault(&Fault { place: Some(Box::new(place())), ..fault }, &program);
        assert_eq!(placed.message, "trap, by thread (2, 0, 0) of block (1, 0, 0)");
        let leak = Finding::of_host(HostKind::Leak, "1 KiB was never freed", None);
        assert!(!leak.is_error && leak.kind == "leak" && leak.advice.contains("free it"));
        let text = serde_json::to_string(&leak).expect("plain data");
        assert!(!text.contains("place") && !text.contains("null"), "{text}");
        assert_eq!(serde_json::from_str::<Finding>(&text).expect("its own text"), leak);
    }
}

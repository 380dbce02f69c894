//! Counters by instruction.

use serde::{Deserialize, Serialize};
use warpwise_simt::{Counters, InstructionProfile};

/// What a launch was counted to do, instruction by instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Those that were reached, in program order.
    pub instructions: Vec<Instruction>,
}

/// The counters of one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// The function it is in.
    pub function: String,
    /// One-based line of the module's PTX.
    pub ptx_line: u32,
    /// The `.file` number, line and column of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<[u32; 3]>,
    /// What it did.
    pub counters: Counters,
}

impl From<&warpwise_simt::Profile> for Profile {
    fn from(profile: &warpwise_simt::Profile) -> Self {
        let instruction = |one: &InstructionProfile| Instruction {
            function: one.function.to_string(),
            ptx_line: one.ptx_line,
            source: one.source.map(|source| [source.file, source.line, source.column]),
            counters: one.counters,
        };
        Self { instructions: profile.instructions.iter().map(instruction).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ptx::ast::SourceLine;

    #[test]
    fn a_profile_comes_back_as_it_was() {
        let counters = Counters { warp_instructions: 7, atomic_contention: 3, ..Counters::default() };
        let instruction = InstructionProfile {
            function: "k".into(),
            ptx_line: 12,
            source: Some(SourceLine { file: 1, line: 5, column: 2 }),
            counters,
        };
        let profile = warpwise_simt::Profile { total: counters, instructions: vec![instruction], recording: None };
        let text = serde_json::to_string(&Profile::from(&profile)).expect("plain data");
        assert!(text.contains(r#""counters":{"warp_instructions":7,"atomic_contention":3}"#), "{text}");
        let back: Profile = serde_json::from_str(&text).expect("its own text");
        assert_eq!(back, Profile::from(&profile));
        assert_eq!(back.instructions[0].source, Some([1, 5, 2]));
    }
}

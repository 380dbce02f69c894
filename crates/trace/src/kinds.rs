//! What can be wrong with a host's use of the API.

use serde::{Deserialize, Serialize};
use warpwise_simt::Severity;

/// A kind of mistake of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    /// A call failed and the program never asked about it.
    UncheckedError,
    /// A copy or memset past the end of an allocation.
    CopyOutOfBounds,
    /// A copy whose direction is not that of its pointers.
    CopyDirection,
    /// Use of memory that was freed.
    UseAfterFree,
    /// Memory that is freed twice.
    DoubleFree,
    /// A pointer is freed that no allocation gave.
    InvalidFree,
    /// Memory that is never freed.
    Leak,
    /// The host uses memory that a kernel may still be writing.
    HostRace,
    /// Work on two streams uses the same bytes with no order between them.
    StreamRace,
    /// A kernel's argument is not of the size of its parameter.
    ArgumentSize,
    /// An asynchronous copy of memory that is not pinned.
    PageableCopy,
    /// A `__constant__` that is read and was never set.
    ConstantUnset,
    /// What comes back to the host is not what a GPU gives.
    GpuDifference,
}

/// Every kind, in the order of documentation.
pub const HOST_KINDS: [HostKind; 13] = [
    HostKind::UncheckedError,
    HostKind::CopyOutOfBounds,
    HostKind::CopyDirection,
    HostKind::UseAfterFree,
    HostKind::DoubleFree,
    HostKind::InvalidFree,
    HostKind::Leak,
    HostKind::HostRace,
    HostKind::StreamRace,
    HostKind::ArgumentSize,
    HostKind::PageableCopy,
    HostKind::ConstantUnset,
    HostKind::GpuDifference,
];

impl HostKind {
    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::UncheckedError => "unchecked_error",
            Self::CopyOutOfBounds => "copy_out_of_bounds",
            Self::CopyDirection => "copy_direction",
            Self::UseAfterFree => "use_after_free",
            Self::DoubleFree => "double_free",
            Self::InvalidFree => "invalid_free",
            Self::Leak => "leak",
            Self::HostRace => "host_race",
            Self::StreamRace => "stream_race",
            Self::ArgumentSize => "argument_size",
            Self::PageableCopy => "pageable_copy",
            Self::ConstantUnset => "constant_unset",
            Self::GpuDifference => "gpu_difference",
        }
    }

    /// What it means, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::UncheckedError => "A call failed, and the program never asked whether it did.",
            Self::CopyOutOfBounds => "A copy or memset past the end of an allocation.",
            Self::CopyDirection => "A copy whose direction is not that of its pointers.",
            Self::UseAfterFree => "A copy, memset or launch that uses memory after it was freed.",
            Self::DoubleFree => "Memory that is freed twice.",
            Self::InvalidFree => "A pointer is freed that no allocation gave.",
            Self::Leak => "Memory that is still allocated when the program ends.",
            Self::HostRace => "The host uses memory that a kernel or copy may still be using.",
            Self::StreamRace => "Work on two streams uses the same bytes, with no order between them.",
            Self::ArgumentSize => "An argument of a kernel is not of the size of its parameter.",
            Self::PageableCopy => "An asynchronous copy of pageable memory, which is not asynchronous.",
            Self::ConstantUnset => "A __constant__ variable that a kernel reads and nobody set.",
            Self::GpuDifference => "What a program copies back to the host is not what it copies back on the GPU.",
        }
    }

    /// What to do about it, in a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::UncheckedError => {
                "look at the value that the call returns, and after a launch call cudaGetLastError()"
            }
            Self::CopyOutOfBounds => "copy as many bytes as the smaller side has: elements times sizeof",
            Self::CopyDirection => "name the direction of the pointers, or use cudaMemcpyDefault",
            Self::UseAfterFree => "free memory after the last work that uses it has ended",
            Self::DoubleFree => "free it once, and set the pointer to null afterwards",
            Self::InvalidFree => "free the pointer that the allocation gave, with the call that belongs to it",
            Self::Leak => "free it before the program ends",
            Self::HostRace => "wait for the stream or an event before the host uses the memory",
            Self::StreamRace => "record an event on the one stream and let the other wait for it",
            Self::ArgumentSize => "pass a pointer to a value of the parameter's type",
            Self::PageableCopy => "allocate the host's side with cudaMallocHost, or register it",
            Self::ConstantUnset => "set it with cudaMemcpyToSymbol before the launch, or give it an initial value",
            Self::GpuDifference => {
                "look for what is left open, such as races, memory that is not set, clocks: run it with --check all"
            }
        }
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Self::Leak | Self::PageableCopy | Self::ConstantUnset => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        HOST_KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_json_and_words_are_sentences() {
        for kind in HOST_KINDS {
            assert_eq!(serde_json::to_value(kind).expect("a name"), kind.name());
            assert_eq!(HostKind::named(kind.name()), Some(kind));
            assert!(kind.about().ends_with('.') && !kind.advice().ends_with('.'), "{kind:?}");
        }
        assert_eq!(HostKind::named("spelling"), None);
    }
}

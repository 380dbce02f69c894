//! Errors of requests from the host.

/// Why a request from the host cannot be met.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// Not enough memory.
    #[error("out of device memory: {wanted} bytes asked for, {free} free")]
    OutOfMemory {
        /// Bytes asked for.
        wanted: u64,
        /// Bytes still free.
        free: u64,
    },
    /// An access of the host outside every allocation.
    #[error("address {address:#x} + {bytes} bytes is not inside one allocation")]
    BadAddress {
        /// Where it starts.
        address: u64,
        /// How long it is.
        bytes: u64,
    },
    /// Memory to be adopted that is device memory already.
    #[error("address {address:#x} + {bytes} bytes is device memory already: it meets the allocation at {other:#x}")]
    Overlap {
        /// Where it starts.
        address: u64,
        /// How long it is.
        bytes: u64,
        /// Where the other allocation starts.
        other: u64,
    },
    /// A module that was unloaded, or is another machine's.
    #[error("no such module is loaded on this machine")]
    NoModule,
    /// Texels that are not as many as an image's shape says, or a shape that no image has.
    #[error("{bytes} bytes are not the texels of an image of that shape")]
    BadImage {
        /// Bytes given.
        bytes: u64,
    },
    /// A module that refers to an undefined name.
    #[error("{variable} is initialised with the address of {name}, which the module does not define")]
    Unresolved {
        /// The variable.
        variable: String,
        /// What it refers to.
        name: String,
    },
}

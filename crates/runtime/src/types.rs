//! The plain data that calls pass, laid out as the headers of CUDA lay it out.

use std::ffi::c_void;

/// A pointer to something that only the driver looks into: a stream, an event, an array, a graph, a pool.
pub type Handle = *mut c_void;

/// An address in device memory, as the driver takes it.
pub type Address = u64;

/// `dim3`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3 {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

/// `cudaExtent`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes, or elements of an array.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Slices.
    pub depth: usize,
}

/// `cudaPos`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Bytes, or elements of an array.
    pub x: usize,
    /// Rows.
    pub y: usize,
    /// Slices.
    pub z: usize,
}

/// `cudaPitchedPtr`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PitchedPointer {
    /// The first byte.
    pub pointer: *mut c_void,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// Elements in a row.
    pub width: usize,
    /// Rows in a slice.
    pub height: usize,
}

/// `cudaChannelFormatDesc`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    /// Bits of each of four channels.
    pub bits: [i32; 4],
    /// 0 signed, 1 unsigned, 2 floating point.
    pub kind: i32,
}

/// `cudaMemcpy3DParms`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Copy3D {
    /// The array to read, or null.
    pub source_array: Handle,
    /// Where to begin to read.
    pub source_position: Position,
    /// The memory to read where there is no array.
    pub source: PitchedPointer,
    /// The array to write, or null.
    pub target_array: Handle,
    /// Where to begin to write.
    pub target_position: Position,
    /// The memory to write where there is no array.
    pub target: PitchedPointer,
    /// How much.
    pub extent: Extent,
    /// The direction, as in `cudaMemcpyKind`.
    pub kind: i32,
}

/// `cudaMemcpy3DPeerParms`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PeerCopy3D {
    /// The array to read, or null.
    pub source_array: Handle,
    /// Where to begin to read.
    pub source_position: Position,
    /// The memory to read where there is no array.
    pub source: PitchedPointer,
    /// The device of the source.
    pub source_device: i32,
    /// The array to write, or null.
    pub target_array: Handle,
    /// Where to begin to write.
    pub target_position: Position,
    /// The memory to write where there is no array.
    pub target: PitchedPointer,
    /// The device of the target.
    pub target_device: i32,
    /// How much.
    pub extent: Extent,
}

/// `cudaPointerAttributes`, as far as all versions have it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PointerAttributes {
    /// 0 unregistered, 1 host, 2 device, 3 managed.
    pub kind: i32,
    /// The number of the device.
    pub device: i32,
    /// The address for kernels.
    pub device_pointer: *mut c_void,
    /// The address for the host.
    pub host_pointer: *mut c_void,
}

/// `cudaFuncAttributes`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FunctionAttributes {
    /// Bytes of static shared memory.
    pub shared: usize,
    /// Bytes of constants.
    pub constant: usize,
    /// Bytes of local memory of a thread.
    pub local: usize,
    /// The most threads of a block.
    pub max_threads: i32,
    /// Registers of a thread.
    pub registers: i32,
    /// The version of the PTX, times ten.
    pub ptx_version: i32,
    /// The version of the machine code, times ten.
    pub binary_version: i32,
    /// Whether global loads may use the first cache.
    pub cache_mode: i32,
    /// The most dynamic shared memory.
    pub max_dynamic_shared: i32,
    /// The wanted share of shared memory.
    pub carveout: i32,
    /// Whether launches must state a cluster.
    pub cluster_must_be_set: i32,
    /// The cluster that the kernel was compiled for.
    pub required_cluster: [i32; 3],
    /// How clusters are spread.
    pub cluster_policy: i32,
    /// Whether clusters may be larger than portable ones.
    pub large_clusters: i32,
    /// Nothing.
    pub reserved: [i32; 16],
}

/// `cudaLaunchConfig_t`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: usize,
    /// The stream.
    pub stream: Handle,
    /// Attributes, in the layout that the driver has too.
    pub attributes: *mut c_void,
    /// How many.
    pub attribute_count: u32,
}

/// `CUlaunchConfig`, the driver's form of [`LaunchConfig`].
#[repr(C)]
pub(crate) struct DriverLaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) stream: Handle,
    pub(crate) attributes: *mut c_void,
    pub(crate) attribute_count: u32,
}

/// `cudaMemLocation`
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// 1 device, 2 host, 3 a node of the host.
    pub kind: i32,
    /// Which.
    pub id: i32,
}

/// `CUDA_MEMCPY3D`, which the driver copies by.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DriverCopy {
    pub(crate) source: DriverOperand,
    pub(crate) target: DriverOperand,
    pub(crate) width_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// One side of a [`DriverCopy`].
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct DriverOperand {
    pub(crate) x_bytes: usize,
    pub(crate) y: usize,
    pub(crate) z: usize,
    pub(crate) level: usize,
    /// 1 host, 2 device, 3 array, 4 by address.
    pub(crate) memory: u32,
    pub(crate) host: *const c_void,
    pub(crate) device: Address,
    pub(crate) array: Handle,
    pub(crate) reserved: *const c_void,
    pub(crate) pitch: usize,
    pub(crate) height: usize,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(crate) struct DriverArray {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes that a C compiler gives the structures of the headers.
    #[test]
    fn layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<Copy3D>(), 160);
        assert_eq!(size_of::<PeerCopy3D>(), 168);
        assert_eq!(size_of::<PitchedPointer>(), 32);
        assert_eq!(size_of::<Channels>(), 20);
        assert_eq!(size_of::<FunctionAttributes>(), 144);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(size_of::<DriverLaunchConfig>(), 56);
        assert_eq!(size_of::<DriverCopy>(), 200);
        assert_eq!(size_of::<DriverArray>(), 40);
    }
}

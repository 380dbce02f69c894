//! The device: there is one, the GPU that the settings name.

mod attributes;

use std::ffi::c_char;

use crate::edge::{api, put, put_if, put_text, text};
use crate::error::{Error, Outcome};
use crate::state::{Locked, lock};

pub(crate) use attributes::attribute;

/// Where the emulated GPU sits on a bus that does not exist.
const BUS_ID: &str = "0000:01:00.0";

/// The newest version of CUDA whose programs it takes.
const VERSION: i32 = 13040;

/// The state, for a call that names a device.
fn lock_device(device: i32) -> Outcome<Locked> {
    let state = lock()?;
    if device == 0 { Ok(state) } else { Err(Error::INVALID_DEVICE) }
}

/// The name that programs see.
fn shown_name(gpu: &str) -> String {
    format!("warpwise emulated {}", gpu.to_ascii_uppercase().replace('-', " "))
}

/// An identity that is the same in every process and differs between GPUs.
fn uuid(gpu: &str) -> [u8; 16] {
    let mut uuid = *b"warpwise\0\0\0\0\0\0\0\0";
    for (at, byte) in gpu.bytes().take(8).enumerate() {
        uuid[8 + at] = byte;
    }
    uuid
}

fn total_memory(bytes: *mut usize, device: i32) -> Outcome {
    let state = lock_device(device)?;
    put(bytes, state.memory.total() as usize)
}

fn peer(value: *mut i32, one: i32, other: i32) -> Outcome {
    let _state = lock()?;
    if one != 0 || other != 0 {
        return Err(Error::INVALID_DEVICE);
    }
    put(value, 0)
}

/// `CUdevprop`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct DeviceProperties {
    threads_per_block: i32,
    block: [i32; 3],
    grid: [i32; 3],
    shared_memory: i32,
    constant_memory: i32,
    warp: i32,
    pitch: i32,
    registers: i32,
    clock: i32,
    texture_alignment: i32,
}

api! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        crate::state::initialize()
    }

    fn cuDriverGetVersion(version: *mut i32) {
        put(version, VERSION)
    }

    fn cuDeviceGetCount(count: *mut i32) {
        let _state = lock()?;
        put(count, 1)
    }

    fn cuDeviceGet(device: *mut i32, ordinal: i32) {
        let _state = lock_device(ordinal)?;
        put(device, 0)
    }

    fn cuDeviceGetName(name: *mut c_char, room: i32, device: i32) {
        let state = lock_device(device)?;
        put_text(name, usize::try_from(room).map_err(|_| Error::INVALID_VALUE)?, &shown_name(&state.gpu.name))
    }

    fn cuDeviceGetUuid(id: *mut [u8; 16], device: i32) {
        let state = lock_device(device)?;
        put(id, uuid(&state.gpu.name))
    }

    fn cuDeviceGetUuid_v2(id: *mut [u8; 16], device: i32) {
        let state = lock_device(device)?;
        put(id, uuid(&state.gpu.name))
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) {
        total_memory(bytes, device)
    }

    fn cuDeviceGetAttribute(value: *mut i32, which: u32, device: i32) {
        let state = lock_device(device)?;
        put(value, attribute(&state.gpu, which))
    }

    fn cuDeviceComputeCapability(major: *mut i32, minor: *mut i32, device: i32) {
        let state = lock_device(device)?;
        put(major, state.gpu.cc.0 as i32)?;
        put(minor, state.gpu.cc.1 as i32)
    }

    fn cuDeviceGetProperties(properties: *mut DeviceProperties, device: i32) {
        let state = lock_device(device)?;
        let value = |which| attribute(&state.gpu, which);
        put(properties, DeviceProperties {
            threads_per_block: value(1),
            block: [value(2), value(3), value(4)],
            grid: [value(5), value(6), value(7)],
            shared_memory: value(8),
            constant_memory: value(9),
            warp: value(10),
            pitch: value(11),
            registers: value(12),
            clock: value(13),
            texture_alignment: value(14),
        })
    }

    fn cuDeviceGetPCIBusId(id: *mut c_char, room: i32, device: i32) {
        let _state = lock_device(device)?;
        put_text(id, usize::try_from(room).map_err(|_| Error::INVALID_VALUE)?, BUS_ID)
    }

    fn cuDeviceGetByPCIBusId(device: *mut i32, id: *const c_char) {
        let _state = lock()?;
        let id = text(id)?.to_ascii_lowercase();
        let id = id.strip_prefix("00000000").map_or(id.clone(), |rest| format!("0000{rest}"));
        let short = BUS_ID.split_once(':').map_or("", |(_, rest)| rest);
        if ![BUS_ID, short, "0000:01:00", "01:00"].contains(&id.as_str()) {
            return Err(Error::INVALID_DEVICE);
        }
        put(device, 0)
    }

    fn cuDeviceGetLuid(_luid: *mut c_char, _mask: *mut u32, device: i32) {
        let _state = lock_device(device)?;
        Err(Error::NOT_SUPPORTED)
    }

    fn cuDeviceCanAccessPeer(can: *mut i32, device: i32, peer_device: i32) {
        peer(can, device, peer_device)
    }

    fn cuDeviceGetP2PAttribute(value: *mut i32, which: u32, source: i32, target: i32) {
        if which == 0 || which > 5 {
            return Err(Error::INVALID_VALUE);
        }
        // A device is no peer of its own.
        peer(value, source, target).and(Err(Error::INVALID_DEVICE))
    }

    fn cuDeviceGetExecAffinitySupport(supported: *mut i32, kind: u32, device: i32) {
        let _state = lock_device(device)?;
        if kind != 0 {
            return Err(Error::INVALID_VALUE);
        }
        put(supported, 0)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, format: u32, channels: u32, device: i32) {
        let _state = lock_device(device)?;
        let bytes = crate::texture::texel_bytes(format, channels)?;
        put(width, (1 << 28) / (bytes as usize).next_power_of_two().max(1))
    }

    fn cuModuleGetLoadingMode(mode: *mut u32) {
        // Lazy: what a module needs is made ready when it is used.
        put(mode, 2)
    }

    fn cuFlushGPUDirectRDMAWrites(_target: u32, _scope: u32) {
        lock()?.context().map(|_| ())
    }

    fn cuProfilerInitialize(_config: *const c_char, _output: *const c_char, _mode: u32) {
        Err(Error::NOT_SUPPORTED)
    }

    fn cuProfilerStart() {
        lock()?.context().map(|_| ())
    }

    fn cuProfilerStop() {
        lock()?.context().map(|_| ())
    }

    fn cuGetErrorName(code: u32, name: *mut *const c_char) {
        match crate::error::name(code) {
            Some(text) => put(name, text.as_ptr()),
            None => {
                put_if(name, std::ptr::null());
                Err(Error::INVALID_VALUE)
            }
        }
    }

    fn cuGetErrorString(code: u32, description: *mut *const c_char) {
        match crate::error::text(code) {
            Some(text) => put(description, text.as_ptr()),
            None => {
                put_if(description, std::ptr::null());
                Err(Error::INVALID_VALUE)
            }
        }
    }
}

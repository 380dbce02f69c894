//! Devices: which there are, what they can do, limits, and the end of what a program has on one.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::context::{self, ready};
use crate::driver;
use crate::exports;
use crate::status::{Code, INVALID_VALUE, NOT_SUPPORTED};
use crate::types::Channels;

/// Flags of a device that say how the host waits, and that host memory may be mapped.
const DEVICE_FLAGS: c_uint = 0x1f;

exports! {
    fn cudaGetDeviceCount(count: *mut c_int) {
        if count.is_null() {
            return Err(INVALID_VALUE);
        }
        *count = 0;
        *count = context::count()?;
        Ok(())
    }
    fn cudaGetDevice(device: *mut c_int) {
        if device.is_null() {
            return Err(INVALID_VALUE);
        }
        *device = context::device()?;
        Ok(())
    }
    fn cudaSetDevice(device: c_int) {
        context::select(device)
    }
    fn cudaInitDevice(device: c_int, flags: c_uint, _which: c_uint) {
        context::exists(device)?;
        driver::cuDevicePrimaryCtxSetFlags_v2(device, flags & DEVICE_FLAGS)?;
        context::primary(device).map(drop)
    }
    fn cudaSetValidDevices(devices: *mut c_int, count: c_int) {
        if devices.is_null() && count != 0 {
            return Err(INVALID_VALUE);
        }
        (0..usize::try_from(count).map_err(|_| INVALID_VALUE)?).try_for_each(|at| context::exists(*devices.add(at)))
    }
    fn cudaChooseDevice(device: *mut c_int, _properties: *const c_void) {
        if device.is_null() {
            return Err(INVALID_VALUE);
        }
        context::exists(0)?;
        *device = 0;
        Ok(())
    }
    fn cudaSetDeviceFlags(flags: c_uint) {
        if flags & !DEVICE_FLAGS != 0 {
            return Err(INVALID_VALUE);
        }
        driver::cuDevicePrimaryCtxSetFlags_v2(context::device()?, flags)
    }
    fn cudaGetDeviceFlags(flags: *mut c_uint) {
        let mut active = 0;
        driver::cuDevicePrimaryCtxGetState(context::device()?, flags, &mut active)
    }
    fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) {
        context::exists(device)?;
        driver::cuDeviceGetAttribute(value, attribute, device)
    }
    fn cudaDeviceGetPCIBusId(text: *mut c_char, bytes: c_int, device: c_int) {
        context::exists(device)?;
        driver::cuDeviceGetPCIBusId(text, bytes, device)
    }
    fn cudaDeviceGetByPCIBusId(device: *mut c_int, text: *const c_char) {
        context::start()?;
        driver::cuDeviceGetByPCIBusId(device, text)
    }
    fn cudaDeviceCanAccessPeer(answer: *mut c_int, device: c_int, peer: c_int) {
        context::exists(device)?;
        context::exists(peer)?;
        driver::cuDeviceCanAccessPeer(answer, device, peer)
    }
    fn cudaDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, source: c_int, target: c_int) {
        context::exists(source)?;
        context::exists(target)?;
        driver::cuDeviceGetP2PAttribute(value, attribute, source, target)
    }
    fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) {
        ready()?;
        context::exists(peer)?;
        driver::cuCtxEnablePeerAccess(context::primary(peer)?, flags)
    }
    fn cudaDeviceDisablePeerAccess(peer: c_int) {
        ready()?;
        context::exists(peer)?;
        driver::cuCtxDisablePeerAccess(context::primary(peer)?)
    }
    fn cudaDeviceSynchronize() {
        ready()?;
        driver::cuCtxSynchronize()
    }
    fn cudaDeviceReset() {
        context::reset()
    }
    fn cudaDeviceSetLimit(limit: c_int, value: usize) {
        ready()?;
        driver::cuCtxSetLimit(limit, value)
    }
    fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) {
        ready()?;
        driver::cuCtxGetLimit(value, limit)
    }
    fn cudaDeviceGetCacheConfig(config: *mut c_int) {
        ready()?;
        driver::cuCtxGetCacheConfig(config)
    }
    fn cudaDeviceSetCacheConfig(config: c_int) {
        ready()?;
        driver::cuCtxSetCacheConfig(config)
    }
    // Banks are four bytes wide on all GPUs that are left.
    fn cudaDeviceGetSharedMemConfig(config: *mut c_int) {
        ready()?;
        if config.is_null() {
            return Err(INVALID_VALUE);
        }
        *config = 1;
        Ok(())
    }
    fn cudaDeviceSetSharedMemConfig(config: c_int) {
        ready()?;
        if (0..=2).contains(&config) { Ok(()) } else { Err(INVALID_VALUE) }
    }
    fn cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        ready()?;
        driver::cuCtxGetStreamPriorityRange(least, greatest)
    }
    fn cudaDeviceGetTexture1DLinearMaxWidth(width: *mut usize, channels: *const Channels, device: c_int) {
        context::exists(device)?;
        let (format, count) = crate::array::format(channels.as_ref().ok_or(INVALID_VALUE)?)?;
        driver::cuDeviceGetTexture1DLinearMaxWidth(width, format, count, device)
    }
    fn cudaDeviceFlushGPUDirectRDMAWrites(_target: c_int, _scope: c_int) {
        ready()?;
        Err(NOT_SUPPORTED)
    }
    fn cudaCtxResetPersistingL2Cache() {
        ready()?;
        driver::cuCtxResetPersistingL2Cache()
    }
    fn cudaDriverGetVersion(version: *mut c_int) {
        if version.is_null() {
            return Err(INVALID_VALUE);
        }
        // A machine with no driver has version 0, which is not an error.
        *version = 0;
        match driver::cuDriverGetVersion(version) {
            Ok(()) | Err(Code(35)) => Ok(()),
            error => error,
        }
    }
    fn cudaProfilerStart() {
        ready()?;
        driver::cuProfilerStart()
    }
    fn cudaProfilerStop() {
        ready()?;
        driver::cuProfilerStop()
    }
}

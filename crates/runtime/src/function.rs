//! Kernels: their attributes, and how many blocks fit on a multiprocessor.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use crate::context::{self, ready};
use crate::driver;
use crate::exports;
use crate::launch::driver_config;
use crate::registry;
use crate::status::{Code, INVALID_FUNCTION, INVALID_VALUE};
use crate::types::{FunctionAttributes, Handle, LaunchConfig};

/// The driver's function, in the thread's context, for a function of the host.
pub(crate) fn function(host: *const c_void) -> Result<Handle, Code> {
    ready()?;
    let kernel = registry::kernel(host)?;
    let mut function = null_mut();
    // SAFETY: the kernel is the driver's own.
    unsafe { driver::cuKernelGetFunction(&mut function, kernel)? };
    Ok(function)
}

/// # Safety
/// `config` is null or a launch configuration.
unsafe fn configured(config: *const LaunchConfig) -> Result<crate::types::DriverLaunchConfig, Code> {
    // SAFETY: the caller's promise.
    driver_config(unsafe { config.as_ref() }.ok_or(INVALID_VALUE)?)
}

exports! {
    fn cudaFuncGetAttributes(attributes: *mut FunctionAttributes, host: *const c_void) {
        let attributes = attributes.as_mut().ok_or(INVALID_VALUE)?;
        let function = function(host)?;
        let value = |number: c_int| {
            let mut value = 0;
            driver::cuFuncGetAttribute(&mut value, number, function).map(|()| value)
        };
        // Older drivers lack the later ones.
        let later = |number: c_int| value(number).unwrap_or(0);
        *attributes = FunctionAttributes {
            shared: value(1)? as usize,
            constant: value(2)? as usize,
            local: value(3)? as usize,
            max_threads: value(0)?,
            registers: value(4)?,
            ptx_version: value(5)?,
            binary_version: value(6)?,
            cache_mode: later(7),
            max_dynamic_shared: later(8),
            carveout: later(9),
            cluster_must_be_set: later(10),
            required_cluster: [later(11), later(12), later(13)],
            cluster_policy: later(15),
            large_clusters: later(14),
            reserved: [0; 16],
        };
        Ok(())
    }
    fn cudaFuncSetAttribute(host: *const c_void, attribute: c_int, value: c_int) {
        driver::cuFuncSetAttribute(function(host)?, attribute, value)
    }
    fn cudaFuncSetCacheConfig(host: *const c_void, config: c_int) {
        driver::cuFuncSetCacheConfig(function(host)?, config)
    }
    fn cudaFuncSetSharedMemConfig(host: *const c_void, config: c_int) {
        function(host)?;
        if (0..=2).contains(&config) { Ok(()) } else { Err(INVALID_VALUE) }
    }
    fn cudaFuncGetName(name: *mut *const c_char, host: *const c_void) {
        *name.as_mut().ok_or(INVALID_VALUE)? = registry::name(host).ok_or(INVALID_FUNCTION)?;
        Ok(())
    }
    fn cudaFuncGetParamInfo(host: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) {
        ready()?;
        driver::cuKernelGetParamInfo(registry::kernel(host)?, index, offset, bytes)
    }
    fn cudaGetKernel(kernel: *mut Handle, host: *const c_void) {
        ready()?;
        *kernel.as_mut().ok_or(INVALID_VALUE)? = registry::kernel(host)?;
        Ok(())
    }
    fn cudaGetFuncBySymbol(found: *mut Handle, host: *const c_void) {
        *found.as_mut().ok_or(INVALID_VALUE)? = function(host)?;
        Ok(())
    }
    fn cudaKernelSetAttributeForDevice(kernel: Handle, attribute: c_int, value: c_int, device: c_int) {
        context::exists(device)?;
        driver::cuKernelSetAttribute(attribute, value, registry::kernel(kernel)?, device)
    }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int, host: *const c_void, threads: c_int, shared: usize,
    ) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function(host)?, threads, shared, 0)
    }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, host: *const c_void, threads: c_int, shared: usize, flags: c_uint,
    ) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function(host)?, threads, shared, flags)
    }
    fn cudaOccupancyAvailableDynamicSMemPerBlock(
        bytes: *mut usize, host: *const c_void, blocks: c_int, threads: c_int,
    ) {
        driver::cuOccupancyAvailableDynamicSMemPerBlock(bytes, function(host)?, blocks, threads)
    }
    fn cudaOccupancyMaxPotentialClusterSize(size: *mut c_int, host: *const c_void, config: *const LaunchConfig) {
        driver::cuOccupancyMaxPotentialClusterSize(size, function(host)?, &configured(config)?)
    }
    fn cudaOccupancyMaxActiveClusters(clusters: *mut c_int, host: *const c_void, config: *const LaunchConfig) {
        driver::cuOccupancyMaxActiveClusters(clusters, function(host)?, &configured(config)?)
    }
}

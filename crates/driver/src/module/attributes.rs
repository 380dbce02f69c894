//! Attributes of kernels, by the numbers of `CUfunction_attribute`.

use warpwise_arch::Gpu;

use crate::edge::{api, put};
use crate::error::{Error, Outcome};
use crate::module::Function;
use crate::state::lock;

/// Shared memory that a block has without asking for more.
const PLAIN_SHARED: u32 = 48 << 10;

impl Function {
    /// The largest block that it can have.
    pub(crate) fn max_threads(&self, gpu: &Gpu) -> u32 {
        let limit = gpu.max_threads_per_block();
        self.facts.max_threads.map_or(limit, |most| most.min(limit))
    }

    /// Dynamic shared memory that it may have.
    pub(crate) fn max_dynamic_shared(&self, gpu: &Gpu) -> u32 {
        let plain = PLAIN_SHARED.min(gpu.smem_block_kb << 10);
        self.settings.dynamic_shared.unwrap_or_else(|| plain.saturating_sub(self.facts.static_shared))
    }

    /// Registers of a thread, as far as PTX tells.
    pub(crate) fn registers(&self, gpu: &Gpu) -> u32 {
        self.facts.registers.clamp(1, gpu.max_registers_per_thread())
    }

    fn attribute(&self, gpu: &Gpu, which: u32) -> Outcome<i32> {
        let value = match which {
            0 => self.max_threads(gpu),
            1 => self.facts.static_shared,
            2 => u32::try_from(self.facts.constant_bytes).unwrap_or(u32::MAX),
            3 => u32::try_from(self.facts.local_bytes).unwrap_or(u32::MAX),
            4 => self.registers(gpu),
            5 => self.facts.target,
            6 => gpu.cc.0 * 10 + gpu.cc.1,
            8 => self.max_dynamic_shared(gpu),
            7 | 10 => 0,
            9 => return Ok(self.settings.carveout),
            11..=13 => return Ok(self.settings.cluster[which as usize - 11]),
            14 => return Ok(self.settings.large_clusters),
            15 => return Ok(self.settings.cluster_policy),
            _ => return Err(Error::INVALID_VALUE),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    fn set_attribute(&mut self, gpu: &Gpu, which: u32, value: i32) -> Outcome {
        match which {
            8 => {
                let most = (gpu.smem_block_kb << 10).saturating_sub(self.facts.static_shared);
                let bytes = u32::try_from(value).ok().filter(|&bytes| bytes <= most);
                self.settings.dynamic_shared = Some(bytes.ok_or(Error::INVALID_VALUE)?);
            }
            9 if (-1..=100).contains(&value) => self.settings.carveout = value,
            11..=13 if value >= 0 => self.settings.cluster[which as usize - 11] = value,
            14 if (0..=1).contains(&value) => self.settings.large_clusters = value,
            15 if (0..=2).contains(&value) => self.settings.cluster_policy = value,
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }
}

fn get(place: *mut i32, which: u32, function: u64) -> Outcome {
    let state = lock()?;
    let value = state.functions.get(function)?.attribute(&state.gpu, which)?;
    put(place, value)
}

fn set(which: u32, value: i32, function: u64) -> Outcome {
    let mut state = lock()?;
    let gpu = state.gpu.clone();
    state.functions.get_mut(function)?.set_attribute(&gpu, which, value)
}

api! {
    fn cuFuncGetAttribute(value: *mut i32, which: u32, function: u64) {
        get(value, which, function)
    }

    fn cuKernelGetAttribute(value: *mut i32, which: u32, kernel: u64, device: i32) {
        if device != 0 {
            return Err(Error::INVALID_DEVICE);
        }
        get(value, which, kernel)
    }

    fn cuFuncSetAttribute(function: u64, which: u32, value: i32) {
        set(which, value, function)
    }

    fn cuKernelSetAttribute(which: u32, value: i32, kernel: u64, device: i32) {
        if device != 0 {
            return Err(Error::INVALID_DEVICE);
        }
        set(which, value, kernel)
    }
}

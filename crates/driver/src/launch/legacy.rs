//! Launches as CUDA 3 and before had them: shape and parameters are set on the function first.

use std::ffi::c_void;

use crate::edge::api;
use crate::error::{Error, Outcome};
use crate::launch::Kernel;
use crate::module::Function;
use crate::queue;
use crate::state::lock;
use crate::work::Work;

/// What was set on a function for its next launch.
#[derive(Clone, Debug)]
pub(crate) struct Legacy {
    block: [u32; 3],
    shared_bytes: u32,
    parameters: Vec<u8>,
}

impl Default for Legacy {
    fn default() -> Self {
        Self { block: [1; 3], shared_bytes: 0, parameters: Vec::new() }
    }
}

/// More bytes than any kernel takes.
const MOST: usize = 1 << 16;

fn change(function: u64, action: impl FnOnce(&mut Function) -> Outcome) -> Outcome {
    let mut state = lock()?;
    action(state.functions.get_mut(function)?)
}

fn set_bytes(function: u64, offset: i32, bytes: &[u8]) -> Outcome {
    change(function, |function| {
        let offset = usize::try_from(offset).ok().filter(|&at| at < MOST).ok_or(Error::INVALID_VALUE)?;
        let parameters = &mut function.legacy.parameters;
        parameters.resize(parameters.len().max(offset + bytes.len()), 0);
        parameters[offset..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    })
}

fn launch(function: u64, width: i32, height: i32, stream: u64) -> Outcome {
    let mut state = lock()?;
    state.context()?;
    let stream = state.stream_or_own(stream)?;
    let found = state.functions.get(function)?;
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(Error::INVALID_VALUE);
    };
    let legacy = &found.legacy;
    let mut parameters = legacy.parameters.clone();
    parameters.resize(found.parameter_bytes, 0);
    let kernel = Kernel {
        function,
        grid: [width, height, 1],
        block: legacy.block,
        shared_bytes: legacy.shared_bytes,
        cooperative: false,
        cluster: None,
        parameters,
        stream,
    };
    kernel.check(&state)?;
    queue::submit(state, stream, Work::Launch(kernel))
}

api! {
    fn cuFuncSetBlockShape(function: u64, x: i32, y: i32, z: i32) {
        let block = [x, y, z].map(|d| u32::try_from(d).unwrap_or(0));
        if block.contains(&0) {
            return Err(Error::INVALID_VALUE);
        }
        change(function, |function| {
            function.legacy.block = block;
            Ok(())
        })
    }

    fn cuFuncSetSharedSize(function: u64, bytes: u32) {
        change(function, |function| {
            function.legacy.shared_bytes = bytes;
            Ok(())
        })
    }

    fn cuParamSetSize(function: u64, bytes: u32) {
        if bytes as usize > MOST {
            return Err(Error::INVALID_VALUE);
        }
        change(function, |function| {
            function.legacy.parameters.resize(bytes as usize, 0);
            Ok(())
        })
    }

    fn cuParamSeti(function: u64, offset: i32, value: u32) {
        set_bytes(function, offset, &value.to_ne_bytes())
    }

    fn cuParamSetf(function: u64, offset: i32, value: f32) {
        set_bytes(function, offset, &value.to_ne_bytes())
    }

    fn cuParamSetv(function: u64, offset: i32, value: *const c_void, bytes: u32) {
        if value.is_null() || bytes as usize > MOST {
            return Err(Error::INVALID_VALUE);
        }
        // SAFETY: not null, so by the contract of the API that many bytes.
        set_bytes(function, offset, unsafe { std::slice::from_raw_parts(value.cast(), bytes as usize) })
    }

    fn cuLaunch(function: u64) {
        launch(function, 1, 1, 0)
    }

    fn cuLaunchGrid(function: u64, width: i32, height: i32) {
        launch(function, width, height, 0)
    }

    fn cuLaunchGridAsync(function: u64, width: i32, height: i32, stream: u64) {
        launch(function, width, height, stream)
    }
}

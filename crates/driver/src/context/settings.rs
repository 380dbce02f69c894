//! What is set on a context and asked of it.

use super::FLAGS;
use crate::edge::{api, put, put_if};
use crate::error::Error;
use crate::state::lock;

/// `CU_LIMIT_MALLOC_HEAP_SIZE`.
const LIMIT_HEAP: usize = 2;

api! {
    fn cuCtxGetApiVersion(context: u64, version: *mut u32) {
        let state = lock()?;
        state.named_context(context)?;
        put(version, 3020)
    }

    fn cuCtxGetFlags(flags: *mut u32) {
        let state = lock()?;
        put(flags, state.contexts.get(state.current()?)?.flags)
    }

    fn cuCtxSetFlags(flags: u32) {
        let mut state = lock()?;
        let context = state.current()?;
        if flags & !FLAGS != 0 {
            return Err(Error::INVALID_VALUE);
        }
        state.contexts.get_mut(context)?.flags = flags;
        Ok(())
    }

    fn cuCtxGetId(context: u64, id: *mut u64) {
        let state = lock()?;
        put(id, state.contexts.get(state.named_context(context)?)?.id)
    }

    fn cuCtxGetLimit(value: *mut usize, limit: u32) {
        let state = lock()?;
        let context = state.contexts.get(state.current()?)?;
        match limit {
            // Synchronisation in kernels is a thing of devices before 9.0.
            3 => Err(Error::UNSUPPORTED_LIMIT),
            limit => put(value, *context.limits.get(limit as usize).ok_or(Error::INVALID_VALUE)?),
        }
    }

    fn cuCtxSetLimit(limit: u32, value: usize) {
        let mut state = lock()?;
        let context = state.current()?;
        let limit = limit as usize;
        match limit {
            3 => return Err(Error::UNSUPPORTED_LIMIT),
            7.. => return Err(Error::INVALID_VALUE),
            // Once kernels have used the heap, it keeps its size.
            LIMIT_HEAP if !state.machine.set_heap_bytes(value as u64) => return Err(Error::INVALID_VALUE),
            _ => {}
        }
        state.contexts.get_mut(context)?.limits[limit] = match limit {
            0 => value.checked_next_multiple_of(16).ok_or(Error::INVALID_VALUE)?,
            // A fetch is of 32, 64 or 128 bytes.
            5 => value.clamp(32, 128).next_power_of_two(),
            _ => value,
        };
        Ok(())
    }

    fn cuCtxGetCacheConfig(config: *mut u32) {
        let state = lock()?;
        put(config, state.contexts.get(state.current()?)?.cache_config)
    }

    fn cuCtxSetCacheConfig(config: u32) {
        let mut state = lock()?;
        let context = state.current()?;
        if config > 3 {
            return Err(Error::INVALID_VALUE);
        }
        state.contexts.get_mut(context)?.cache_config = config;
        Ok(())
    }

    fn cuCtxGetSharedMemConfig(config: *mut u32) {
        let state = lock()?;
        put(config, state.contexts.get(state.current()?)?.shared_config.max(1))
    }

    fn cuCtxSetSharedMemConfig(config: u32) {
        let mut state = lock()?;
        let context = state.current()?;
        if config > 2 {
            return Err(Error::INVALID_VALUE);
        }
        // Banks are four bytes wide, whatever is asked for.
        state.contexts.get_mut(context)?.shared_config = config.min(1);
        Ok(())
    }

    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) {
        let state = lock()?;
        state.current()?;
        put_if(least, 0);
        put_if(greatest, -5);
        Ok(())
    }

    fn cuCtxResetPersistingL2Cache() {
        lock()?.context().map(|_| ())
    }

    fn cuCtxGetExecAffinity(affinity: *mut [u32; 2], kind: u32) {
        let state = lock()?;
        state.current()?;
        match kind {
            0 => put(affinity, [0, state.gpu.sms]),
            _ => Err(Error::UNSUPPORTED_EXEC_AFFINITY),
        }
    }

    fn cuCtxEnablePeerAccess(peer: u64, flags: u32) {
        let state = lock()?;
        let current = state.context()?;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        if !state.contexts.has(peer) {
            return Err(Error::INVALID_CONTEXT);
        }
        // There is one device, and memory of all its contexts can be reached from each.
        if peer == current { Err(Error::INVALID_CONTEXT) } else { Err(Error::PEER_ACCESS_UNSUPPORTED) }
    }

    fn cuCtxDisablePeerAccess(peer: u64) {
        let state = lock()?;
        state.context()?;
        if state.contexts.has(peer) { Err(Error::PEER_ACCESS_NOT_ENABLED) } else { Err(Error::INVALID_CONTEXT) }
    }

    fn cuCtxRecordEvent(context: u64, event: u64) {
        let state = lock()?;
        let stream = state.contexts.get(state.named_context(context)?)?.default_stream;
        crate::event::record(state, event, stream)
    }

    fn cuCtxWaitEvent(context: u64, event: u64) {
        let state = lock()?;
        state.named_context(context)?;
        state.events.get(event).map(|_| ())
    }
}

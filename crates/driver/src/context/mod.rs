//! Contexts: the primary one and those that programs make, and the stack of them that each thread has.

mod settings;

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use crate::edge::{api, put, put_if};
use crate::error::{Error, Outcome};
use crate::queue;
use crate::state::{State, lock};
use crate::stream::Stream;

pub use settings::*;

/// A context.
pub(crate) struct Context {
    /// Its number, for `cuCtxGetId`.
    id: u64,
    flags: u32,
    /// The fault that ended it: every later call returns it.
    pub(crate) error: Option<Error>,
    limits: [usize; LIMITS],
    cache_config: u32,
    shared_config: u32,
    /// How often it was attached to.
    uses: u32,
    /// Its default stream.
    pub(crate) default_stream: u64,
}

/// The primary context of the device.
#[derive(Default)]
pub(crate) struct Primary {
    /// Its handle, which it keeps when it is reset; 0 as long as nobody asked for it.
    pub(crate) handle: u64,
    retained: u32,
    flags: u32,
}

const LIMITS: usize = 10;
/// What limits are unless they are set.
const DEFAULT_LIMITS: [usize; LIMITS] = [1024, 7_340_032, 8 << 20, 0, 2048, 64, 0, 0, 0, 0];
/// The bits of `CUctx_flags`.
const FLAGS: u32 = 0xff;

thread_local! {
    /// The contexts of this thread, the current one last. Never dropped: clients call from destructors of threads.
    static STACK: ManuallyDrop<RefCell<Vec<u64>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

fn stack<T>(action: impl FnOnce(&mut Vec<u64>) -> T) -> T {
    STACK.with(|stack| action(&mut stack.borrow_mut()))
}

/// The thread's current context, whether or not it still exists.
#[inline]
pub(crate) fn top() -> Option<u64> {
    stack(|stack| stack.last().copied())
}

impl State {
    /// The current context, if it exists.
    #[inline]
    pub(crate) fn current(&self) -> Outcome<u64> {
        let handle = top().ok_or(Error::INVALID_CONTEXT)?;
        if self.contexts.has(handle) { Ok(handle) } else { Err(Error::CONTEXT_IS_DESTROYED) }
    }

    /// The current context, if it exists and no kernel has ended it.
    #[inline]
    pub(crate) fn context(&self) -> Outcome<u64> {
        let handle = top().ok_or(Error::INVALID_CONTEXT)?;
        match self.contexts.get(handle) {
            Ok(Context { error: None, .. }) => Ok(handle),
            Ok(Context { error: Some(error), .. }) => Err(*error),
            Err(_) => Err(Error::CONTEXT_IS_DESTROYED),
        }
    }

    fn new_context(&mut self, handle: u64, flags: u32) {
        let default_stream = self.streams.add(Stream::default_of(handle));
        let id = handle >> 4;
        let context = Context {
            id,
            flags,
            error: None,
            limits: DEFAULT_LIMITS,
            cache_config: 0,
            shared_config: 0,
            uses: 1,
            default_stream,
        };
        self.contexts.insert(handle, context);
    }

    /// The primary context, made if it is not there.
    pub(crate) fn primary_context(&mut self) -> u64 {
        if self.primary.handle == 0 {
            self.primary.handle = crate::handles::fresh();
        }
        let (handle, flags) = (self.primary.handle, self.primary.flags);
        if !self.contexts.has(handle) {
            self.new_context(handle, flags);
        }
        handle
    }

    /// Ends a context with everything in it.
    fn destroy_context(&mut self, handle: u64) -> Outcome {
        self.contexts.remove(handle).map_err(|_| Error::INVALID_CONTEXT)?;
        self.output.flush();
        for stream in self.streams.handles(|stream| stream.context == handle) {
            let _ = self.streams.remove(stream);
        }
        for event in self.events.handles(|event| event.context == handle) {
            let _ = self.events.remove(event);
        }
        for module in self.modules.handles(|module| module.context == handle) {
            let _ = self.unload_module(module);
        }
        self.restore_libraries();
        self.drop_textures_of(handle);
        self.free_all_of(handle);
        Ok(())
    }

    fn device(&self, device: i32) -> Outcome {
        if device == 0 { Ok(()) } else { Err(Error::INVALID_DEVICE) }
    }

    /// A context that a caller names; 0 is the current one.
    fn named_context(&self, handle: u64) -> Outcome<u64> {
        match handle {
            0 => self.current(),
            handle if self.contexts.has(handle) => Ok(handle),
            _ => Err(Error::INVALID_CONTEXT),
        }
    }
}

fn create(context: *mut u64, flags: u32, device: i32) -> Outcome {
    let mut state = lock()?;
    state.device(device)?;
    if context.is_null() || flags & !FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let handle = crate::handles::fresh();
    state.new_context(handle, flags);
    stack(|stack| stack.push(handle));
    put(context, handle)
}

fn destroy(context: u64) -> Outcome {
    queue::finish();
    let mut state = lock()?;
    if context == 0 || context == state.primary.handle {
        return Err(Error::INVALID_CONTEXT);
    }
    state.destroy_context(context)?;
    stack(|stack| {
        if stack.last() == Some(&context) {
            stack.pop();
        }
    });
    Ok(())
}

fn release(device: i32) -> Outcome {
    queue::finish();
    let mut state = lock()?;
    state.device(device)?;
    match state.primary.retained {
        0 => Err(Error::INVALID_CONTEXT),
        1 => {
            state.primary.retained = 0;
            let handle = state.primary.handle;
            state.destroy_context(handle)
        }
        _ => {
            state.primary.retained -= 1;
            Ok(())
        }
    }
}

fn reset(device: i32) -> Outcome {
    queue::finish();
    let mut state = lock()?;
    state.device(device)?;
    let handle = state.primary.handle;
    if state.contexts.has(handle) {
        state.destroy_context(handle)?;
        // Whoever has retained it, or has it on a stack, finds it there again, as new.
        if state.primary.retained > 0 {
            let flags = state.primary.flags;
            state.new_context(handle, flags);
        }
    }
    Ok(())
}

fn set_primary_flags(device: i32, flags: u32) -> Outcome {
    let mut state = lock()?;
    state.device(device)?;
    if flags & !FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    state.primary.flags = flags;
    let handle = state.primary.handle;
    if let Ok(context) = state.contexts.get_mut(handle) {
        context.flags = flags;
    }
    Ok(())
}

fn push(context: u64) -> Outcome {
    let state = lock()?;
    if context == 0 {
        return Err(Error::INVALID_VALUE);
    }
    if !state.contexts.has(context) {
        return Err(Error::INVALID_CONTEXT);
    }
    stack(|stack| stack.push(context));
    Ok(())
}

fn pop(context: *mut u64) -> Outcome {
    let _state = lock()?;
    let handle = stack(Vec::pop).ok_or(Error::INVALID_CONTEXT)?;
    put_if(context, handle);
    Ok(())
}

fn synchronize(context: u64) -> Outcome {
    {
        let state = lock()?;
        state.named_context(context)?;
    }
    queue::finish();
    let mut state = lock()?;
    state.host_waits_for_all();
    state.output.flush();
    let context = state.named_context(context)?;
    state.forbidden_while_capturing()?;
    let error = state.contexts.get(context).ok().and_then(|context| context.error);
    error.map_or(Ok(()), Err)
}

api! {
    fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) {
        let mut state = lock()?;
        state.device(device)?;
        if context.is_null() {
            return Err(Error::INVALID_VALUE);
        }
        state.primary.retained += 1;
        let handle = state.primary_context();
        put(context, handle)
    }

    fn cuDevicePrimaryCtxRelease(device: i32) {
        release(device)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: i32) {
        release(device)
    }

    fn cuDevicePrimaryCtxReset(device: i32) {
        reset(device)
    }

    fn cuDevicePrimaryCtxReset_v2(device: i32) {
        reset(device)
    }

    fn cuDevicePrimaryCtxSetFlags(device: i32, flags: u32) {
        set_primary_flags(device, flags)
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) {
        set_primary_flags(device, flags)
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: *mut u32, active: *mut i32) {
        let state = lock()?;
        state.device(device)?;
        put(flags, state.primary.flags)?;
        put(active, i32::from(state.contexts.has(state.primary.handle)))
    }

    fn cuCtxCreate_v2(context: *mut u64, flags: u32, device: i32) {
        create(context, flags, device)
    }

    fn cuCtxCreate_v3(context: *mut u64, _affinity: *const u8, _count: i32, flags: u32, device: i32) {
        create(context, flags, device)
    }

    fn cuCtxCreate_v4(context: *mut u64, _parameters: *const u8, flags: u32, device: i32) {
        create(context, flags, device)
    }

    fn cuCtxDestroy(context: u64) {
        destroy(context)
    }

    fn cuCtxDestroy_v2(context: u64) {
        destroy(context)
    }

    fn cuCtxAttach(context: *mut u64, flags: u32) {
        let mut state = lock()?;
        if flags != 0 {
            return Err(Error::INVALID_VALUE);
        }
        let handle = state.current()?;
        state.contexts.get_mut(handle)?.uses += 1;
        put(context, handle)
    }

    fn cuCtxDetach(context: u64) {
        let last = {
            let mut state = lock()?;
            let uses = &mut state.contexts.get_mut(context).map_err(|_| Error::INVALID_CONTEXT)?.uses;
            *uses -= 1;
            *uses == 0
        };
        if last { destroy(context) } else { Ok(()) }
    }

    fn cuCtxPushCurrent(context: u64) {
        push(context)
    }

    fn cuCtxPushCurrent_v2(context: u64) {
        push(context)
    }

    fn cuCtxPopCurrent(context: *mut u64) {
        pop(context)
    }

    fn cuCtxPopCurrent_v2(context: *mut u64) {
        pop(context)
    }

    fn cuCtxSetCurrent(context: u64) {
        let state = lock()?;
        if context != 0 && !state.contexts.has(context) {
            return Err(Error::INVALID_CONTEXT);
        }
        stack(|stack| {
            stack.pop();
            if context != 0 {
                stack.push(context);
            }
        });
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut u64) {
        let _state = lock()?;
        put(context, top().unwrap_or(0))
    }

    fn cuCtxGetDevice(device: *mut i32) {
        let state = lock()?;
        state.current()?;
        put(device, 0)
    }

    fn cuCtxGetDevice_v2(device: *mut i32, context: u64) {
        let state = lock()?;
        state.named_context(context)?;
        put(device, 0)
    }

    fn cuCtxSynchronize() {
        synchronize(0)
    }

    fn cuCtxSynchronize_v2(context: u64) {
        synchronize(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_starts_without_a_context() {
        assert_eq!(std::thread::spawn(top).join().expect("no panic"), None);
    }
}

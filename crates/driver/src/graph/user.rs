//! Things of the program's that live as long as graphs that use them.

use std::ffi::c_void;

use crate::edge::{api, put};
use crate::error::{Error, Outcome};
use crate::state::{State, lock};

/// A thing of the program's, and the function that ends it.
pub(crate) struct UserObject {
    data: usize,
    destroy: usize,
    references: u32,
}

impl State {
    /// Gives up references to a thing; with the last one, its function is called.
    pub(crate) fn release_user_object(&mut self, object: u64, count: u32) -> Outcome {
        let found = self.user_objects.get_mut(object).map_err(|_| Error::INVALID_VALUE)?;
        found.references = found.references.checked_sub(count).ok_or(Error::INVALID_VALUE)?;
        if found.references == 0 {
            let UserObject { data, destroy, .. } = self.user_objects.remove(object)?;
            // On a thread of its own, as the API has it: the function may take its time, and may not call the driver.
            std::thread::spawn(move || {
                // SAFETY: the address of a function of this type, by the contract of `cuUserObjectCreate`.
                let destroy = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void)>(destroy) };
                // SAFETY: the caller of the API gave both for this.
                crate::state::as_callback(|| unsafe { destroy(data as *mut c_void) });
            });
        }
        Ok(())
    }
}

api! {
    fn cuUserObjectCreate(
        object: *mut u64,
        data: *mut c_void,
        destroy: *const c_void,
        references: u32,
        flags: u32,
    ) {
        let mut state = lock()?;
        if object.is_null() || destroy.is_null() || references == 0 || flags != 1 {
            return Err(Error::INVALID_VALUE);
        }
        let made = UserObject { data: data as usize, destroy: destroy as usize, references };
        let made = state.user_objects.add(made);
        put(object, made)
    }

    fn cuUserObjectRetain(object: u64, count: u32) {
        let mut state = lock()?;
        let found = state.user_objects.get_mut(object).map_err(|_| Error::INVALID_VALUE)?;
        found.references = found.references.checked_add(count).filter(|_| count > 0).ok_or(Error::INVALID_VALUE)?;
        Ok(())
    }

    fn cuUserObjectRelease(object: u64, count: u32) {
        if count == 0 {
            return Err(Error::INVALID_VALUE);
        }
        lock()?.release_user_object(object, count)
    }

    fn cuGraphRetainUserObject(graph: u64, object: u64, count: u32, flags: u32) {
        let mut state = lock()?;
        state.user_objects.get(object).map_err(|_| Error::INVALID_VALUE)?;
        if count == 0 || flags > 1 {
            return Err(Error::INVALID_VALUE);
        }
        let owned = vec![object; count as usize];
        state.graphs.get_mut(graph).map_err(|_| Error::INVALID_VALUE)?.user_objects.extend(owned);
        // Either the caller's references move to the graph, or the graph gets its own.
        if flags == 0 {
            state.user_objects.get_mut(object)?.references += count;
        }
        Ok(())
    }

    fn cuGraphReleaseUserObject(graph: u64, object: u64, count: u32) {
        let mut state = lock()?;
        let found = state.graphs.get_mut(graph).map_err(|_| Error::INVALID_VALUE)?;
        let held = found.user_objects.iter().filter(|&&other| other == object).count();
        if count == 0 || held < count as usize {
            return Err(Error::INVALID_VALUE);
        }
        let mut left = count;
        found.user_objects.retain(|&other| {
            let keep = other != object || left == 0;
            left -= u32::from(!keep);
            keep
        });
        state.release_user_object(object, count)
    }
}

//! Frames: the registers of one activation of a function, for the lanes that called it together.
//!
//! Lanes of one warp can be at different call depths, so frames are not a stack: each call makes a frame with a link to
//! its caller's, and it is recycled when its last lane has returned. A frame starts as a copy of its function's
//! *template*, which holds the constants that instructions use. Those are never written, so a recycled frame only needs
//! its special registers filled in again.

use super::buffer::Buffer;

/// No frame.
pub(crate) const NO_FRAME: u32 = u32::MAX;

/// One activation of a function.
pub(crate) struct Frame {
    /// Lane-wise registers, constants and special registers.
    pub(super) regs: Buffer,
    /// Index of the function.
    pub(crate) function: u32,
    /// The caller's frame.
    pub(super) parent: u32,
    /// Instruction of the call in the caller, and its number among the call sites.
    pub(super) call: u32,
    pub(super) site: u32,
    /// Lanes that have not returned.
    pub(super) lanes: u32,
    /// Start of this activation's part of the thread's local memory.
    pub(super) local_base: u32,
}

/// The frames of a warp.
#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// Indices of unused frames.
    free: Vec<u32>,
    /// Bytes of registers held.
    pub(crate) bytes: usize,
}

impl Frames {
    /// Makes or recycles a frame; true if it is new and its template must be copied in.
    pub(super) fn take(&mut self, function: u32, bytes: usize) -> (u32, bool) {
        if let Some(at) = self.free.iter().rposition(|&f| self.frames[f as usize].function == function) {
            return (self.free.swap_remove(at), false);
        }
        self.bytes += bytes;
        self.frames.push(Frame {
            regs: Buffer::new(bytes),
            function,
            parent: NO_FRAME,
            call: 0,
            site: 0,
            lanes: 0,
            local_base: 0,
        });
        (self.frames.len() as u32 - 1, true)
    }

    /// Returns a frame for later calls of the same function.
    pub(super) fn give_back(&mut self, frame: u32) {
        self.free.push(frame);
    }

    /// Returns every frame but the first, which is the kernel's.
    pub(super) fn reset(&mut self) {
        self.free.clear();
        self.free.extend(1..self.frames.len() as u32);
    }

    pub(crate) fn get(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize]
    }

    pub(super) fn get_mut(&mut self, frame: u32) -> &mut Frame {
        &mut self.frames[frame as usize]
    }
}

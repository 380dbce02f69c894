//! Calls of device functions.
//!
//! Parameters and return values are passed through `.param` variables, which are bytes of the thread's local memory; a
//! call copies the caller's variables into the callee's, a return copies back. Older code passes registers; those are
//! copied the same way.

use super::frame::NO_FRAME;
use super::{Flow, Warp};
use crate::image::{CallSite, Callee, Home};
use crate::lane::lanes_of;
use crate::memory::CODE_STEP;
use crate::report::FaultKind;

/// Registers that the call chain of one warp may hold, in bytes.
const MAX_FRAME_BYTES: usize = 16 << 20;
/// Local memory of one thread, as large as hardware gives.
const MAX_LOCAL: u32 = 512 << 10;

impl Warp<'_> {
    /// A call of a function of the module, from the call site of that number.
    pub(crate) fn call(&mut self, number: u32, mask: u32) -> Flow {
        let site = &self.launch.image.call_sites[number as usize];
        match &site.callee {
            Callee::Function(f) => self.call_function(*f, (number, site), mask),
            Callee::Indirect(slot) => self.call_indirect(*slot, (number, site), mask),
            Callee::Builtin(_) | Callee::Unknown(_) => Flow::Next,
        }
    }

    /// A call through a pointer: one target at a time; lanes with other targets return to this instruction.
    fn call_indirect(&mut self, slot: u32, site: (u32, &CallSite), mask: u32) -> Flow {
        let first = mask.trailing_zeros() as usize;
        // SAFETY: the decoder made sure that the slot holds 64-bit lanes.
        let target = |lane: usize| unsafe { *self.slot::<u64>(slot).add(lane) };
        let address = target(first);
        let same = lanes_of(mask).filter(|&lane| target(lane) == address).fold(0, |m, lane| m | 1u32 << lane);
        let index = address.wrapping_sub(crate::memory::CODE) / CODE_STEP;
        let known = (index as usize) < self.launch.image.functions.len() && address.is_multiple_of(CODE_STEP);
        if !known || address < crate::memory::CODE {
            return self.fault(
                FaultKind::OutOfBounds,
                first,
                format!("indirect call to {address:#x}, which is not a function"),
            );
        }
        if same != self.mask {
            // The others (and lanes whose guard is off) continue separately; all lanes meet after the call.
            self.diverge_call(same, mask);
        }
        self.call_function(index as u32, site, same)
    }

    /// Keeps lanes `same` running at the call and makes the others wait: those that call something else at this
    /// instruction again, those that do not call at the next one.
    fn diverge_call(&mut self, same: u32, calling: u32) {
        let again = calling & !same;
        let skip = self.mask & !calling;
        let pc = self.pc;
        let mut groups = vec![(same, pc)];
        if again != 0 {
            groups.push((again, pc));
        }
        if skip != 0 {
            groups.push((skip, pc + 1));
        }
        self.scatter(&groups, pc + 1);
    }

    fn call_function(&mut self, function: u32, (number, site): (u32, &CallSite), mask: u32) -> Flow {
        if mask != self.mask {
            self.diverge_call(mask, mask);
        }
        let image = self.launch.image;
        let callee = &image.functions[function as usize];
        let first = mask.trailing_zeros() as usize;
        let Some(start) = callee.start else {
            return self.fault(
                FaultKind::Unsupported,
                first,
                format!("the module calls {}, which it declares but does not define", callee.name),
            );
        };
        let caller = &image.functions[self.frames.get(self.frame).function as usize];
        let caller_base = self.local_base;
        let local_base = caller_base + caller.local_bytes;
        if self.frames.bytes + callee.frame_bytes as usize > MAX_FRAME_BYTES
            || !self.reserve_local(local_base + callee.local_bytes)
        {
            return self.fault(
                FaultKind::StackOverflow,
                first,
                format!("the call of {} goes deeper than a thread's stack: is the recursion endless?", callee.name),
            );
        }
        let (frame, new) = self.frames.take(function, callee.frame_bytes as usize);
        {
            let call = self.pc;
            let parent = self.frame;
            let f = self.frames.get_mut(frame);
            if new {
                let template = &self.launch.templates[function as usize];
                f.regs.as_mut_slice()[..template.len()].copy_from_slice(template.as_slice());
            }
            (f.parent, f.call, f.site, f.lanes, f.local_base) = (parent, call, number, mask, local_base);
        }
        self.fill_specials(frame, true);
        for (from, to) in site.args.iter().zip(&callee.params) {
            self.copy_home((self.frame, caller_base, *from), (frame, local_base, *to), mask);
        }
        self.enter_frame(frame);
        self.pc = start;
        self.update_stop();
        Flow::Jump
    }

    /// `ret` for the running lanes of `mask`; in the kernel itself the same as `exit`.
    pub(crate) fn ret(&mut self, mask: u32) -> Flow {
        if self.frame == 0 {
            return self.exit(mask);
        }
        if mask != self.mask {
            self.part_at_return(mask);
            self.pc += 1;
            return Flow::Jump;
        }
        if !self.arrive_at_return() {
            self.mask = 0;
            return Flow::Leave;
        }
        let image = self.launch.image;
        let frame = self.frame;
        let (parent, call, site, local_base, function) = {
            let f = self.frames.get(frame);
            (f.parent, f.call, f.site, f.local_base, f.function)
        };
        debug_assert_ne!(parent, NO_FRAME);
        let site = &image.call_sites[site as usize];
        let parent_base = self.frames.get(parent).local_base;
        for (from, to) in image.functions[function as usize].returns.iter().zip(&site.rets) {
            self.copy_home((frame, local_base, *from), (parent, parent_base, *to), self.mask);
        }
        let f = self.frames.get_mut(frame);
        f.lanes &= !self.mask;
        if f.lanes == 0 {
            self.frames.give_back(frame);
        }
        self.enter_frame(parent);
        self.pc = call + 1;
        self.update_stop();
        Flow::Jump
    }

    /// Copies a parameter between two activations.
    fn copy_home(&mut self, from: (u32, u32, Home), to: (u32, u32, Home), mask: u32) {
        for lane in lanes_of(mask) {
            let mut bytes = [0u8; 16];
            let size = from.2.size().min(to.2.size());
            let mut done = 0;
            while done < size {
                let n = (size - done).min(16);
                self.read_home(from, lane, done, &mut bytes[..n as usize]);
                self.write_home(to, lane, done, &bytes[..n as usize]);
                done += n;
            }
        }
    }

    fn read_home(&mut self, (frame, base, home): (u32, u32, Home), lane: usize, at: u32, out: &mut [u8]) {
        match home {
            Home::Local { offset, .. } => {
                let start = lane * self.local_stride as usize + (base + offset + at) as usize;
                out.copy_from_slice(&self.local.as_slice()[start..start + out.len()]);
            }
            Home::Slot { slot, size } => {
                let start = (slot + lane as u32 * size + at) as usize;
                out.copy_from_slice(&self.frames.get(frame).regs.as_slice()[start..start + out.len()]);
            }
            Home::Predicate { slot } => {
                let regs = self.frames.get(frame).regs.as_slice();
                out[0] = regs[slot as usize + lane / 8] >> (lane % 8) & 1;
            }
        }
    }

    fn write_home(&mut self, (frame, base, home): (u32, u32, Home), lane: usize, at: u32, bytes: &[u8]) {
        match home {
            Home::Local { offset, .. } => {
                let start = lane * self.local_stride as usize + (base + offset + at) as usize;
                self.local.as_mut_slice()[start..start + bytes.len()].copy_from_slice(bytes);
            }
            Home::Slot { slot, size } => {
                let start = (slot + lane as u32 * size + at) as usize;
                self.frames.get_mut(frame).regs.as_mut_slice()[start..start + bytes.len()].copy_from_slice(bytes);
            }
            Home::Predicate { slot } => {
                let byte = &mut self.frames.get_mut(frame).regs.as_mut_slice()[slot as usize + lane / 8];
                *byte = *byte & !(1 << (lane % 8)) | (bytes[0] & 1) << (lane % 8);
            }
        }
    }

    /// A call's argument in one lane, as a number (for built-in functions).
    pub(crate) fn argument(&mut self, site: &CallSite, index: usize, lane: usize) -> Option<u64> {
        let home = *site.args.get(index)?;
        let size = home.size().min(8) as usize;
        let mut bytes = [0u8; 8];
        self.read_home((self.frame, self.local_base, home), lane, 0, &mut bytes[..size]);
        Some(u64::from_le_bytes(bytes))
    }

    /// A call's argument of three 32-bit numbers in one lane.
    pub(crate) fn argument_triple(&mut self, site: &CallSite, index: usize, lane: usize) -> Option<[u32; 3]> {
        let home = *site.args.get(index).filter(|home| home.size() >= 12)?;
        let mut bytes = [0u8; 12];
        self.read_home((self.frame, self.local_base, home), lane, 0, &mut bytes);
        Some(std::array::from_fn(|axis| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * axis + byte]))))
    }

    /// Sets a call's return value in one lane.
    pub(crate) fn set_return(&mut self, site: &CallSite, lane: usize, value: u64) {
        if let Some(&home) = site.rets.first() {
            let size = home.size().min(8) as usize;
            self.write_home((self.frame, self.local_base, home), lane, 0, &value.to_le_bytes()[..size]);
        }
    }

    /// Makes sure that every thread of the warp has that much local memory; false if that is too much.
    pub(crate) fn reserve_local(&mut self, bytes: u32) -> bool {
        if bytes <= self.local_stride {
            return true;
        }
        if bytes > MAX_LOCAL {
            return false;
        }
        let stride = bytes.next_power_of_two().max(64);
        let mut grown = super::buffer::Buffer::new(stride as usize * 32);
        let old = self.local_stride as usize;
        if old > 0 {
            let lanes = self.local.as_slice().chunks_exact(old);
            for (to, from) in grown.as_mut_slice().chunks_exact_mut(stride as usize).zip(lanes) {
                to[..old].copy_from_slice(from);
            }
        }
        self.local = grown;
        self.local_host = self.local.as_mut_ptr();
        self.local_stride = stride;
        true
    }
}

//! What a memory instruction is about to touch, read from its operands.

use super::Op;
use super::region::{Addressing, FrameRelative, Reg32, Reg64};
use crate::image::event::{Access, AddressKind, Declared};
use crate::memory;
use crate::warp::Warp;

impl Access {
    /// The bytes that a lane stores; `None` where the registers do not hold them one by one.
    ///
    /// # Safety
    /// As for [`Self::addresses`].
    pub(crate) unsafe fn stored(&self, warp: &Warp<'_>, lane: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.bytes as usize);
        for &(slot, width) in &self.values {
            // SAFETY: by contract the slots are those of the running frame, of that width.
            let register = unsafe { warp.slot::<u8>(slot).add(lane * width as usize) };
            for k in 0..self.element.min(width) {
                // SAFETY: as above.
                bytes.push(unsafe { *register.add(k as usize) });
            }
        }
        (bytes.len() == self.bytes as usize).then_some(bytes)
    }

    /// The lanes' addresses: an offset for shared and local memory, a device address for everything else. With
    /// [`Declared::Generic`] each lane's may be any of them, told apart by [`memory::window`].
    ///
    /// # Safety
    /// `op` must be the instruction that this access was made from, and the warp must be at it.
    #[inline(always)]
    pub(crate) unsafe fn addresses(&self, warp: &Warp<'_>, op: &Op) -> [u64; 32] {
        // SAFETY: by contract the operands are slots of the running frame, of the width that the decoder noted.
        let mut addresses = unsafe {
            match self.address {
                AddressKind::Reg32 => Reg32::addresses(warp, op).map(u64::from),
                AddressKind::Reg64 => Reg64::addresses(warp, op),
                AddressKind::Frame => FrameRelative::addresses(warp, op),
            }
        };
        // A generic address of the window is as good as an offset there.
        let window = match self.space {
            Declared::Shared => memory::SHARED,
            Declared::Local => memory::LOCAL,
            _ => return addresses,
        };
        for a in &mut addresses {
            *a = if *a >= window { *a - window } else { *a };
        }
        addresses
    }
}

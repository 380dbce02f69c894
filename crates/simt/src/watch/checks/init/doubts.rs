//! Doubts: which bytes of which registers hold what nobody has written, and where it was read.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::findings::Sighting;
use crate::lanes::lanes_of;

/// A read of unwritten memory: what is told of it once its value is used.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) seen: Sighting,
    /// The allocation, if it was global memory.
    pub(super) view: Option<usize>,
    /// Bytes of the access.
    pub(super) bytes: u32,
    /// A copy that nobody has waited for is to write there.
    pub(super) in_flight: bool,
}

/// A register of an activation: the frame, and its number in the function.
pub(super) type Register = (u32, u32);

/// What is doubtful in one lane: a bit for each byte of a value, and where it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubt {
    pub(super) bytes: u16,
    pub(super) origin: Option<Arc<Origin>>,
}

/// The registers of a warp that are in doubt. Nearly always there are none.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    registers: HashMap<Register, Box<[Doubt; 32]>>,
}

impl Doubts {
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.registers.clear();
    }

    /// What is doubtful of a register in a lane.
    pub(super) fn get(&self, register: Register, lane: usize) -> Option<&Doubt> {
        self.registers.get(&register).map(|lanes| &lanes[lane]).filter(|doubt| doubt.bytes != 0)
    }

    /// The lanes in which a register is in doubt.
    pub(super) fn lanes(&self, register: Register) -> u32 {
        let lanes = self.registers.get(&register).into_iter().flat_map(|lanes| lanes.iter().enumerate());
        lanes.filter(|(_, doubt)| doubt.bytes != 0).fold(0, |mask, (lane, _)| mask | 1 << lane)
    }

    /// A lane's register is in doubt.
    pub(super) fn set(&mut self, register: Register, lane: usize, doubt: Doubt) {
        if doubt.bytes != 0 {
            self.registers.entry(register).or_default()[lane] = doubt;
        }
    }

    /// Lanes give a register another value.
    pub(super) fn settle(&mut self, register: Register, mask: u32) {
        let Some(lanes) = self.registers.get_mut(&register) else { return };
        for lane in lanes_of(mask) {
            lanes[lane] = Doubt::default();
        }
        if lanes.iter().all(|doubt| doubt.bytes == 0) {
            self.registers.remove(&register);
        }
    }

    /// Lanes enter an activation: its registers are new.
    pub(super) fn enter(&mut self, frame: u32, mask: u32) {
        let known: Vec<Register> = self.registers.keys().copied().filter(|&(of, _)| of == frame).collect();
        for register in known {
            self.settle(register, mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_in_doubt_until_they_get_another_value() {
        let mut doubts = Doubts::default();
        let doubt = |bytes| Doubt { bytes, origin: None };
        doubts.set((0, 4), 3, doubt(0xf0));
        doubts.set((0, 4), 5, doubt(1));
        doubts.set((1, 4), 5, doubt(1));
        doubts.set((1, 6), 5, doubt(0));
        assert_eq!((doubts.lanes((0, 4)), doubts.lanes((1, 6))), (1 << 3 | 1 << 5, 0));
        assert_eq!(doubts.get((0, 4), 3).map(|doubt| doubt.bytes), Some(0xf0));
        assert!(doubts.get((0, 4), 4).is_none());
        doubts.settle((0, 4), 1 << 3);
        assert_eq!(doubts.lanes((0, 4)), 1 << 5);
        doubts.enter(1, u32::MAX);
        doubts.settle((0, 4), u32::MAX);
        assert!(doubts.is_empty());
    }
}

//! Flags: words through which threads publish what they have done.
//!
//! A strong write to a word publishes to later readers what its thread had done before its last fence (or, if it is a
//! release, before the write). An atomic adds to what was published, a store replaces it.

use std::collections::HashMap;

use super::clock::{Clock, Reach};
use super::knowledge::Knowledge;
use crate::image::event::{Access, Direction, Order};

/// The most words that are tracked: more than any kernel has flags.
const MAX_FLAGS: usize = 1 << 22;

/// What the writers of a word have published.
#[derive(Debug, Default)]
struct Flag {
    /// To everybody.
    grid: Knowledge,
    /// To the threads of their own block.
    blocks: Vec<(u64, Knowledge)>,
}

/// The flags of one memory.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    words: HashMap<u64, Flag>,
}

impl Flags {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// A thread accesses a word strongly. False if there are too many to track.
    pub(super) fn access(
        &mut self,
        clock: &mut Clock,
        thread: u32,
        address: u64,
        access: &Access,
        reach: Reach,
    ) -> bool {
        let block = clock.block();
        if access.direction != Direction::Store
            && let Some(flag) = self.words.get(&address)
        {
            let acquires = matches!(access.order, Order::Acquire | Order::AcqRel);
            if reach == Reach::Grid {
                clock.acquire(thread, Reach::Grid, acquires, &flag.grid);
            }
            if let Some((_, told)) = flag.blocks.iter().find(|(b, _)| *b == block) {
                clock.acquire(thread, Reach::Block, acquires, told);
            }
        }
        if !access.direction.writes() {
            return true;
        }
        let releases = matches!(access.order, Order::Release | Order::AcqRel);
        let near = clock.release(thread, Reach::Block, releases);
        let far =
            if reach == Reach::Grid { clock.release(thread, Reach::Grid, releases) } else { Knowledge::default() };
        if near.is_empty() && far.is_empty() && !self.words.contains_key(&address) {
            return true;
        }
        if self.words.len() >= MAX_FLAGS {
            return false;
        }
        let flag = self.words.entry(address).or_default();
        if access.direction == Direction::Store {
            *flag = Flag::default();
        }
        flag.grid.learn(&far);
        match flag.blocks.iter_mut().find(|(b, _)| *b == block) {
            Some((_, told)) => told.learn(&near),
            None if near.is_empty() => {}
            None => flag.blocks.push((block, near)),
        }
        true
    }
}

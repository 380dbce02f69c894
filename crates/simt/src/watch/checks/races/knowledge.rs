//! What a thread knows of others beyond barriers of its whole block or warp: for each block, the time up to which its
//! accesses come before the thread's own.
//!
//! This is a vector clock, kept sparsely. A [`View`] covers one block: a time for all of its threads, and later times
//! for single warps and threads. [`Knowledge`] maps blocks to views in a tree that is never changed, only shared and
//! copied along one path, because knowledge is passed on repeatedly: the last of ten thousand blocks that look back one
//! at a time knows of all others, and so do those in between.

use std::sync::Arc;

/// Bits of a block's number that one level of the tree decides.
const LEVEL_BITS: u32 = 4;
/// Levels for block numbers of 24 bits.
const LEVELS: u32 = 6;
/// Warps are numbered after threads.
const FIRST_WARP: u32 = 1024;

/// What is known of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View {
    /// The time up to which all threads of the block are known.
    all: u64,
    /// Threads, and warps from [`FIRST_WARP`], of which more is known, sorted.
    parts: Vec<(u32, u64)>,
}

impl View {
    /// All threads up to a time.
    pub(super) fn all(time: u64) -> Self {
        Self { all: time, parts: Vec::new() }
    }

    /// Also knows a thread up to a time.
    pub(super) fn and_thread(self, thread: u32, time: u64) -> Self {
        self.and(thread, time)
    }

    /// Also knows a whole warp up to a time.
    pub(super) fn and_warp(self, warp: u32, time: u64) -> Self {
        self.and(FIRST_WARP + warp, time)
    }

    fn and(mut self, part: u32, time: u64) -> Self {
        if time > self.all {
            match self.parts.binary_search_by_key(&part, |p| p.0) {
                Ok(at) => self.parts[at].1 = self.parts[at].1.max(time),
                Err(at) => self.parts.insert(at, (part, time)),
            }
        }
        self
    }

    /// Whether an access of a thread at a time is known.
    pub(super) fn covers(&self, thread: u32, time: u64) -> bool {
        let part = |part: u32| self.parts.binary_search_by_key(&part, |p| p.0).is_ok_and(|at| self.parts[at].1 >= time);
        time <= self.all || part(thread) || part(FIRST_WARP + thread / 32)
    }

    /// What either knows.
    fn join(&self, other: &Self) -> Self {
        let mut joined = Self::all(self.all.max(other.all));
        let (mut a, mut b) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let next = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) if x.0 == y.0 => {
                    let both = (x.0, x.1.max(y.1));
                    a.next();
                    b.next();
                    both
                }
                (Some(x), Some(y)) if x.0 > y.0 => {
                    let only = **y;
                    b.next();
                    only
                }
                (Some(x), _) => {
                    let only = **x;
                    a.next();
                    only
                }
                (None, Some(y)) => {
                    let only = **y;
                    b.next();
                    only
                }
                (None, None) => return joined,
            };
            if next.1 > joined.all {
                joined.parts.push(next);
            }
        }
    }
}

#[derive(Debug)]
enum Node {
    Leaf(View),
    Branch([Option<Arc<Node>>; 1 << LEVEL_BITS]),
}

/// What is known of all blocks. Cheap to copy.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    root: Option<Arc<Node>>,
}

impl Knowledge {
    /// Knowledge of one block.
    pub(super) fn of(block: u64, view: View) -> Self {
        let mut node = Arc::new(Node::Leaf(view));
        for level in (0..LEVELS).rev() {
            let mut children: [Option<Arc<Node>>; 1 << LEVEL_BITS] = Default::default();
            children[child(block, level)] = Some(node);
            node = Arc::new(Node::Branch(children));
        }
        Self { root: Some(node) }
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether an access is known.
    pub(super) fn covers(&self, block: u64, thread: u32, time: u64) -> bool {
        let mut node = &self.root;
        for level in 0..LEVELS {
            let Some(Node::Branch(children)) = node.as_deref() else { return false };
            node = &children[child(block, level)];
        }
        matches!(node.as_deref(), Some(Node::Leaf(view)) if view.covers(thread, time))
    }

    /// Learns what `other` knows.
    pub(super) fn learn(&mut self, other: &Self) {
        self.root = join(&self.root, &other.root);
    }
}

fn child(block: u64, level: u32) -> usize {
    (block >> (LEVEL_BITS * (LEVELS - 1 - level))) as usize & ((1 << LEVEL_BITS) - 1)
}

fn join(a: &Option<Arc<Node>>, b: &Option<Arc<Node>>) -> Option<Arc<Node>> {
    let (x, y) = match (a, b) {
        (_, None) => return a.clone(),
        (None, _) => return b.clone(),
        (Some(x), Some(y)) if Arc::ptr_eq(x, y) => return a.clone(),
        (Some(x), Some(y)) => (x, y),
    };
    let same = |p: &Option<Arc<Node>>, q: &Option<Arc<Node>>| match (p, q) {
        (None, None) => true,
        (Some(p), Some(q)) => Arc::ptr_eq(p, q),
        _ => false,
    };
    match (&**x, &**y) {
        (Node::Leaf(p), Node::Leaf(q)) => {
            let joined = p.join(q);
            // Sharing existing nodes keeps later joins short.
            if joined == *p {
                return a.clone();
            }
            if joined == *q { b.clone() } else { Some(Arc::new(Node::Leaf(joined))) }
        }
        (Node::Branch(p), Node::Branch(q)) => {
            let children: [Option<Arc<Node>>; 1 << LEVEL_BITS] = std::array::from_fn(|at| join(&p[at], &q[at]));
            let is = |side: &[Option<Arc<Node>>; 1 << LEVEL_BITS]| children.iter().zip(side).all(|(c, s)| same(c, s));
            if is(p) {
                return a.clone();
            }
            if is(q) { b.clone() } else { Some(Arc::new(Node::Branch(children))) }
        }
        // Leaves are all at the same depth.
        _ => a.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_covers_threads_and_warps() {
        let view = View::all(3).and_thread(70, 9).and_warp(1, 5).and_thread(0, 2);
        assert!(view.covers(500, 3) && !view.covers(500, 4));
        assert!(view.covers(33, 5) && !view.covers(33, 6));
        assert!(view.covers(70, 9) && !view.covers(70, 10) && !view.covers(71, 4));
        assert_eq!(view.parts.len(), 2, "what all are known to needs no entry");
    }

    #[test]
    fn joined_views_cover_what_either_did() {
        let a = View::all(3).and_thread(70, 9).and_warp(1, 5);
        let b = View::all(4).and_thread(70, 8).and_thread(2, 6);
        let joined = a.join(&b);
        assert_eq!(joined, View::all(4).and_thread(2, 6).and_thread(70, 9).and_warp(1, 5));
        assert_eq!(joined, b.join(&a));
    }

    #[test]
    fn knowledge_is_handed_on() {
        let mut known = Knowledge::default();
        assert!(known.is_empty() && !known.covers(0, 0, 1));
        for block in 0..5000 {
            known.learn(&Knowledge::of(block, View::all(0).and_thread(3, block + 1)));
        }
        for block in [0, 1, 17, 4095, 4096, 4999] {
            assert!(known.covers(block, 3, block + 1) && !known.covers(block, 3, block + 2));
            assert!(!known.covers(block, 4, 1));
        }
        assert!(!known.covers(5000, 3, 1));
        let before = known.clone();
        known.learn(&before);
        assert!(Arc::ptr_eq(known.root.as_ref().expect("not empty"), before.root.as_ref().expect("not empty")));
    }
}

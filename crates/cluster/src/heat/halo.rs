//! Which rows ranks have copies of.

use std::ops::Range;

use warpwise::heat::Temperature;

use crate::communicator::{Communicator, exchange};
use crate::parts::{Parts, common};

/// The rows of a rank and the copies around them, counted from the first copy.
#[derive(Clone, Debug)]
pub(super) struct Halo {
    /// All rows that are here, of the cylinder.
    pub(super) here: Range<usize>,
    /// The own ones among them.
    pub(super) own: Range<usize>,
    /// Own rows that other ranks have copies of, and copies of theirs; with few rows, not only of the next rank.
    pub(super) gives: Vec<(usize, Range<usize>)>,
    pub(super) takes: Vec<(usize, Range<usize>)>,
}

impl Halo {
    /// Copies of as many rows as `reach` on a side.
    pub(super) fn new(parts: &Parts, rank: usize, reach: usize) -> Self {
        let all = parts.all();
        let rows = all.last().map_or(0, |part| part.end);
        let around = |part: &Range<usize>| match part.is_empty() {
            true => part.clone(),
            false => part.start.saturating_sub(reach)..rows.min(part.end + reach),
        };
        let (mine, here) = (&all[rank], around(&all[rank]));
        let from_first = |rows: Range<usize>| rows.start - here.start..rows.end - here.start;
        let others = || all.iter().enumerate().filter(|(other, _)| *other != rank);
        let routes = |rows: &dyn Fn(&Range<usize>) -> Range<usize>| {
            let routes = others().map(|(other, theirs)| (other, rows(theirs)));
            routes.filter(|(_, rows)| !rows.is_empty()).map(|(other, rows)| (other, from_first(rows))).collect()
        };
        Self {
            own: from_first(mine.clone()),
            gives: routes(&|theirs| common(&around(theirs), mine)),
            takes: routes(&|theirs| common(theirs, &here)),
            here,
        }
    }

    /// Sends own rows to all that have copies of them, and receives the copies, above and below.
    pub(super) fn renew<T: Temperature>(&self, ranks: &dyn Communicator, columns: usize, rows: [&mut [T]; 3]) {
        let [mut above, own, mut below] = rows;
        let first = self.own.start;
        let sends = self.gives.iter();
        let sends: Vec<(usize, &[T])> = sends
            .map(|(rank, rows)| (*rank, &own[(rows.start - first) * columns..(rows.end - first) * columns]))
            .collect();
        let mut receives = Vec::new();
        for (rank, rows) in &self.takes {
            let side = if rows.start < first { &mut above } else { &mut below };
            let (room, behind) = std::mem::take(side).split_at_mut(rows.len() * columns);
            *side = behind;
            receives.push((*rank, room));
        }
        exchange(ranks, &sends, receives);
    }
}

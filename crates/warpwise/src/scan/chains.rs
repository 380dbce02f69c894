//! The inner loop of scan without registers that can be scanned across lanes.
//!
//! A scan is one long chain: every addition waits for the one before, which takes floats four times as long as
//! integers. So a block of floats is cut into segments, their totals are reduced first (that is vector code, and the
//! block stays in the first-level cache), and then all segments are scanned at the same time, one chain for each.

use crate::operator::Combine;
use crate::{Element, reduce};

/// Chains that run at the same time.
const CHAINS: usize = 8;

/// Elements in a segment.
const SEGMENT: usize = 64;

/// The scan of a block, given the prefix before it.
#[inline(always)]
pub(super) fn scan<T: Element, O: Combine, const EXCLUSIVE: bool>(prefix: T, xs: &[T], out: &mut [T]) {
    let mut prefix = prefix;
    let mut whole = 0;
    if T::IS_FLOAT {
        let (segments, _) = xs.as_chunks::<SEGMENT>();
        let (out, _) = out.as_chunks_mut::<SEGMENT>();
        let (segments, _) = segments.as_chunks::<CHAINS>();
        let (out, _) = out.as_chunks_mut::<CHAINS>();
        for (segments, out) in segments.iter().zip(out) {
            prefix = side_by_side::<T, O, EXCLUSIVE>(prefix, segments, out);
            whole += CHAINS * SEGMENT;
        }
    }
    for (out, &x) in out[whole..].iter_mut().zip(&xs[whole..]) {
        let next = O::combine(prefix, x);
        *out = if EXCLUSIVE { prefix } else { next };
        prefix = next;
    }
}

#[inline(always)]
fn side_by_side<T: Element, O: Combine, const EXCLUSIVE: bool>(
    prefix: T,
    segments: &[[T; SEGMENT]; CHAINS],
    out: &mut [[T; SEGMENT]; CHAINS],
) -> T {
    let mut prefix = prefix;
    let mut chains = [prefix; CHAINS];
    for (chain, segment) in chains.iter_mut().zip(segments) {
        *chain = prefix;
        prefix = O::combine(prefix, reduce::block::<T, O>(segment));
    }
    for j in 0..SEGMENT {
        for i in 0..CHAINS {
            let next = O::combine(chains[i], segments[i][j]);
            out[i][j] = if EXCLUSIVE { chains[i] } else { next };
            chains[i] = next;
        }
    }
    prefix
}

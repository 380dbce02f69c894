//! `mbarrier`: barriers that are objects in shared memory, and bulk copies, which complete on them.
//!
//! An object counts arrivals of threads and bytes of copies in flight. When both counts of a phase are at zero the next
//! phase begins; threads wait by testing whether a phase is over. The emulator keeps all of that in the object's own 64
//! bits.
//!
//! A bulk copy (`cp.async.bulk`) is checked when it is started, and made when its phase is first tested, so a kernel
//! that reads without waiting finds the old contents.

use super::load_store::copy_wait;
use super::region::{Addressing, Generic, Global, Reg32, Reg64, Region, Shared, bad_access};
use super::{Flow, Op, lanes_of};
use crate::memory::{self, Window};
use crate::report::FaultKind;
use crate::warp::{BulkCopy, Warp, address_in, rank_and_offset};

/// Bits of a count of arrivals.
const COUNT_BITS: u32 = 20;
/// The largest count of arrivals, and of bytes, that an object holds.
const MOST: u64 = (1 << COUNT_BITS) - 1;
/// What a failed test costs of a turn, in polls: others have to run before the answer changes.
const POLLS: u32 = 4;

/// Bulk copies of a block that may be under way: no kernel has as many, and a hostile one would take all memory.
const MOST_COPIES: usize = 1 << 16;

/// The fields of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    /// Arrivals of a phase.
    expected: u64,
    /// Arrivals still missing in this phase.
    pending: u64,
    /// Bytes expected minus those that have arrived: a copy may be complete before it is announced.
    bytes: i64,
    /// The parity of the running phase.
    phase: bool,
}

impl Object {
    fn unpack(bits: u64) -> Self {
        Self {
            expected: bits & MOST,
            pending: bits >> COUNT_BITS & MOST,
            bytes: (bits << 1) as i64 >> (2 * COUNT_BITS + 1),
            phase: bits >> 63 != 0,
        }
    }

    fn pack(self) -> u64 {
        let bytes = (self.bytes as u64) << (2 * COUNT_BITS) & (u64::MAX >> 1);
        self.expected | self.pending << COUNT_BITS | bytes | u64::from(self.phase) << 63
    }

    /// Begins the next phase if this one is over.
    fn settle(mut self) -> Self {
        if self.pending == 0 && self.bytes == 0 {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        self
    }
}

/// What an instruction does to an object; packed into `aux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Makes an object that expects `b` arrivals.
    Init,
    /// Ends an object.
    Invalidate,
    /// Announces `b` bytes.
    Expect,
    /// `b` bytes have arrived.
    Complete,
    /// `b` arrivals.
    Arrive,
    /// Announces `b` bytes, then one arrival.
    ArriveExpect,
    /// `b` arrivals, which later phases do not expect either.
    ArriveDrop,
    /// Whether the phase of the state `b` is over.
    Test,
    /// Whether the phase of parity `b` is over.
    TestParity,
}

impl Verb {
    const ALL: [Self; 9] = [
        Self::Init,
        Self::Invalidate,
        Self::Expect,
        Self::Complete,
        Self::Arrive,
        Self::ArriveExpect,
        Self::ArriveDrop,
        Self::Test,
        Self::TestParity,
    ];

    /// Whether it only tests and changes nothing.
    pub(crate) fn asks(self) -> bool {
        matches!(self, Self::Test | Self::TestParity)
    }

    fn apply(self, old: Object, amount: u64) -> Option<Object> {
        let arrive = |o: Object, n: u64| Some(Object { pending: o.pending.checked_sub(n)?, ..o });
        let bytes = |o: Object, n: i64| {
            let bytes = o.bytes + n;
            (bytes.unsigned_abs() <= MOST).then_some(Object { bytes, ..o })
        };
        Some(match self {
            Self::Init if (1..=MOST).contains(&amount) => {
                Object { expected: amount, pending: amount, bytes: 0, phase: false }
            }
            Self::Init => return None,
            Self::Expect => bytes(old, i64::try_from(amount).ok()?)?,
            Self::Complete => bytes(old, -i64::try_from(amount).ok()?)?.settle(),
            Self::Arrive => arrive(old, amount)?.settle(),
            Self::ArriveExpect => arrive(bytes(old, i64::try_from(amount).ok()?)?, 1)?.settle(),
            Self::ArriveDrop => {
                let fewer = Object { expected: old.expected.checked_sub(amount)?, ..old };
                arrive(fewer, amount)?.settle()
            }
            Self::Invalidate | Self::Test | Self::TestParity => old,
        })
    }
}

/// The address is a 64-bit register; in `c`.
pub(crate) const WIDE: u32 = 1;

/// An `mbarrier` instruction: `aux` is the number of its [`Verb`], `a` the address (as wide as `c` says), `b` a count
/// or parity (32-bit) or state (64-bit), `d` the state or predicate that it gives.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn mbarrier(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    let verb = Verb::ALL[op.aux as usize];
    // SAFETY: the decoder says how wide the operand is.
    let addresses = unsafe {
        if op.c & WIDE != 0 { Reg64::addresses(warp, op) } else { Reg32::addresses(warp, op).map(u64::from) }
    };
    let mut over = 0;
    for lane in lanes_of(mask) {
        let address = addresses[lane];
        if verb.asks() && !land(warp, offset(address)) {
            return Flow::Leave;
        }
        let host = Shared::host(warp, lane, address, 8).filter(|_| address.is_multiple_of(8));
        let Some(host) = host else { return bad_access::<Shared>(warp, lane, address, 8, "mbarrier access") };
        // SAFETY: `host` vouches for eight bytes; the decoder chose slots of these widths.
        unsafe {
            let old = host.cast::<u64>().read_unaligned();
            let amount = match verb {
                Verb::Test => *warp.slot::<u64>(op.b).add(lane),
                _ => (*warp.slot::<u32>(op.b).add(lane)).into(),
            };
            let object = Object::unpack(old);
            let Some(new) = verb.apply(object, amount) else { return misused(warp, lane, verb, object, amount) };
            match verb {
                Verb::Test => over |= u32::from(object.phase != Object::unpack(amount).phase) << lane,
                Verb::TestParity => over |= u32::from(object.phase != (amount & 1 != 0)) << lane,
                _ => {
                    host.cast::<u64>().write_unaligned(new.pack());
                    if op.d != 0 {
                        *warp.slot::<u64>(op.d).add(lane) = old;
                    }
                }
            }
        }
    }
    if verb.asks() {
        // SAFETY: the decoder chose a predicate.
        unsafe { warp.put_pred(op.d, mask, over) };
        if over & mask != mask {
            (0..POLLS).for_each(|_| warp.poll());
        }
    }
    Flow::Next
}

/// `cp.async.mbarrier.arrive`: the copies that the lanes have started end now, which is as good a time as any, and then
/// each arrives at the object: `b` times, once if that is an arrival like any other (`.noinc`), else not at all,
/// because the arrival was added to what the phase expects. Other operands as for [`mbarrier`].
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn copies_arrive(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    // SAFETY: passed on to the caller.
    unsafe {
        match copy_wait(warp, &Op { imm: -1, ..*op }, mask) {
            Flow::Next => mbarrier(warp, op, mask),
            stopped => stopped,
        }
    }
}

fn misused(warp: &mut Warp<'_>, lane: usize, verb: Verb, object: Object, amount: u64) -> Flow {
    let message = match verb {
        Verb::Init => format!("an mbarrier expects 1 to {MOST} arrivals, not {amount}"),
        Verb::Arrive | Verb::ArriveDrop => {
            format!("{amount} arrivals at an mbarrier whose phase expects {} more", object.pending)
        }
        Verb::ArriveExpect if object.pending == 0 => "an arrival at an mbarrier whose phase expects no more".to_owned(),
        _ => format!("an mbarrier cannot count {amount} more bytes: {MOST} are the most"),
    };
    warp.fault(FaultKind::Trap, lane, message)
}

/// The offset of an address in shared memory.
fn offset(address: u64) -> u64 {
    if address >= memory::SHARED { address - memory::SHARED } else { address }
}

/// Where the operands of a bulk copy are in the program's list of slots, from `aux`.
const FROM: usize = 0;
const TO: usize = 1;
const BYTES: usize = 2;
const OBJECT: usize = 3;

/// `cp.async.bulk` to shared memory. `aux` is a list of slots: the addresses of both ends, the number of bytes, the
/// address of the object; then the offsets of the three addresses, which of them are 64-bit and whether the source is
/// shared memory too; then the mask of the blocks that get a copy, or 0 if the destination says which one does.
///
/// # Safety
/// As for [`super::Handler`].
pub(crate) unsafe fn bulk_copy(warp: &mut Warp<'_>, op: &Op, mask: u32) -> Flow {
    for lane in lanes_of(mask) {
        // SAFETY: passed on to the caller.
        let copy = unsafe { bulk_of(warp, op, lane) };
        let aligned = [copy.from, copy.to, copy.bytes].map(|x| x.is_multiple_of(16));
        if Generic::range(warp, copy.from, copy.bytes).is_none() || !aligned[0] {
            let report = match memory::window(copy.from) {
                Window::Shared => uncopied::<Shared>,
                _ => uncopied::<Global>,
            };
            return report(warp, lane, copy.from, copy.bytes, aligned[0], "bulk load");
        }
        if Shared::range(warp, copy.to, copy.bytes).is_none() || !aligned[1] {
            return uncopied::<Shared>(warp, lane, copy.to, copy.bytes, aligned[1], "bulk store");
        }
        if !aligned[2] {
            let message = format!("a bulk copy of {} bytes: the number must be a multiple of 16", copy.bytes);
            return warp.fault(FaultKind::Misaligned, lane, message);
        }
        for rank in lanes_of(copy.blocks) {
            let cluster = warp.cluster_mut();
            let count = cluster.blocks.len();
            let Some(block) = cluster.blocks.get_mut(rank).filter(|block| block.live > 0) else {
                let message = match rank < count {
                    true => format!("a bulk copy to block {rank} of the cluster, which has exited"),
                    false => format!("a bulk copy to block {rank} of a cluster of {count} blocks"),
                };
                return warp.fault(FaultKind::OutOfBounds, lane, message);
            };
            if block.bulks.len() >= MOST_COPIES {
                let message = format!("more than {MOST_COPIES} bulk copies that nobody has asked for");
                return warp.fault(FaultKind::Unsupported, lane, message);
            }
            block.bulks.push(copy);
        }
    }
    Flow::Next
}

/// The bulk copy that a lane starts.
///
/// # Safety
/// As for [`bulk_copy`].
pub(crate) unsafe fn bulk_of(warp: &Warp<'_>, op: &Op, lane: usize) -> BulkCopy {
    let slots = &warp.launch.image.slots[op.aux as usize..][..9];
    let own = warp.block().rank;
    let address = |which: usize, offset: usize| {
        // SAFETY: the decoder chose slots of the widths that it noted.
        let base = unsafe {
            if slots[7] >> which & 1 != 0 {
                *warp.slot::<u64>(slots[which]).add(lane)
            } else {
                (*warp.slot::<u32>(slots[which]).add(lane)).into()
            }
        };
        base.wrapping_add_signed(i64::from(slots[offset] as i32))
    };
    // SAFETY: the decoder chose a 32-bit slot.
    let bytes = unsafe { *warp.slot::<u32>(slots[BYTES]).add(lane) }.into();
    let from = match (address(FROM, 4), slots[7] >> 4 & 1) {
        (from, 0) => from,
        // The block that waits for the copy may be another one.
        (from, _) => memory::SHARED | u64::from(address_in(own, from as u32)),
    };
    let inside = |address: u64| rank_and_offset(address).unwrap_or((own, address));
    let ((rank, to), (_, object)) = (inside(offset(address(TO, 5))), inside(offset(address(OBJECT, 6))));
    let blocks = match slots[8] {
        0 => 1u32.checked_shl(rank).unwrap_or(0),
        // SAFETY: the decoder chose a 16-bit slot.
        slot => unsafe { *warp.slot::<u16>(slot).add(lane) }.into(),
    };
    BulkCopy { pc: warp.pc, lane, from, to, bytes, object, blocks }
}

#[cold]
fn uncopied<S: Region>(warp: &mut Warp<'_>, lane: usize, address: u64, bytes: u64, aligned: bool, what: &str) -> Flow {
    if aligned {
        return bad_access::<S>(warp, lane, address, bytes, what);
    }
    let message = format!("{} {what} at {address:#x}: the address is not a multiple of 16", S::NAME);
    warp.fault_at(FaultKind::Misaligned, lane, address, message)
}

/// Makes the copies that complete on an object; false where one cannot be announced to it.
fn land(warp: &mut Warp<'_>, object: u64) -> bool {
    let rank = warp.block().rank as usize;
    if warp.cluster().blocks[rank].bulks.iter().all(|copy| copy.object != object) {
        return true;
    }
    let bulks = &mut warp.cluster_mut().blocks[rank].bulks;
    let due: Vec<BulkCopy> = bulks.extract_if(.., |copy| copy.object == object).collect();
    for copy in due {
        let (from, to) = (Generic::range(warp, copy.from, copy.bytes), Shared::range(warp, copy.to, copy.bytes));
        let host = Shared::range(warp, copy.object, 8).filter(|_| copy.object.is_multiple_of(8));
        let (Some(from), Some(to), Some(host)) = (from, to, host) else {
            let pc = std::mem::replace(&mut warp.pc, copy.pc);
            bad_access::<Shared>(warp, copy.lane, copy.object, 8, "mbarrier access");
            warp.pc = pc;
            return false;
        };
        // SAFETY: `range` vouches for that many bytes.
        unsafe {
            std::ptr::copy(from, to, copy.bytes as usize);
            let old = Object::unpack(host.cast::<u64>().read_unaligned());
            let Some(new) = Verb::Complete.apply(old, copy.bytes) else {
                misused(warp, copy.lane, Verb::Complete, old, copy.bytes);
                return false;
            };
            host.cast::<u64>().write_unaligned(new.pack());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_packed_and_unpacked() {
        for bytes in [0, 1, -1, MOST as i64, -(MOST as i64)] {
            for phase in [false, true] {
                let object = Object { expected: MOST, pending: 3, bytes, phase };
                assert_eq!(Object::unpack(object.pack()), object);
            }
        }
    }

    #[test]
    fn a_phase_is_over_when_all_have_arrived_and_all_bytes_have_come() {
        let start = Verb::Init.apply(Object::unpack(0), 2).expect("a count in range");
        let first = Verb::ArriveExpect.apply(start, 64).expect("expected");
        let second = Verb::Arrive.apply(first, 1).expect("expected");
        assert_eq!((second.pending, second.phase), (0, false));
        let over = Verb::Complete.apply(second, 64).expect("few bytes");
        assert_eq!((over.pending, over.phase), (2, true));
        assert_eq!(Verb::Arrive.apply(over, 3), None, "too many");
        let early = Verb::Complete.apply(over, 16).expect("before it is announced");
        assert_eq!((early.bytes, early.phase), (-16, true));
        let dropped = Verb::ArriveDrop.apply(over, 1).expect("expected");
        assert_eq!((dropped.expected, dropped.pending), (1, 1));
    }
}

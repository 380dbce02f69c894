//! Where an address leads: state spaces as seen by memory instructions.

use super::{Flow, Lane, Op};
use crate::lane::LANES;
use crate::memory::{self, Window};
use crate::report::FaultKind;
use crate::warp::{Past, Warp, rank_and_offset};

/// A number that addresses are computed in.
pub(crate) trait AddressWord:
    Lane + std::ops::BitXor<Output = Self> + std::ops::BitOrAssign + PartialEq
{
    /// A small number.
    fn small(n: usize) -> Self;
    /// Addition that wraps.
    fn plus(self, other: Self) -> Self;
    /// The address as the memory system sees it.
    fn wide(self) -> u64;
}
impl AddressWord for u32 {
    #[inline(always)]
    fn small(n: usize) -> Self {
        n as Self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn wide(self) -> u64 {
        self.into()
    }
}
impl AddressWord for u64 {
    #[inline(always)]
    fn small(n: usize) -> Self {
        n as Self
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn wide(self) -> u64 {
        self
    }
}

/// How the address of each lane is made.
pub(crate) trait Addressing: 'static {
    /// What addresses are computed in.
    type Word: AddressWord;

    /// The lanes' addresses.
    ///
    /// # Safety
    /// As for [`super::Handler`].
    unsafe fn addresses(warp: &Warp<'_>, op: &Op) -> [Self::Word; 32];
}

/// A 32-bit register (or constant) plus offset.
pub(crate) struct Reg32;
impl Addressing for Reg32 {
    type Word = u32;

    #[inline(always)]
    unsafe fn addresses(warp: &Warp<'_>, op: &Op) -> [u32; 32] {
        // SAFETY: the decoder chose this addressing for a slot of 32-bit lanes.
        let mut addresses = unsafe { *warp.slot::<[u32; 32]>(op.a) };
        for a in &mut addresses {
            *a = a.wrapping_add(op.imm as u32);
        }
        addresses
    }
}

/// A 64-bit register (or constant) plus offset.
pub(crate) struct Reg64;
impl Addressing for Reg64 {
    type Word = u64;

    #[inline(always)]
    unsafe fn addresses(warp: &Warp<'_>, op: &Op) -> [u64; 32] {
        // SAFETY: the decoder chose this addressing for a slot of 64-bit lanes.
        let mut addresses = unsafe { *warp.slot::<[u64; 32]>(op.a) };
        for a in &mut addresses {
            *a = a.wrapping_add(op.imm as u64);
        }
        addresses
    }
}

/// A variable of the running activation: an offset from the start of its part of local memory.
pub(crate) struct FrameRelative;
impl Addressing for FrameRelative {
    type Word = u64;

    #[inline(always)]
    unsafe fn addresses(warp: &Warp<'_>, op: &Op) -> [u64; 32] {
        [u64::from(warp.local_base).wrapping_add(op.imm as u64); 32]
    }
}

/// A state space.
pub(crate) trait Region: 'static {
    /// Its name in messages.
    const NAME: &'static str;

    /// The host's pointer to `bytes` bytes at a lane's address; `None` if they are not all valid.
    fn host(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8>;

    /// The same for bytes that several lanes touch; `None` also where lanes have memory of their own.
    fn range(warp: &Warp<'_>, address: u64, bytes: u64) -> Option<*mut u8>;
}

/// `.shared`: offsets in the block's shared memory.
pub(crate) struct Shared;
impl Region for Shared {
    const NAME: &'static str = "shared";

    #[inline(always)]
    fn host(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
        Self::range(warp, address, bytes).or_else(|| past_shared(warp, lane, address, bytes))
    }

    #[inline(always)]
    fn range(warp: &Warp<'_>, address: u64, bytes: u64) -> Option<*mut u8> {
        // A generic address of the shared window means the same byte: `cvta` leaves the offset in the low bits.
        let offset = if address >= memory::SHARED { address - memory::SHARED } else { address };
        let end = offset.checked_add(bytes)?;
        if end <= u64::from(warp.shared_len) {
            return Some(warp.shared.wrapping_add(offset as usize));
        }
        in_cluster(warp, offset, bytes)
    }
}

/// The host's pointer to bytes in the shared memory of another block of the cluster, as long as that runs.
#[cold]
fn in_cluster(warp: &Warp<'_>, address: u64, bytes: u64) -> Option<*mut u8> {
    let (rank, offset) = rank_and_offset(address)?;
    let block = warp.cluster().blocks.get(rank as usize).filter(|block| block.live > 0)?;
    (offset + bytes <= u64::from(warp.shared_len)).then(|| block.shared.wrapping_add(offset as usize))
}

/// The number of a thread in its block.
fn thread(warp: &Warp<'_>, lane: usize) -> u32 {
    warp.index * LANES as u32 + lane as u32
}

/// The host's pointer for an access past the end of the block's shared memory, if such accesses pass here.
#[cold]
fn past_shared(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
    let padding = warp.launch.padding?;
    let offset = if address >= memory::SHARED { address - memory::SHARED } else { address };
    if offset.checked_add(bytes)? > u64::from(warp.launch.shared_room()) {
        return None;
    }
    let past = Past { first: (warp.block().linear, thread(warp, lane), offset), bytes, view: None, count: 1 };
    padding.note(warp.pc, past);
    Some(warp.shared.wrapping_add(offset as usize))
}

/// `.local`: offsets in the thread's own memory.
pub(crate) struct Local;
impl Region for Local {
    const NAME: &'static str = "local";

    #[inline(always)]
    fn host(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = if address >= memory::LOCAL { address - memory::LOCAL } else { address };
        let end = offset.checked_add(bytes)?;
        (end <= u64::from(warp.local_stride))
            .then(|| warp.local_host.wrapping_add(lane * warp.local_stride as usize + offset as usize))
    }

    #[inline(always)]
    fn range(_: &Warp<'_>, _: u64, _: u64) -> Option<*mut u8> {
        None
    }
}

/// `.global`, `.const` and kernel parameters: allocations.
pub(crate) struct Global;
impl Region for Global {
    const NAME: &'static str = "global";

    #[inline(always)]
    fn host(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
        Self::range(warp, address, bytes).or_else(|| in_padding(warp, lane, address, bytes))
    }

    #[inline(always)]
    fn range(warp: &Warp<'_>, address: u64, bytes: u64) -> Option<*mut u8> {
        let end = address.checked_add(bytes)?;
        let views = warp.launch.views;
        // SAFETY: there is a hint for every instruction of the program.
        let hint = unsafe { &mut *warp.hints.add(warp.pc as usize) };
        let view = views.get(*hint as usize).filter(|v| v.base <= address && end <= v.end);
        let view = match view {
            Some(view) => view,
            None => {
                let at = views.partition_point(|v| v.base <= address).checked_sub(1)?;
                let view = &views[at];
                if end > view.end {
                    return None;
                }
                *hint = at as u32;
                view
            }
        };
        Some(view.host.wrapping_add((address - view.base) as usize))
    }
}

/// The host's pointer for an access past the end of an allocation, if such accesses pass here.
#[cold]
fn in_padding(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
    let padding = warp.launch.padding?;
    let views = warp.launch.views;
    let number = views.partition_point(|v| v.base <= address).checked_sub(1)?;
    let view = views[number];
    if address.checked_add(bytes)? > view.padded {
        return None;
    }
    let past = Past { first: (warp.block().linear, thread(warp, lane), address), bytes, view: Some(number), count: 1 };
    padding.note(warp.pc, past);
    Some(view.host.wrapping_add((address - view.base) as usize))
}

/// Generic addresses: any of the above.
pub(crate) struct Generic;
impl Region for Generic {
    const NAME: &'static str = "generic";

    #[inline(always)]
    fn host(warp: &Warp<'_>, lane: usize, address: u64, bytes: u64) -> Option<*mut u8> {
        match memory::window(address) {
            Window::Shared => Shared::host(warp, lane, address, bytes),
            Window::Local => Local::host(warp, lane, address, bytes),
            _ => Global::host(warp, lane, address, bytes),
        }
    }

    #[inline(always)]
    fn range(warp: &Warp<'_>, address: u64, bytes: u64) -> Option<*mut u8> {
        match memory::window(address) {
            Window::Shared => Shared::range(warp, address, bytes),
            Window::Local => None,
            _ => Global::range(warp, address, bytes),
        }
    }
}

/// The host's pointer for a lane's access of a `T`, or the fault.
#[inline(always)]
pub(crate) fn pointer<S: Region, T: Lane>(
    warp: &mut Warp<'_>,
    lane: usize,
    address: u64,
    what: &str,
) -> Result<*mut T, Flow> {
    let bytes = size_of::<T>() as u64;
    if address.is_multiple_of(bytes)
        && let Some(host) = S::host(warp, lane, address, bytes)
    {
        return Ok(host.cast());
    }
    Err(bad_access::<S>(warp, lane, address, bytes, what))
}

/// Notes an access that cannot be made.
#[cold]
pub(crate) fn bad_access<S: Region>(warp: &mut Warp<'_>, lane: usize, address: u64, bytes: u64, what: &str) -> Flow {
    let s = if bytes == 1 { "" } else { "s" };
    let access = format!("{} {what} of {bytes} byte{s} at {address:#x}", S::NAME);
    if S::host(warp, lane, address, bytes).is_some() {
        let message = format!("{access}: the address is not a multiple of {bytes}");
        return warp.fault_at(FaultKind::Misaligned, lane, address, message);
    }
    let window = memory::window(address);
    let where_ = if S::NAME == "shared" || window == Window::Shared {
        beyond_shared(warp, address)
    } else if S::NAME == "local" || window == Window::Local {
        format!("the thread has {} bytes of local memory", warp.local_stride)
    } else {
        nearest(warp, address)
    };
    warp.fault_at(FaultKind::OutOfBounds, lane, address, format!("{access} is out of bounds: {where_}"))
}

/// Added to a fault that comes from meeting in a grid that cannot.
pub(crate) const NO_WORKSPACE: &str = "; if it belongs to grid.sync(), the launch must be cooperative";

/// Says why a shared address is bad.
fn beyond_shared(warp: &Warp<'_>, address: u64) -> String {
    let offset = if address >= memory::SHARED { address - memory::SHARED } else { address };
    let blocks = &warp.cluster().blocks;
    let Some((rank, _)) = rank_and_offset(offset).filter(|_| blocks.len() > 1) else {
        return format!("the block has {} bytes of shared memory", warp.shared_len);
    };
    match blocks.get(rank as usize) {
        None => format!("the cluster has no block of rank {rank}, but {} blocks", blocks.len()),
        Some(block) if block.live == 0 => format!("block {rank} of the cluster has exited, its shared memory is gone"),
        Some(_) => format!("block {rank} of the cluster has {} bytes of shared memory", warp.shared_len),
    }
}

/// Says where a bad global address lies.
fn nearest(warp: &Warp<'_>, address: u64) -> String {
    if address < 4096 {
        let more = if warp.launch.lacks_workspace() { NO_WORKSPACE } else { "" };
        return format!("it is a null pointer{more}");
    }
    let views = warp.launch.views;
    let at = views.partition_point(|v| v.base <= address);
    let before = at.checked_sub(1).map(|at| &views[at]);
    let after = views.get(at);
    let behind = before.map(|v| address.saturating_sub(v.end));
    let ahead = after.map(|v| v.base - address);
    match (before, after) {
        (Some(v), _) if behind <= ahead || after.is_none() => {
            let distance = match address.saturating_sub(v.end) {
                0 => "just".to_owned(),
                n => bytes_text(n),
            };
            format!("{distance} past the end of an allocation of {} bytes", v.end - v.base)
        }
        (_, Some(v)) => {
            format!("{} before an allocation of {} bytes", bytes_text(v.base - address), v.end - v.base)
        }
        _ => "nothing is allocated".to_owned(),
    }
}

fn bytes_text(n: u64) -> String {
    if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") }
}

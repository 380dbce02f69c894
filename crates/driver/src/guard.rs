//! Memory of the host that work may still be writing: what the host does to it is noticed.
//!
//! Work is done before the call that asks for it returns, so the host would never see that it did not wait. Therefore
//! pinned and managed memory that work has written is closed to the host until it has waited for that work: pages of
//! which every allocated byte is being written, so that no access to them is right. An access to a closed page raises a
//! signal; the handler notes where it came from and opens the page, and the program goes on.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use warpwise_trace::Stack;

/// The size of a page, and of nothing smaller.
pub(crate) const PAGE: u64 = if cfg!(target_arch = "x86_64") { 4096 } else { 65536 };

/// Ranges that can be closed at a time, and accesses that are remembered until somebody asks.
const CLOSED: usize = 256;
const SEEN: usize = 32;
/// How often an access to a range that has just been opened is tried again.
const TRIES: usize = 1000;

/// The closed ranges: starts and ends; a start of 0 is none. The handler reads them, so there is no lock.
static STARTS: [AtomicUsize; CLOSED] = [const { AtomicUsize::new(0) }; CLOSED];
static ENDS: [AtomicUsize; CLOSED] = [const { AtomicUsize::new(0) }; CLOSED];
/// Whether any is closed.
static ANY: AtomicBool = AtomicBool::new(false);
/// The addresses between which ranges were ever closed.
static LOWEST: AtomicUsize = AtomicUsize::new(usize::MAX);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);
/// The last address in between that was not closed, and how often it was tried.
static TRIED: AtomicUsize = AtomicUsize::new(0);
static TRIED_COUNT: AtomicUsize = AtomicUsize::new(0);

/// An access of the host to closed memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) address: u64,
    pub(crate) writes: bool,
    pub(crate) stack: Stack,
}

/// Room for an access.
struct Slot {
    /// One of the constants below.
    state: AtomicUsize,
    seen: UnsafeCell<MaybeUninit<Seen>>,
}

const FREE: usize = 0;
const BUSY: usize = 1;
const FULL: usize = 2;

// SAFETY: whoever changes the state from `FREE` or `FULL` to `BUSY` has the rest for itself.
unsafe impl Sync for Slot {}

static SLOTS: [Slot; SEEN] =
    [const { Slot { state: AtomicUsize::new(FREE), seen: UnsafeCell::new(MaybeUninit::uninit()) } }; SEEN];

/// The action for the signal before ours.
struct Before(UnsafeCell<MaybeUninit<libc::sigaction>>);
// SAFETY: written once, before our action is in force, and only read afterwards.
unsafe impl Sync for Before {}
static BEFORE: Before = Before(UnsafeCell::new(MaybeUninit::uninit()));

/// Closes ranges of whole pages to the host. A program that has an action of its own for the signal is left alone.
pub(crate) fn close(ranges: impl IntoIterator<Item = (u64, u64)>) {
    for (start, end) in ranges {
        let free = || STARTS.iter().position(|start| start.load(Ordering::Acquire) == 0);
        let (Some(slot), true) = (free(), is_installed()) else { return };
        let (start, end) = (start as usize, end as usize);
        LOWEST.fetch_min(start, Ordering::AcqRel);
        HIGHEST.fetch_max(end, Ordering::AcqRel);
        ENDS[slot].store(end, Ordering::Release);
        STARTS[slot].store(start, Ordering::Release);
        ANY.store(true, Ordering::Release);
        // SAFETY: whole pages of allocations of ours; an access to them comes to the handler.
        unsafe { libc::mprotect(start as *mut libc::c_void, end - start, libc::PROT_NONE) };
    }
}

/// Opens everything that is closed.
pub(crate) fn open() {
    if ANY.swap(false, Ordering::AcqRel) {
        STARTS.iter().zip(&ENDS).for_each(|(start, end)| open_slot(start, end));
    }
}

fn open_slot(start: &AtomicUsize, end: &AtomicUsize) {
    let first = start.load(Ordering::Acquire);
    if first != 0 {
        let length = end.load(Ordering::Acquire) - first;
        // SAFETY: pages that `close` closed, and that were open for both before.
        unsafe { libc::mprotect(first as *mut libc::c_void, length, libc::PROT_READ | libc::PROT_WRITE) };
        start.store(0, Ordering::Release);
    }
}

/// What the host did to closed memory since the last time.
pub(crate) fn seen() -> Vec<Seen> {
    let take = |slot: &Slot| {
        slot.state.compare_exchange(FULL, BUSY, Ordering::AcqRel, Ordering::Acquire).ok()?;
        // SAFETY: the slot is full, and this thread has it for itself.
        let seen = unsafe { (*slot.seen.get()).assume_init() };
        slot.state.store(FREE, Ordering::Release);
        Some(seen)
    };
    SLOTS.iter().filter_map(take).collect()
}

/// Whether our action for the signal is in force; the first to ask installs it.
fn is_installed() -> bool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: all bytes zero is a valid `sigaction`; what was there before is kept before ours is in force.
        unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut before);
            (*BEFORE.0.get()).write(before);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            // On the thread's own stack: an alternate one may be too small to walk the stack on, and a stack that is
            // exhausted ends the process either way.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
            libc::sigaction(libc::SIGSEGV, &raw const action, std::ptr::null_mut());
        }
    });
    // SAFETY: only asks.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut now);
        now.sa_sigaction == handle as *const () as usize
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes a valid description of the signal.
    let address = unsafe { (*info).si_addr() } as usize;
    let inside = |(start, end): (&AtomicUsize, &AtomicUsize)| {
        let start = start.load(Ordering::Acquire);
        start != 0 && (start..end.load(Ordering::Acquire)).contains(&address)
    };
    if let Some(slot) = STARTS.iter().zip(&ENDS).position(inside) {
        // SAFETY: `errno` is this thread's own.
        let errno = unsafe { *libc::__errno_location() };
        open_slot(&STARTS[slot], &ENDS[slot]);
        let (at, writes) = interrupted(context);
        note(Seen { address: address as u64, writes, stack: Stack::of_signal(at) });
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = errno };
    } else if !may_try_again(address) {
        pass_on(signal, info, context);
    }
}

/// Whether the range may have been opened by another thread in this very moment.
fn may_try_again(address: usize) -> bool {
    if !(LOWEST.load(Ordering::Acquire)..HIGHEST.load(Ordering::Acquire)).contains(&address) {
        return false;
    }
    if TRIED.swap(address, Ordering::AcqRel) != address {
        TRIED_COUNT.store(0, Ordering::Release);
    }
    TRIED_COUNT.fetch_add(1, Ordering::AcqRel) < TRIES
}

/// Keeps an access, if there is room.
fn note(seen: Seen) {
    let take = |slot: &&Slot| slot.state.compare_exchange(FREE, BUSY, Ordering::AcqRel, Ordering::Acquire).is_ok();
    if let Some(slot) = SLOTS.iter().find(take) {
        // SAFETY: this thread has the slot for itself.
        unsafe { (*slot.seen.get()).write(seen) };
        slot.state.store(FULL, Ordering::Release);
    }
}

/// The instruction that a signal came at, and whether it writes.
fn interrupted(context: *mut libc::c_void) -> (usize, bool) {
    // SAFETY: what the system passes to a handler as its context.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    #[cfg(target_arch = "x86_64")]
    {
        let registers = &context.uc_mcontext.gregs;
        // Bit 1 of the error code of a page fault is set for writes.
        (registers[libc::REG_RIP as usize] as usize, registers[libc::REG_ERR as usize] & 2 != 0)
    }
    #[cfg(target_arch = "aarch64")]
    {
        (context.uc_mcontext.pc as usize, false)
    }
}

/// Does what would have been done without us.
fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: kept before our action was in force.
    let before = unsafe { (*BEFORE.0.get()).assume_init_ref() };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The instruction is executed again, and ends the process as it would have.
            // SAFETY: the default action is always valid.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        function if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Function = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: the flag says that the handler has this type.
            let function = unsafe { std::mem::transmute::<usize, Function>(function) };
            function(signal, info, context);
        }
        function => {
            // SAFETY: without the flag the handler has this type.
            let function = unsafe { std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(function) };
            function(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_to_a_closed_page_is_seen_and_goes_on() {
        let length = 2 * PAGE as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages of our own.
        let pages =
            unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        assert_ne!(pages, libc::MAP_FAILED);
        let bytes = pages.cast::<u8>();
        // SAFETY: within the pages, for all that follows.
        unsafe { bytes.add(7).write_volatile(42) };
        close([(bytes as u64, bytes as u64 + PAGE)]);
        // SAFETY: as above; the handler opens the page.
        assert_eq!(unsafe { bytes.add(7).read_volatile() }, 42);
        let all = seen();
        assert_eq!(all.len(), 1, "{all:?}");
        assert_eq!((all[0].address, all[0].writes), (bytes as u64 + 7, false));
        assert!(!all[0].stack.place().frames.is_empty());
        close([(bytes as u64, bytes as u64 + PAGE)]);
        // SAFETY: as above; the second page is not closed, the first one is opened by the handler.
        unsafe {
            bytes.add(length - 1).write_volatile(1);
            bytes.add(3).write_volatile(1);
        }
        let all = seen();
        assert_eq!(all.iter().map(|seen| (seen.address, seen.writes)).collect::<Vec<_>>(), [(bytes as u64 + 3, true)]);
        close([(bytes as u64, bytes as u64 + PAGE)]);
        open();
        // SAFETY: as above.
        assert_eq!(unsafe { bytes.add(7).read_volatile() }, 42);
        assert!(seen().is_empty());
        // SAFETY: nobody uses the pages any more.
        unsafe { libc::munmap(pages, length) };
    }
}

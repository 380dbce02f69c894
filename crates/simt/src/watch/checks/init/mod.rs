//! Initialisation: values that nobody has defined. Uses of what was read from unwritten memory, reads of lanes that
//! take no part, and integer divisions by zero.

mod bits;
mod bytes;
mod division;
mod doubts;
mod follow;
mod step;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::brought::Brought;
use super::check::{Check, CheckEntry};
use super::findings::{Sighting, Who, Words};
use super::kind::Kind;
use super::names;
use super::plan::Plan;
use super::runs::Run;
use super::scene::{At, Scene};
use super::words::{access, capital, element, object, thread};
use crate::decode::is_header;
use crate::image::event::{CollectiveKind, Direction, Event};
use crate::lanes::{collective, lanes_of};
use crate::memory::{self, Validity};
use crate::report::{FindingKind, MemorySpace, Severity};
use crate::warp::{BlockState, Warp};
use bits::{Bits, LocalBits};
use division::DIVISION_BY_ZERO;
use doubts::{Doubts, Origin};
use follow::Byte;

/// A read of unwritten memory, or of a lane that takes no part.
const UNINITIALIZED: FindingKind = FindingKind::new("uninitialized", Severity::Error);

pub(super) const ENTRY: CheckEntry = CheckEntry {
    follows_writes: true,
    ..CheckEntry::new("init", "reads of memory that nobody has written", &[UNINITIALIZED, DIVISION_BY_ZERO])
};

/// `.local` variables larger than this are not tracked.
const LARGE_LOCAL: u32 = 64 << 10;

/// The check.
pub(super) struct Init<'p> {
    plan: &'p Plan<'p>,
    /// Which bytes of the allocations are written, by view.
    validities: &'p [Option<&'p Validity>],
    /// By slot.
    blocks: Vec<Block>,
    /// Some registers may hold what nobody has written.
    doubtful: bool,
}

/// A running block.
struct Block {
    /// Bytes of shared memory that have been written.
    written: Bits,
    /// Bytes that copies are to write, or have written.
    copied: Option<Bits>,
    /// By warp.
    local: Vec<LocalBits>,
    /// By warp: registers that hold what nobody has written.
    doubts: Vec<Doubts>,
    /// Bytes that have been given such a value, and where it was read.
    passed: HashMap<Byte, Arc<Origin>>,
    /// By instruction: its reads of unwritten memory, none of whose values was used so far.
    unused: HashMap<u32, Vec<Arc<Origin>>>,
    /// Instructions whose unwritten values were used.
    used: HashSet<u32>,
}

impl<'p> Init<'p> {
    fn written(&mut self, at: &At<'_>) -> &mut Bits {
        &mut self.blocks[at.slot()].written
    }

    /// The local memory of a warp. The kernel's own variables are unwritten when it starts.
    fn local_bits(&mut self, warp: &Warp<'_>) -> &mut LocalBits {
        let local = &mut self.blocks[warp.block().slot as usize].local[warp.index as usize];
        if !std::mem::replace(&mut local.entered, true) {
            for &(_, start, size) in &warp.launch.image.functions[warp.launch.entry as usize].locals {
                local.declare(u32::MAX, start.into(), size.min(LARGE_LOCAL).into());
            }
        }
        local
    }

    /// Lanes of a run read an element of which some bytes are unwritten: a bit for each in `holes`.
    #[cold]
    fn unwritten(
        &mut self,
        scene: &mut Scene<'p>,
        at: &At<'_>,
        run: Run,
        (address, holes): (u64, u32),
        (space, view): (MemorySpace, Option<usize>),
    ) {
        if space == MemorySpace::Local && is_in_header(scene.plan, at.pc) {
            return;
        }
        let (lane, block) = (run.lane_at(address), &self.blocks[at.slot()]);
        let who = at.thread(lane);
        let hole = address + u64::from(holes.trailing_zeros());
        let passed = match space {
            MemorySpace::Shared => block.passed.get(&(None, hole)),
            MemorySpace::Local => block.passed.get(&(Some(who.1), hole)),
            MemorySpace::Global => None,
        };
        let origin = passed.cloned().unwrap_or_else(|| {
            let seen = scene.sighting(UNINITIALIZED, (at.pc, who), space, address);
            let copied = block.copied.as_ref().filter(|_| space == MemorySpace::Shared);
            let in_flight = copied.is_some_and(|copied| copied.first_clear(address, 1).is_none());
            Arc::new(Origin { seen, view, bytes: run.bytes, in_flight })
        });
        let plain = matches!(&self.plan.program.events[at.pc as usize], Event::Access(access)
            if access.direction == Direction::Load);
        // What a copy is about to write is one value or another, whatever becomes of it.
        if plain && !origin.in_flight && !block.used.contains(&origin.seen.at.0) {
            self.put_off(at.slot(), &origin);
            self.loads(at, if run.same { run.mask } else { 1 << lane }, holes, &origin);
        } else {
            self.used(scene, at.slot(), &origin);
        }
    }
}

impl<'p> Check<'p> for Init<'p> {
    type Prepared = Vec<Option<&'p Validity>>;

    fn prepare(plan: &Plan<'p>) -> Self::Prepared {
        let launch = plan.launch;
        let validity = |base: u64| launch.memory.allocation(base).map(|a| &a.validity);
        launch.views.iter().map(|v| validity(v.base).filter(|_| memory::is_global(v.base))).collect()
    }

    fn new(plan: &'p Plan<'p>, validities: &'p Self::Prepared) -> Self {
        Self { plan, validities, blocks: Vec::new(), doubtful: false }
    }

    fn wants(_: &Self::Prepared, _: u32, event: &Event) -> bool {
        event.touches_memory() || matches!(event, Event::Collective(_) | Event::Call | Event::Division(_))
    }

    fn block_starts(&mut self, block: &BlockState) {
        let slot = block.slot as usize;
        while self.blocks.len() <= slot {
            let (written, warps) = (Bits::new(self.plan.launch.shared_bytes), self.plan.warps());
            self.blocks.push(Block {
                written,
                copied: None,
                local: vec![LocalBits::default(); warps],
                doubts: (0..warps).map(|_| Doubts::default()).collect(),
                passed: HashMap::new(),
                unused: HashMap::new(),
                used: HashSet::new(),
            });
        }
        let Block { written, copied, local, doubts, passed, unused, used } = &mut self.blocks[slot];
        written.clear();
        *copied = None;
        local.iter_mut().for_each(LocalBits::restart);
        passed.clear();
        unused.clear();
        used.clear();
        if self.doubtful {
            doubts.iter_mut().for_each(Doubts::clear);
            self.doubtful = self.blocks.iter().flat_map(|block| &block.doubts).any(|doubts| !doubts.is_empty());
        }
    }

    #[inline(always)]
    fn shared(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind) {
        let written = self.written(at);
        let missing = match kind.reads() {
            true => run.elements(|start, len| written.first_clear(start, len)),
            false => Vec::new(),
        };
        let holes = |element: &u64| (*element, written.clear_bits(*element, run.bytes.into()));
        let missing: Vec<(u64, u32)> = missing.iter().map(holes).collect();
        if kind.write {
            written.set(run.address, run.len());
        }
        for element in missing {
            self.unwritten(scene, at, run, element, (MemorySpace::Shared, None));
        }
    }

    fn distant(&mut self, scene: &mut Scene<'p>, at: &At<'_>, slot: usize, run: Run, kind: Kind) {
        let written = &mut self.blocks[slot].written;
        let missing = if kind.reads() { written.clear_bits(run.address, run.len()) } else { 0 };
        if kind.write {
            written.set(run.address, run.len());
        }
        if missing != 0 {
            self.unwritten(scene, at, run, (run.address, missing), (MemorySpace::Shared, None));
        }
    }

    #[inline(always)]
    fn global(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run, kind: Kind, (view, offset): (usize, u64)) {
        let Some(validity) = self.validities[view].filter(|validity| !validity.is_whole()) else { return };
        if kind.reads() {
            let base = self.plan.launch.views[view].base;
            let missing = |start: u64, len: u64| Some(validity.first_unwritten(start - base, len)? + base);
            for element in run.elements(missing) {
                let holes = validity.unwritten(element - base, run.bytes.into());
                self.unwritten(scene, at, run, (element, holes), (MemorySpace::Global, Some(view)));
            }
        }
        if kind.write {
            validity.write(offset, run.len());
        }
    }

    fn local(&mut self, scene: &mut Scene<'p>, at: &At<'_>, run: Run) {
        let (lane, address, len) = (run.lane as usize, run.address, run.len());
        let local = self.local_bits(at.warp);
        if address.saturating_add(len) > u64::from(at.warp.local_stride) {
            return;
        }
        let kind = at.access.map_or(Kind::READ, Kind::of);
        let missing = local.first_unwritten(lane, address, len).filter(|_| kind.reads());
        let holes = missing.map_or(0, |_| local.unwritten(lane, address, len));
        if kind.write {
            local.write(lane, address, len);
        }
        if missing.is_some() {
            self.unwritten(scene, at, run, (address, holes), (MemorySpace::Local, None));
        }
    }

    #[inline(always)]
    fn fits(&self, warp: &Warp<'_>, _: u32, write: bool, _: (u64, u64), runs: impl Iterator<Item = Run>) -> bool {
        let written = &self.blocks[warp.block().slot as usize].written;
        let mut runs = runs;
        write || written.is_whole() || runs.all(|run| written.first_clear(run.address, run.len()).is_none())
    }

    #[inline(always)]
    fn again(
        &mut self,
        _: &mut Scene<'p>,
        at: &At<'_>,
        kind: Kind,
        _: (u64, u64),
        runs: impl ExactSizeIterator<Item = Run> + Clone,
    ) {
        let written = self.written(at);
        if kind.write && !written.is_whole() {
            runs.for_each(|run| written.set(run.address, run.len()));
        }
    }

    fn copy_starts(&mut self, _: &mut Scene<'p>, at: &At<'_>, run: Run) {
        let shared_bytes = self.plan.launch.shared_bytes;
        let copied = self.blocks[at.slot()].copied.get_or_insert_with(|| Bits::new(shared_bytes));
        copied.set(run.address, run.len());
    }

    fn copy_lands(&mut self, _: &mut Scene<'p>, at: &At<'_>, run: Run) {
        self.written(at).set(run.address, run.len());
    }

    /// The local variables of a function are unwritten when lanes enter it.
    fn called(&mut self, warp: &Warp<'_>, function: u32) {
        let local = self.local_bits(warp);
        for &(_, start, size) in &warp.launch.image.functions[function as usize].locals {
            local.declare(warp.mask, u64::from(warp.local_base) + u64::from(start), size.min(LARGE_LOCAL).into());
        }
        let block = &mut self.blocks[warp.block().slot as usize];
        block.doubts[warp.index as usize].enter(warp.frame, warp.mask);
        if !block.passed.is_empty() {
            let (first, lanes) = (warp.index * 32, warp.mask);
            let is_new =
                |thread: u32| thread.checked_sub(first).is_some_and(|lane| lane < 32 && lanes >> lane & 1 == 1);
            let base = u64::from(warp.local_base);
            block.passed.retain(|&(thread, at), _| !(at >= base && thread.is_some_and(is_new)));
        }
    }

    #[inline(always)]
    fn follows(&self) -> bool {
        self.doubtful
    }

    fn executes(&mut self, scene: &mut Scene<'p>, warp: &Warp<'_>, pc: u32, mask: u32) {
        self.follow(scene, warp, pc, mask);
    }

    fn stores(&mut self, scene: &mut Scene<'p>, at: &At<'_>, addresses: &[u64; 32]) {
        self.store(scene, at, addresses);
    }

    fn divides_by_zero(&mut self, scene: &mut Scene<'p>, at: &At<'_>) {
        division::note(scene, at);
    }

    fn lanes_meet(&mut self, scene: &mut Scene<'p>, at: &At<'_>, event: &Event, brought: Option<&Brought>) {
        if self.doubtful && matches!(event, Event::Collective(c) if c.kind != CollectiveKind::Matrix) {
            self.exchange(at, brought);
        }
        let Some(brought) = brought else { return };
        if !matches!(event, Event::Collective(c) if c.kind == CollectiveKind::Shuffle) {
            return;
        }
        // A lane that is not in its own mask is reported for that, not for the value it gets.
        for lane in lanes_of(at.mask).filter(|&lane| brought.masks[lane] >> lane & 1 == 1) {
            let source = brought.sources[lane];
            let named = brought.masks[lane] >> source & 1 == 1;
            if at.mask >> source & 1 == 0 || !named {
                let chosen = collective::is_indexed(&scene.plan.program.code[at.pc as usize]);
                empty_lane(scene, (at.pc, at.thread(lane as u32)), source, named, chosen);
                break;
            }
        }
    }
}

/// Whether an instruction is of a compiler's header. Without optimisation, the objects there are copied with their gaps,
/// and empty ones too.
fn is_in_header(plan: &Plan<'_>, pc: u32) -> bool {
    let (image, origins) = (&plan.program.image, &plan.program.image.origins);
    let function = &image.functions[origins[pc as usize].function as usize];
    // What comes before the first line of a function is of that line.
    let mut lines = (pc..=function.end).map(|pc| origins[pc as usize]).map(|origin| origin.inner.or(origin.line));
    let line = lines.find_map(|line| line);
    line.and_then(|line| plan.program.file(line.file)).is_some_and(is_header)
}

#[cold]
fn empty_lane(scene: &mut Scene<'_>, at: (u32, Who), source: u32, named: bool, chosen: bool) {
    let seen = Sighting {
        // A step past the last lane of the mask is common if the result is not used.
        severity: if named || chosen { Severity::Error } else { Severity::Warning },
        ..Sighting::new(UNINITIALIZED, at, at.1.0 << 10 ^ u64::from(at.1.1))
    };
    scene.note(seen, |plan, seen| empty_lane_words(plan, seen, source, named));
}

/// A read of unwritten memory, or of memory that a copy is yet to write.
fn unwritten_words(plan: &Plan<'_>, seen: &Sighting, view: Option<usize>, (bytes, in_flight): (u32, bool)) -> Words {
    let space = seen.space.unwrap_or(MemorySpace::Global);
    let bytes = element(plan, seen.at.0).min(bytes);
    let (object, place) = object(plan, space, view, seen.address.unwrap_or(0), bytes);
    let (object, place) = match local_variable(plan, seen.at.0) {
        Some(name) if space == MemorySpace::Local => (Some(name.clone()), name),
        _ => (object, place),
    };
    let who = capital(&thread(plan, seen.at.1));
    let message = match in_flight {
        true => format!("{who} reads {place}, which an asynchronous copy that nobody has waited for is to write."),
        false => format!("{who} reads {place}, which nobody has written."),
    };
    let advice = match space {
        _ if in_flight => {
            "Let the threads that started the copy wait for it (__pipeline_wait_prior(), cp.async.wait_group), and then \
             all at a barrier."
        }
        MemorySpace::Shared => "Write all of it before it is read: shared memory is not zeroed.",
        MemorySpace::Local => "Give the array initial values.",
        MemorySpace::Global => "Write it or set it to zero before the launch: new device memory holds anything.",
    };
    (object, message, advice.to_owned())
}

/// A shuffle from a lane that provides nothing.
fn empty_lane_words(plan: &Plan<'_>, seen: &Sighting, source: u32, named: bool) -> Words {
    let why = if named { "does not take part" } else { "its mask does not name" };
    let message = format!("{} takes a value from lane {source}, which {why}.", capital(&thread(plan, seen.at.1)));
    let advice =
        "Name all lanes in the mask and let all of them execute the shuffle, or keep the source inside the mask.";
    (None, message, advice.to_owned())
}

/// The local variable that an instruction names; the compiler's own collection of them has no useful name.
fn local_variable(plan: &Plan<'_>, pc: u32) -> Option<String> {
    let name = access(plan, pc)?.variable.as_deref()?;
    (!name.starts_with("__local_depot")).then(|| names::plain_name(name))
}

//! What costs a kernel its time: for each subject, the estimate with it and without it.

use super::code::{Class, Code, Step};
use super::model::{Costs, Shape, Trips};
use super::subject::Subject;
use warpwise_gpu::Gpu;
use warpwise_model::{Bound, Estimate};

/// A cause that needs a smaller change is listed before those that cost more, if it costs at least this share,
const LEADS: f64 = 0.05;
/// and at least this share of the costliest.
const BESIDE: f64 = 0.15;
/// Blocks that a multiprocessor should have, if it can run them side by side.
const BLOCKS: f64 = 2.0;
/// Smaller shares are not reported.
const TOLD: f64 = 0.02;

/// Something that costs time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cause {
    pub(crate) subject: Subject,
    /// The share of the estimated time that would be saved without it.
    pub(crate) share: f64,
    /// The numbers that show it; what they mean depends on the subject.
    pub(crate) numbers: [f64; 3],
    /// The steps where it happens, the costliest first.
    pub(crate) steps: Vec<usize>,
}

impl Cause {
    /// What it weighs beside others: of a small grid, what a block for every multiprocessor would save.
    fn weight(&self) -> f64 {
        let [blocks, multiprocessors, _] = self.numbers;
        match self.subject {
            Subject::SmallGrid => self.share.min(1.0 - blocks / multiprocessors),
            _ => self.share,
        }
    }
}

/// A kernel to explain.
pub(crate) struct Case<'a> {
    pub(crate) code: &'a Code,
    pub(crate) costs: Costs,
    /// Shares of the time that replays without some causes save; the larger of both counts.
    pub(crate) savings: &'a [(Subject, f64)],
    /// The estimate of the launch, if its blocks were recorded.
    pub(crate) estimate: Option<&'a Estimate>,
    pub(crate) gpu: &'a Gpu,
}

impl Case<'_> {
    fn shape(&self) -> &Shape {
        &self.costs.shape
    }

    /// The cause with what would be saved at these costs. If the size of the grid follows from the data, the GPU is
    /// assumed to be full, so that the answer does not depend on the amount of data.
    fn saving(&self, subject: Subject, without: &Costs, numbers: [f64; 3], steps: Vec<usize>) -> Cause {
        self.saving_of(subject, without, numbers, steps, !self.strides())
    }

    /// Whether threads loop over global memory: then the number of blocks was a choice.
    fn strides(&self) -> bool {
        let trips = Trips::new(self.code, self.shape());
        self.code
            .steps
            .iter()
            .any(|s| s.counters.global_load_requests > 0 && s.inner.is_some() && trips.around(s) > 1.5)
    }

    fn saving_of(&self, subject: Subject, without: &Costs, numbers: [f64; 3], steps: Vec<usize>, full: bool) -> Cause {
        let now = self.costs.cycles(self.gpu, full);
        let share = if now > 0.0 { (1.0 - without.cycles(self.gpu, full) / now).max(0.0) } else { 0.0 };
        let replayed = self.savings.iter().find(|(known, _)| *known == subject).map_or(0.0, |(_, share)| *share);
        Cause { subject, share: share.max(replayed), numbers, steps }
    }

    /// Steps ordered by a cost function, the costliest first, without those that cost nothing.
    fn worst(&self, cost: impl Fn(&Step) -> f64) -> Vec<usize> {
        let mut steps: Vec<usize> = (0..self.code.steps.len()).filter(|&at| cost(&self.code.steps[at]) > 0.0).collect();
        steps.sort_by(|&a, &b| cost(&self.code.steps[b]).total_cmp(&cost(&self.code.steps[a])));
        steps
    }

    /// Lanes per warp in a launch: fewer than 32 if blocks do not fill their warps.
    fn lanes(&self) -> f64 {
        self.code.steps.first().map_or(32.0, |s| if s.warps() > 0.0 { s.threads() / s.warps() } else { 32.0 })
    }

    /// The share of a step's cost that goes into deciding which lanes of a warp do something.
    fn deciding(&self) -> Vec<f64> {
        let mut part = vec![0.0f64; self.code.steps.len()];
        for (at, step) in self.code.steps.iter().enumerate() {
            if step.counters.divergent_branches > 0 {
                let often = step.counters.divergent_branches as f64 / step.warps();
                for before in self.code.decided_by(at) {
                    part[before] = part[before].max(often);
                }
            }
        }
        part
    }

    fn divergence(&self) -> Cause {
        let lanes = self.lanes().max(1.0);
        let lost = |s: &Step| (s.warps() - s.threads() / lanes).max(0.0) * s.slots;
        let deciding = self.deciding();
        let decisions: f64 = self.code.steps.iter().zip(&deciding).map(|(s, part)| s.issued() * part).sum();
        let mut without = self.costs.clone();
        without.issued -= self.code.sum(lost) + decisions;
        without.chain -= Costs::chain_of(self.code, self.shape(), |at, _| deciding[at]);
        let steps = self.worst(|s| s.counters.divergent_branches as f64);
        let branch = steps.first().map(|&at| &self.code.steps[at]);
        let often = branch.map_or(0.0, |s| s.counters.divergent_branches as f64 / s.warps());
        // Lanes that remain where many of them are lost.
        let sparse = |s: &Step| s.threads() < 0.75 * lanes * s.warps();
        let of_sparse = |value: fn(&Step) -> f64| self.code.sum(|s| if sparse(s) { value(s) } else { 0.0 });
        let active = match of_sparse(Step::warps) {
            // Lanes are lost a few at a time, and nowhere many at once.
            0.0 => self.code.sum(Step::threads) / self.code.sum(Step::warps).max(1.0),
            warps => of_sparse(Step::threads) / warps,
        };
        let all = self.code.sum(|s| s.counters.divergent_branches as f64);
        let cause = self.saving(Subject::Divergence, &without, [often, active, all], steps);
        Cause { share: cause.share * self.issue_counts(), ..cause }
    }

    /// The share of the time in which fewer instructions would make it shorter: where something else holds the launch, that
    /// in which instructions are issued.
    fn issue_counts(&self) -> f64 {
        match self.estimate {
            Some(estimate) if matches!(estimate.bound, Bound::Blocks | Bound::Memory | Bound::L2) => {
                estimate.issue_percent / 100.0
            }
            _ => 1.0,
        }
    }

    fn uncoalesced(&self) -> Cause {
        let least = |s: &Step| least_sectors(s);
        let excess =
            |s: &Step| ((s.counters.global_load_sectors + s.counters.global_store_sectors) as f64 - least(s)).max(0.0);
        let mut without = self.costs.clone();
        without.sectors -= self.code.sum(excess);
        without.bytes = without.bytes.min(without.sectors * 32.0);
        let steps = self.worst(excess);
        let requests = |s: &Step| (s.counters.global_load_requests + s.counters.global_store_requests).max(1) as f64;
        let worst = steps.first().map(|&at| &self.code.steps[at]);
        let each = worst.map_or(0.0, |s| (excess(s) + least(s)) / requests(s));
        let ideal = worst.map_or(0.0, |s| least(s) / requests(s));
        self.saving(Subject::Uncoalesced, &without, [each, ideal, self.code.sum(excess)], steps)
    }

    fn conflicts(&self) -> Cause {
        let excess = |s: &Step| (s.counters.shared_load_conflicts + s.counters.shared_store_conflicts) as f64;
        let mut without = self.costs.clone();
        without.conflicts = 0.0;
        let requests = self.code.sum(|s| (s.counters.shared_load_requests + s.counters.shared_store_requests) as f64);
        let passes = (self.costs.shared + self.costs.conflicts) / requests.max(1.0);
        self.saving(Subject::BankConflicts, &without, [self.costs.conflicts, passes, requests], self.worst(excess))
    }

    fn contention(&self) -> Cause {
        let mut without = self.costs.clone();
        (without.shared_collisions, without.global_collisions) = (0.0, 0.0);
        let met = self.costs.shared_collisions + self.costs.global_collisions;
        let lanes = self
            .code
            .sum(|s| if matches!(s.class, Class::SharedAtomic | Class::GlobalAtomic) { s.threads() } else { 0.0 });
        let most = self.code.steps.iter().map(|s| s.counters.atomic_contention as f64).fold(0.0, f64::max);
        let steps = self.worst(|s| s.counters.atomic_collisions as f64);
        self.saving(Subject::AtomicContention, &without, [met / lanes.max(1.0), most, met], steps)
    }

    fn partial_warps(&self) -> Cause {
        let lanes = self.lanes();
        let mut without = self.costs.clone();
        let part = lanes / 32.0;
        without.issued *= part;
        without.shared *= part;
        without.shape.blocks *= part;
        self.saving(Subject::PartialWarps, &without, [lanes, self.shape().threads, 0.0], Vec::new())
    }

    /// Threads that load data and do nothing with it. If every operation on data is within a loop whose rounds have
    /// work for few threads, each thread could start with two elements: half the threads would do the same work.
    fn idle_threads(&self) -> Option<Cause> {
        let trips = Trips::new(self.code, self.shape());
        let threads = self.shape().blocks * self.shape().threads;
        let share = |s: &Step| s.threads() / threads / trips.around(s);
        let working = || self.code.steps.iter().filter(|s| s.works && s.threads() > 0.0);
        let most = working().map(share).fold(0.0, f64::max);
        let loads = self.code.sum(|s| s.counters.global_load_requests as f64);
        if most > 0.75 || loads == 0.0 || working().next().is_none() {
            return None;
        }
        let operations = self.code.sum(|s| if s.works && s.class == Class::Arithmetic { s.threads() } else { 0.0 });
        let busy = most.max(0.5);
        let mut without = self.costs.clone();
        without.issued *= busy;
        without.shared *= busy;
        without.conflicts *= busy;
        without.shape.blocks *= busy;
        let steps = self.worst(|s| if s.works { s.threads() } else { 0.0 });
        Some(self.saving(Subject::IdleThreads, &without, [most, operations / threads, busy], steps))
    }

    /// What loops cost beside the work: unrolling would remove it. For a loop over global memory half would remain,
    /// because every load needs addresses and bounds; and loops before and after it run once for all the data that it
    /// loads.
    fn overhead(&self) -> Cause {
        let loading = self.loading_loops();
        let within = |l: usize| {
            let (head, end) = self.code.loops[l];
            let around = self.code.loops.iter().zip(&loading).filter(|(_, loads)| **loads);
            around.into_iter().any(|((h, e), _)| *h <= head && end <= *e)
        };
        let strides = self.strides();
        let once: Vec<bool> = (0..loading.len()).map(|l| strides && !within(l)).collect();
        let deciding = self.deciding();
        let beside = |s: &Step| {
            let plain = matches!(s.class, Class::Arithmetic | Class::Move | Class::Control);
            match s.inner {
                Some(l) if once[l] || !plain || s.works => 0.0,
                Some(l) if loading[l] => 0.5,
                Some(_) => 1.0,
                None => 0.0,
            }
        };
        let mut without = self.costs.clone();
        let parts = self.code.steps.iter().zip(&deciding);
        without.issued -= parts.map(|(s, part)| s.issued() * beside(s) * (1.0 - part)).sum::<f64>();
        without.chain -= Costs::chain_of(self.code, self.shape(), |at, s| beside(s) * (1.0 - deciding[at]));
        let all = self.costs.issued.max(1.0);
        let overhead = |s: &Step| if beside(s) > 0.0 { s.issued() } else { 0.0 };
        let working = self.code.sum(|s| if s.works { s.issued() } else { 0.0 });
        let barriers = self.code.sum(|s| if s.class == Class::Barrier && s.inner.is_some() { s.warps() } else { 0.0 });
        let numbers = [self.code.sum(overhead) / all, working / all, barriers];
        self.saving(Subject::InstructionOverhead, &without, numbers, self.worst(overhead))
    }

    /// Which loops load from global memory.
    fn loading_loops(&self) -> Vec<bool> {
        let loads =
            |l: usize| self.code.steps.iter().any(|s| s.inner == Some(l) && s.counters.global_load_requests > 0);
        (0..self.code.loops.len()).map(loads).collect()
    }

    fn barriers(&self) -> Cause {
        let mut without = self.costs.clone();
        without.chain_barriers = 0.0;
        let at = |s: &Step| if s.class == Class::Barrier { s.warps() } else { 0.0 };
        let each = self.code.sum(at) / (self.shape().blocks * self.shape().warps);
        self.saving(Subject::Barriers, &without, [each, self.shape().warps, 0.0], self.worst(at))
    }

    /// What threads do once for all their elements: if each had eight times as many, an eighth of it would remain.
    fn work_per_thread(&self) -> Cause {
        const MORE: f64 = 8.0;
        let moves = |s: &Step| s.counters.global_load_requests + s.counters.global_store_requests > 0;
        let streaming =
            |l: usize| self.code.steps.iter().any(|s| s.inner == Some(l) && s.counters.global_load_requests > 0);
        // A loop without a barrier works on a thread's own data, as one inside a loop over memory does; a tree over the
        // block is work that a thread does once.
        let waits = |l: usize| self.code.steps.iter().any(|s| s.inner == Some(l) && s.class == Class::Barrier);
        let inside = |l: usize, outer: usize| {
            let ((head, end), (first, last)) = (self.code.loops[l], self.code.loops[outer]);
            first <= head && end <= last && streaming(outer)
        };
        let all = 0..self.code.loops.len();
        let own = |l: usize| streaming(l) || !waits(l) || all.clone().any(|outer| inside(l, outer));
        let loops: Vec<bool> = all.clone().map(own).collect();
        let (mut issued, mut chain) = (0.0, 0.0);
        let trips = Trips::new(self.code, self.shape());
        // An access outside such a loop needs its address and one operation on the loaded value.
        const EACH: f64 = 6.0;
        for step in &self.code.steps {
            if step.inner.is_some_and(|l| loops[l]) {
                issued += step.issued();
                chain += Costs::chain_of_step(step, &trips, self.shape());
            } else if moves(step) {
                issued += step.warps() * EACH;
                chain += EACH * Costs::chain_of_step(step, &trips, self.shape());
            }
        }
        let keep = |part: f64, whole: f64| part.min(whole) + (whole - part).max(0.0) / MORE;
        let mut without = self.costs.clone();
        without.issued = keep(issued, self.costs.issued);
        without.shared /= MORE;
        without.conflicts /= MORE;
        without.chain = keep(chain, self.costs.chain);
        without.chain_barriers /= MORE;
        let threads = self.shape().blocks * self.shape().threads;
        let bytes = self.code.sum(|s| s.counters.global_load_bytes as f64) / threads;
        let instructions = self.code.sum(Step::threads) / threads;
        self.saving_of(Subject::WorkPerThread, &without, [bytes, instructions, 0.0], Vec::new(), false)
    }

    fn loads_in_flight(&self) -> Cause {
        const MORE: f64 = 4.0;
        let mut without = self.costs.clone();
        without.chain_loads /= MORE;
        let requests = |s: &Step| s.counters.global_load_requests as f64;
        let steps = self.worst(requests);
        // Of a lane that loads: where few lanes are active, a request is not 32 of them.
        let first = steps.first().map(|&at| &self.code.steps[at]);
        let bytes = first.map_or(0.0, |s| s.counters.global_load_bytes as f64 / s.threads().max(1.0));
        let resident = self.shape().resident.min((self.shape().blocks / self.costs.used(self.gpu)).ceil());
        let numbers = [self.code.loads_together(), bytes, resident * self.shape().warps];
        self.saving_of(Subject::LoadsInFlight, &without, numbers, steps, false)
    }

    fn occupancy(&self) -> Cause {
        let mut without = self.costs.clone();
        without.shape.resident = self.shape().possible;
        let numbers = [self.shape().occupancy(self.gpu), self.shape().resident, self.shape().possible];
        self.saving(Subject::Occupancy, &without, numbers, Vec::new())
    }

    fn small_grid(&self) -> Option<Cause> {
        let sms = f64::from(self.gpu.sms);
        let blocks = self.shape().blocks;
        // Beside a block that leaves the multiprocessor idle half of the time, another one takes no time of its own.
        let busy = self.estimate.map_or(100.0, |e| e.compute_percent.max(e.memory_percent)).max(1.0);
        let share = 1.0 - blocks / (sms * (100.0 / busy).clamp(1.0, BLOCKS));
        let numbers = [blocks, sms, 0.0];
        (blocks < sms).then_some(Cause { subject: Subject::SmallGrid, share, numbers, steps: Vec::new() })
    }

    /// Where the time goes when nothing is wasted.
    fn limit(&self) -> Cause {
        let terms = self.costs.terms(self.gpu, false);
        let all = terms.cycles().max(1.0);
        let (subject, part) = if terms.memory >= terms.issue {
            (Subject::Bandwidth, terms.memory)
        } else {
            (Subject::Compute, terms.issue)
        };
        Cause { subject, share: part / all, numbers: [self.costs.bytes, self.costs.issued, 0.0], steps: Vec::new() }
    }

    /// Everything that costs time, and finally the limit without it.
    pub(crate) fn causes(&self) -> Vec<Cause> {
        let mut causes = vec![
            self.divergence(),
            self.uncoalesced(),
            self.conflicts(),
            self.contention(),
            self.partial_warps(),
            self.overhead(),
            self.barriers(),
            self.loads_in_flight(),
            self.occupancy(),
        ];
        // A kernel that goes over its data in a loop has been given as much as there is.
        if !self.strides() {
            causes.push(self.work_per_thread());
        }
        causes.extend(self.idle_threads());
        causes.extend(self.small_grid());
        causes.retain(|c| c.share >= TOLD);
        causes.push(self.limit());
        causes
    }
}

/// Causes that matter are ordered by the size of the change they need, the smallest first, and then by their cost;
/// the others follow.
pub(crate) fn order(causes: &mut [(usize, Cause)]) {
    let of_kernels = causes.iter().filter(|(_, c)| c.subject != Subject::Launches);
    let leads = LEADS.max(BESIDE * of_kernels.map(|(_, c)| c.weight()).fold(0.0, f64::max));
    let key = |c: &Cause| if c.share >= leads { c.subject.step() } else { u8::MAX };
    causes.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)).then(b.share.total_cmp(&a.share)));
}

/// Sectors that the bytes of a step need: at least one for every request.
pub(crate) fn least_sectors(step: &Step) -> f64 {
    let c = &step.counters;
    let least = |requests: u64, bytes: u64| (bytes as f64 / 32.0).max(requests as f64);
    least(c.global_load_requests, c.global_load_bytes) + least(c.global_store_requests, c.global_store_bytes)
}

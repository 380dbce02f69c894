//! Executing an instruction that an observer wants to hear of.

use super::interpret::Pause;
use super::watcher::Watcher;
use crate::image::MatrixOp;
use crate::image::event::{Access, CollectiveKind, Division, Event};
use crate::lanes::{Flow, Level, Op, collective, control, lanes_of, load_store, matrix, mbarrier, wgmma};
use crate::program::Program;
use crate::warp::Warp;

impl Warp<'_> {
    /// The loop for an observer, compiled for the host's vector instructions, which it uses to compare addresses.
    pub(super) fn interpret_observed<O: Watcher>(&mut self, program: &Program, observer: &mut O) -> Pause {
        match observer.level() {
            Level::Base => self.interpret(program, observer),
            // SAFETY: the host was found to have this level.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { interpret_avx2(self, program, observer) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { interpret_avx512(self, program, observer) },
        }
    }

    /// Executes an instruction and reports it to the observer.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`]; `mask` may be empty.
    #[inline(always)]
    pub(super) unsafe fn observed<O: Watcher>(
        &mut self,
        program: &Program,
        op: &Op,
        mask: u32,
        observer: &mut O,
    ) -> Flow {
        let pc = self.pc;
        // SAFETY: passed on to the caller.
        unsafe {
            if observer.brief(self, op, pc, mask) {
                self.eventful(&program.events[pc as usize], op, mask, pc, observer)
            } else if mask == 0 {
                Flow::Next
            } else {
                (op.run)(self, op, mask)
            }
        }
    }

    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn eventful<O: Watcher>(&mut self, event: &Event, op: &Op, mask: u32, pc: u32, observer: &mut O) -> Flow {
        // SAFETY: passed on to the caller; the event was made from this instruction.
        unsafe {
            match event {
                Event::Access(access) => {
                    observer.accesses(self, op, pc, access, mask);
                }
                Event::Branch | Event::BranchTable => {
                    observer.branches(self, pc, mask);
                    let before = self.mask;
                    let flow = (op.run)(self, op, mask);
                    observer.branched(pc, flow == Flow::Jump && self.mask != before);
                    return flow;
                }
                Event::Copy(copy) => {
                    let copies = load_store::copy_lanes(self, op);
                    observer.copy(self, pc, copy.bytes, mask, &copies);
                }
                Event::Phase(access) => observer.accesses(self, op, pc, access, mask),
                Event::BulkCopy(access) => self.bulk_copies(op, mask, pc, access, observer),
                Event::Warpgroup(access) => return self.warpgroup(op, mask, pc, event, access, observer),
                Event::MatrixAccess(access) => return self.matrix_access(op, mask, pc, event, access, observer),
                Event::Barrier(barrier) => {
                    let (id, count) = control::barrier_operands(self, op, mask);
                    observer.arrives(self, pc, *barrier, id, count, mask);
                    return self.completing(op, mask, observer);
                }
                Event::ClusterArrive => {
                    observer.cluster_arrives(pc);
                    return self.completing(op, mask, observer);
                }
                Event::Exit | Event::Return if O::SYNC && (matches!(event, Event::Exit) || self.frame == 0) => {
                    observer.exits(self, pc, mask);
                    return self.completing(op, mask, observer);
                }
                Event::WarpBarrier | Event::Collective(_) if O::SYNC => {
                    return self.gathering(op, mask, pc, event, observer);
                }
                Event::Call => {
                    let frame = self.frame;
                    let flow = (op.run)(self, op, mask);
                    if flow == Flow::Jump && self.frame != frame {
                        observer.called(self, self.frames.get(self.frame).function);
                    }
                    return flow;
                }
                Event::Fence(order, scope) => observer.fence(self, pc, *order, *scope, mask),
                Event::Division(division) => {
                    let zeros = self.zeros(*division, mask);
                    if zeros != 0 {
                        observer.divides_by_zero(self, pc, zeros);
                    }
                }
                Event::CopyCommit => observer.copy_commit(self, mask),
                Event::CopyWait(pending) => observer.copy_wait(self, mask, *pending),
                Event::CopyArrive(access) => {
                    observer.copy_wait(self, mask, None);
                    observer.accesses(self, op, pc, access, mask);
                }
                _ => {}
            }
            (op.run)(self, op, mask)
        }
    }

    /// The lanes whose divisor is zero.
    ///
    /// # Safety
    /// The warp must be at the instruction that the division was made from.
    unsafe fn zeros(&self, division: Division, mask: u32) -> u32 {
        let Division { divisor, bytes } = division;
        let is_zero = |lane: &usize| {
            // SAFETY: by contract, and the decoder chose a slot of that width.
            unsafe {
                match bytes {
                    2 => *self.slot::<u16>(divisor).add(*lane) == 0,
                    4 => *self.slot::<u32>(divisor).add(*lane) == 0,
                    _ => *self.slot::<u64>(divisor).add(*lane) == 0,
                }
            }
        };
        lanes_of(mask).filter(is_zero).fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// An access failed: finishes it for the other lanes if the address is to blame and the observer lets the kernel go
    /// on; else false, with the trouble left as it is.
    #[cold]
    pub(super) fn passes<O: Watcher>(&mut self, program: &Program, observer: &mut O) -> bool {
        let op = &program.code[self.pc as usize];
        let copies = match &program.events[self.pc as usize] {
            Event::Access(_) => false,
            Event::CopyWait(_) => true,
            _ => return false,
        };
        // SAFETY: the guard is a predicate of the running frame, and no access changes it.
        let mut lanes = self.mask & (unsafe { self.pred(op.guard) } ^ op.flip);
        while let Some(trouble) = self.trouble.take() {
            if !trouble.is_bad_address() || !observer.passes(self, &trouble) {
                self.trouble = Some(trouble);
                return false;
            }
            if !copies {
                lanes &= !(u32::MAX >> (31 - trouble.lane as u32 % 32));
            }
            if lanes != 0 {
                // SAFETY: the warp is still at the instruction, and these lanes have yet to execute it.
                unsafe { (op.run)(self, op, lanes) };
            }
        }
        true
    }

    /// Executes an instruction that may complete barriers, and reports those it completed.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn completing<O: Watcher>(&mut self, op: &Op, mask: u32, observer: &mut O) -> Flow {
        if !O::SYNC {
            // SAFETY: passed on to the caller.
            return unsafe { (op.run)(self, op, mask) };
        }
        let before = self.block().barriers.map(|b| b.generation);
        let cluster = self.cluster().barrier.generation;
        // SAFETY: passed on to the caller.
        let flow = unsafe { (op.run)(self, op, mask) };
        let block = self.block();
        for (id, (barrier, before)) in block.barriers.iter().zip(before).enumerate() {
            if barrier.generation != before {
                observer.barrier_completes(block, id as u32);
            }
        }
        if self.cluster().barrier.generation != cluster {
            observer.cluster_completes(self.cluster());
        }
        flow
    }

    /// Executes a warp-wide operation.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn gathering<O: Watcher>(&mut self, op: &Op, mask: u32, pc: u32, event: &Event, observer: &mut O) -> Flow {
        // SAFETY: passed on to the caller.
        let flow = unsafe {
            let members = match event {
                Event::WarpBarrier | Event::Collective(_) if !is_matrix(event) => collective::union(self, op, mask),
                _ => u32::MAX,
            };
            observer.gathers(self, pc, event, mask, members);
            self.together = mask;
            (op.run)(self, op, mask)
        };
        if flow == Flow::Next {
            observer.gathered(self, pc, event, self.together);
        }
        flow
    }

    /// Executes a matrix access: a warp-wide operation whose addresses must be read before it writes its registers.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn matrix_access<O: Watcher>(
        &mut self,
        op: &Op,
        mask: u32,
        pc: u32,
        event: &Event,
        access: &Access,
        observer: &mut O,
    ) -> Flow {
        let mut accesses = Vec::new();
        // SAFETY: passed on to the caller.
        unsafe {
            matrix::accesses(self, op, access, |addresses, bytes| accesses.push((addresses, bytes)));
        }
        self.together = mask;
        if O::SYNC {
            observer.gathers(self, pc, event, mask, u32::MAX);
        }
        // SAFETY: passed on to the caller.
        let flow = unsafe { (op.run)(self, op, mask) };
        if flow == Flow::Next {
            let lanes = self.together & access.lanes;
            for (addresses, bytes) in &accesses {
                observer.access(self, pc, access, *bytes, lanes, addresses);
            }
            if O::SYNC {
                observer.gathered(self, pc, event, self.together);
            }
        }
        flow
    }

    /// Reports the bulk copies that lanes start.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn bulk_copies<O: Watcher>(&self, op: &Op, mask: u32, pc: u32, object: &Access, observer: &mut O) {
        for lane in lanes_of(mask) {
            // SAFETY: passed on to the caller.
            let copy = unsafe { mbarrier::bulk_of(self, op, lane) };
            observer.bulk_copy(self, pc, lane as u32, &copy, object);
        }
    }

    /// Executes a warp's part of a four-warp product.
    ///
    /// # Safety
    /// As for [`crate::lanes::Handler`].
    unsafe fn warpgroup<O: Watcher>(
        &mut self,
        op: &Op,
        mask: u32,
        pc: u32,
        event: &Event,
        access: &Access,
        observer: &mut O,
    ) -> Flow {
        if O::SYNC {
            observer.gathers(self, pc, event, mask, u32::MAX);
        }
        // SAFETY: passed on to the caller.
        let flow = unsafe { (op.run)(self, op, mask) };
        if flow != Flow::Next {
            return flow;
        }
        if let MatrixOp::Warpgroup(mma) = &self.launch.image.matrix_ops[op.aux as usize] {
            // SAFETY: passed on to the caller; the descriptors are no registers that it writes.
            unsafe {
                wgmma::pieces(self, op, mma, |lanes, addresses| {
                    observer.access(self, pc, access, access.bytes, lanes, &addresses);
                });
            }
        }
        if O::SYNC {
            observer.gathered(self, pc, event, u32::MAX);
        }
        flow
    }
}

/// # Safety
/// The host must have these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn interpret_avx2<O: Watcher>(warp: &mut Warp<'_>, program: &Program, observer: &mut O) -> Pause {
    warp.interpret(program, observer)
}

/// # Safety
/// The host must have these instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c")]
unsafe fn interpret_avx512<O: Watcher>(warp: &mut Warp<'_>, program: &Program, observer: &mut O) -> Pause {
    warp.interpret(program, observer)
}

fn is_matrix(event: &Event) -> bool {
    matches!(event, Event::Collective(c) if c.kind == CollectiveKind::Matrix)
}

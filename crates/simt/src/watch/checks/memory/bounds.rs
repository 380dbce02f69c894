//! The bounds that the accesses of an instruction must stay within.

use std::ops::Range;

use super::super::names::SharedVariable;
use super::provenance::{Base, bases};
use crate::memory;
use crate::program::Program;
use crate::warp::Context;

/// The bounds that the accesses of an instruction must stay within.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Offsets in shared memory.
    Shared(u64, u64),
    /// Offsets in the running activation's part of local memory.
    Local(u64, u64),
    /// Addresses in the allocation of that number among the views.
    Global(usize),
}

/// The bases of the addresses of each instruction.
struct Bases(Vec<Option<Base>>);

/// The bounds of the instructions in these ranges, by program counter.
pub(super) fn bounds(
    program: &Program,
    launch: &Context<'_>,
    shared: &[SharedVariable],
    ranges: &[Range<u32>],
) -> Vec<Option<Bounds>> {
    let params = launch.views.iter().find(|v| v.base == memory::PARAM);
    let allocation = |address: u64| {
        let at = launch.views.partition_point(|v| v.base <= address).checked_sub(1)?;
        let view = launch.views[at];
        (memory::is_global(view.base) && address < view.end).then_some(Bounds::Global(at))
    };
    let bound = |pc: usize, base: &Base| match base {
        Base::Shared(key) => {
            let variable = shared.iter().find(|v| v.key == *key)?;
            Some(Bounds::Shared(variable.start, variable.end))
        }
        Base::Argument(offset) => {
            let params = params.filter(|p| u64::from(*offset) + 8 <= p.end - p.base)?;
            // SAFETY: the parameter block is as long as the view says, and nobody writes to it.
            let address = unsafe { params.host.add(*offset as usize).cast::<u64>().read_unaligned() };
            allocation(address)
        }
        Base::Local(number) => {
            let function = program.image.origins.get(pc)?.function;
            let &(_, start, size) =
                program.image.functions[function as usize].locals.iter().find(|(n, ..)| n == number)?;
            Some(Bounds::Local(start.into(), u64::from(start) + u64::from(size)))
        }
        // Variables are separate allocations, with nothing next to them.
        Base::Variable(_) => None,
    };
    let bases = &program.analysis(|program| Bases(bases(program.module()))).0;
    let mut all = vec![None; bases.len()];
    for pc in ranges.iter().cloned().flatten().map(|pc| pc as usize) {
        if let Some(Some(base)) = bases.get(pc) {
            all[pc] = bound(pc, base);
        }
    }
    all
}

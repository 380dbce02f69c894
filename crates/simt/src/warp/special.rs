//! The values of special registers.

use super::Warp;
use crate::image::Special;
use crate::lane::LANES;

impl Special {
    /// Whether it changes from block to block.
    pub(super) fn changes(self) -> bool {
        matches!(self, Self::Ctaid(_) | Self::ClusterId(_) | Self::SmId)
    }

    /// Its values in a warp.
    pub(super) fn lanes(self, warp: &Warp<'_>) -> [u64; LANES] {
        let cx = warp.launch;
        let block = warp.block_index();
        let by_lane = |f: &dyn Fn(usize) -> u64| std::array::from_fn(f);
        let all = |v: u64| [v; LANES];
        let warps = cx.threads().div_ceil(LANES as u32);
        match self {
            Self::Tid(axis) => by_lane(&|lane| u64::from(warp.thread_index(lane)[axis])),
            Self::Ntid(axis) => all(cx.block[axis].into()),
            Self::Ctaid(axis) | Self::ClusterId(axis) => all(block[axis].into()),
            Self::Nctaid(axis) | Self::NclusterId(axis) => all(cx.grid[axis].into()),
            Self::LaneId => by_lane(&|lane| lane as u64),
            Self::WarpId => all(warp.index.into()),
            Self::NwarpId => all(warps.into()),
            Self::SmId => all(cx.linear_block(block) % u64::from(cx.sms)),
            Self::NsmId => all(cx.sms.into()),
            Self::GridId => all(1),
            Self::LaneMaskEq => by_lane(&|lane| 1 << lane),
            Self::LaneMaskLe => by_lane(&|lane| (2u64 << lane) - 1),
            Self::LaneMaskLt => by_lane(&|lane| (1u64 << lane) - 1),
            Self::LaneMaskGe => by_lane(&|lane| u64::from(u32::MAX << lane)),
            Self::LaneMaskGt => by_lane(&|lane| 0xffff_ffff & (0xffff_fffe << lane)),
            Self::DynamicShared => all(cx.dynamic_shared.into()),
            Self::TotalShared => all(cx.shared_bytes.into()),
            Self::Zero => all(0),
            Self::One => all(1),
        }
    }
}

//! The values of special registers.

use super::Warp;
use crate::image::Special;
use crate::lane::LANES;

impl Special {
    /// Whether it changes from block to block.
    pub(super) fn changes(self) -> bool {
        matches!(self, Self::Ctaid(_) | Self::ClusterId(_) | Self::ClusterCtaid(_) | Self::ClusterRank | Self::SmId)
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
            Self::Ctaid(axis) => all(block[axis].into()),
            Self::Nctaid(axis) => all(cx.grid[axis].into()),
            Self::ClusterId(axis) => all((block[axis] / cx.cluster[axis]).into()),
            Self::NclusterId(axis) => all((cx.grid[axis] / cx.cluster[axis]).into()),
            Self::ClusterCtaid(axis) => all((block[axis] % cx.cluster[axis]).into()),
            Self::ClusterNctaid(axis) => all(cx.cluster[axis].into()),
            Self::ClusterRank => all(warp.block().rank.into()),
            Self::ClusterBlocks => all(cx.cluster_blocks().into()),
            Self::ClusterIsExplicit => all(cx.explicit_cluster.into()),
            Self::WorkspaceHigh => all(cx.workspace >> 32),
            Self::WorkspaceLow => all(cx.workspace & 0xffff_ffff),
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
        }
    }
}

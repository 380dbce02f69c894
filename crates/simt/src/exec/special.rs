//! Special registers: where a thread is in its warp, block and grid.

use super::warp::Warp;
use crate::lanes::LANES;

/// A special register that keeps its value while a block runs. They are ordinary slots of the frame, filled when the
/// block starts, so reading one costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    GridId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    DynamicShared,
    TotalShared,
    ClusterId(usize),
    NclusterId(usize),
    Zero,
    One,
}

impl Special {
    /// The special register of that name and its width in bytes, where it is one of the constant ones.
    pub(crate) fn parse(name: &str) -> Option<(Self, u32)> {
        let (head, axis) = match name.split_once('.') {
            Some((head, "x")) => (head, Some(0)),
            Some((head, "y")) => (head, Some(1)),
            Some((head, "z")) => (head, Some(2)),
            Some((_, "w")) => return Some((Self::Zero, 4)),
            Some(_) => return None,
            None => (name, None),
        };
        let special = match (head, axis) {
            ("tid", Some(k)) => Self::Tid(k),
            ("ntid", Some(k)) => Self::Ntid(k),
            ("ctaid", Some(k)) => Self::Ctaid(k),
            ("nctaid", Some(k)) => Self::Nctaid(k),
            ("clusterid", Some(k)) => Self::ClusterId(k),
            ("nclusterid", Some(k)) => Self::NclusterId(k),
            ("cluster_ctaid", Some(_)) => Self::Zero,
            ("cluster_nctaid", Some(_)) => Self::One,
            ("cluster_ctarank", None) => Self::Zero,
            ("cluster_nctarank", None) => Self::One,
            ("laneid", None) => Self::LaneId,
            ("warpid", None) => Self::WarpId,
            ("nwarpid", None) => Self::NwarpId,
            ("smid", None) => Self::SmId,
            ("nsmid", None) => Self::NsmId,
            ("gridid", None) => return Some((Self::GridId, 8)),
            ("lanemask_eq", None) => Self::LaneMaskEq,
            ("lanemask_le", None) => Self::LaneMaskLe,
            ("lanemask_lt", None) => Self::LaneMaskLt,
            ("lanemask_ge", None) => Self::LaneMaskGe,
            ("lanemask_gt", None) => Self::LaneMaskGt,
            ("dynamic_smem_size", None) => Self::DynamicShared,
            ("total_smem_size" | "aggr_smem_size", None) => Self::TotalShared,
            _ if head.starts_with("envreg") && axis.is_none() => Self::Zero,
            _ if head.starts_with("pm") && axis.is_none() => Self::Zero,
            _ => return None,
        };
        Some((special, 4))
    }

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

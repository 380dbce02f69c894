//! Special registers: where a thread is in its warp, block and grid.

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
    /// A block's place in its cluster.
    ClusterCtaid(usize),
    ClusterNctaid(usize),
    ClusterRank,
    ClusterBlocks,
    /// Whether the launch states clusters.
    ClusterIsExplicit,
    /// The address of a cooperative grid's workspace, by halves: the higher and the lower.
    WorkspaceHigh,
    WorkspaceLow,
    Zero,
}

impl Special {
    /// The special register of that name and its width in bytes, if it is one of the constant ones.
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
            ("cluster_ctaid", Some(k)) => Self::ClusterCtaid(k),
            ("cluster_nctaid", Some(k)) => Self::ClusterNctaid(k),
            ("cluster_ctarank", None) => Self::ClusterRank,
            ("cluster_nctarank", None) => Self::ClusterBlocks,
            ("is_explicit_cluster", None) => Self::ClusterIsExplicit,
            ("envreg1", None) => Self::WorkspaceHigh,
            ("envreg2", None) => Self::WorkspaceLow,
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
}

//! The special registers of the ISA.

/// True for the name of a special register, without the percent sign and without an element.
pub(crate) fn is_special(name: &str) -> bool {
    is_vector(name)
        || matches!(
            name,
            "laneid"
                | "warpid"
                | "nwarpid"
                | "smid"
                | "nsmid"
                | "gridid"
                | "lanemask_eq"
                | "lanemask_le"
                | "lanemask_lt"
                | "lanemask_ge"
                | "lanemask_gt"
                | "clock"
                | "clock_hi"
                | "clock64"
                | "globaltimer"
                | "globaltimer_lo"
                | "globaltimer_hi"
                | "dynamic_smem_size"
                | "total_smem_size"
                | "aggr_smem_size"
                | "is_explicit_cluster"
                | "cluster_ctarank"
                | "cluster_nctarank"
                | "current_graph_exec"
        )
        || name.strip_prefix("reserved_smem_offset_").is_some_and(|rest| !rest.is_empty())
        || name.strip_prefix("envreg").is_some_and(|rest| below(rest, 32))
        || name.strip_prefix("pm").is_some_and(|rest| below(rest.strip_suffix("_64").unwrap_or(rest), 8))
}

/// True for the special registers that have elements `.x` to `.w`.
pub(crate) fn is_vector(name: &str) -> bool {
    matches!(
        name,
        "tid" | "ntid" | "ctaid" | "nctaid" | "clusterid" | "nclusterid" | "cluster_ctaid" | "cluster_nctaid"
    )
}

/// True for the special registers of 64 bits.
pub(crate) fn is_wide(name: &str) -> bool {
    matches!(name, "clock64" | "globaltimer" | "gridid" | "current_graph_exec") || name.ends_with("_64")
}

fn below(digits: &str, limit: u32) -> bool {
    digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u32>().is_ok_and(|n| n < limit)
}

#[cfg(test)]
mod tests {
    use super::is_special;

    #[test]
    fn knows_the_numbered_ones() {
        for name in ["tid", "envreg0", "envreg31", "pm7", "pm0_64", "reserved_smem_offset_cap"] {
            assert!(is_special(name), "{name}");
        }
        for name in ["", "envreg32", "envreg", "pm8", "pm", "pm_64", "r1", "tid.x", "envreg+1"] {
            assert!(!is_special(name), "{name}");
        }
    }
}

//! Asynchronous copies and the barriers they complete.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "cp",
        "=async ca shared|shared::cta global PREFETCH? => @+ @2+ piece u32?
         =async ca shared|shared::cta global PREFETCH? => @+ @2+ piece !pred
         =async ca shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ piece policy
         =async ca shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ piece u32 policy
         =async ca shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ piece !pred policy
         =async cg shared|shared::cta global PREFETCH? => @+ @2+ 16 u32?
         =async cg shared|shared::cta global PREFETCH? => @+ @2+ 16 !pred
         =async cg shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ 16 policy
         =async cg shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ 16 u32 policy
         =async cg shared|shared::cta global PREFETCH? L2::cache_hint => @+ @2+ 16 !pred policy
         =async =commit_group
         =async =wait_group => constant
         =async =wait_all
         =async =mbarrier =arrive noinc? shared|shared::cta? b64 => @+
         =async =bulk =commit_group
         =async =bulk =wait_group read? => constant
         =async =bulk =prefetch L2 global L2::cache_hint? => @+ bytes policy
         =async =bulk =prefetch =tensor DIMENSIONS L2 global tile? L2::cache_hint? => tensor policy
         =async =bulk =prefetch =tensor 3d|4d|5d L2 global im2col L2::cache_hint? => tensor {b16}d-2 policy
         =async =bulk =prefetch =tensor BLACKWELL ANYWORDS => any any? any? any?
         =async =bulk shared::cluster|shared::cta global TRANSACTION L2::cache_hint? => @+ @2+ bytes @s+ policy
         =async =bulk shared::cluster global TRANSACTION multicast::cluster L2::cache_hint? \
            => @+ @2+ bytes @s+ b16 policy
         =async =bulk shared::cluster shared::cta TRANSACTION => @+ @2+ bytes @s+
         =async =bulk global shared::cta bulk_group L2::cache_hint? => @+ @2+ bytes policy
         =async =bulk global shared::cta bulk_group cp_mask L2::cache_hint? => @+ @2+ bytes any any?
         =async =bulk =tensor DIMENSIONS shared::cluster|shared::cta global TRANSACTION tile? L2::cache_hint? \
            => @+^ tensor @s+^ policy
         =async =bulk =tensor DIMENSIONS shared::cluster global TRANSACTION tile? multicast::cluster L2::cache_hint? \
            => @+^ tensor @s+^ b16 policy
         =async =bulk =tensor 3d|4d|5d shared::cluster|shared::cta global TRANSACTION im2col L2::cache_hint? \
            => @+^ tensor @s+^ {b16}d-2 policy
         =async =bulk =tensor 3d|4d|5d shared::cluster global TRANSACTION im2col multicast::cluster L2::cache_hint? \
            => @+^ tensor @s+^ {b16}d-2 b16 policy
         =async =bulk =tensor DIMENSIONS global shared::cta bulk_group tile? L2::cache_hint? => tensor @2+^ policy
         =async =bulk =tensor 3d|4d|5d global shared::cta bulk_group im2col_no_offs L2::cache_hint? \
            => tensor @2+^ policy
         =async =bulk =tensor BLACKWELL ANYWORDS => any any any? any? any? any?
         =reduce =async =bulk global shared::cta bulk_group L2::cache_hint? and|or|xor b32|b64 => @+ @2+ bytes policy
         =reduce =async =bulk global shared::cta bulk_group L2::cache_hint? add u32|s32|u64|f32|f64 \
            => @+ @2+ bytes policy
         =reduce =async =bulk global shared::cta bulk_group L2::cache_hint? add noftz f16|bf16 => @+ @2+ bytes policy
         =reduce =async =bulk global shared::cta bulk_group L2::cache_hint? inc|dec u32 => @+ @2+ bytes policy
         =reduce =async =bulk global shared::cta bulk_group L2::cache_hint? min|max LONG|f16|bf16 => @+ @2+ bytes policy
         =reduce =async =bulk shared::cluster shared::cta TRANSACTION add|min|max|inc|dec u32 => @+ @2+ bytes @s+
         =reduce =async =bulk shared::cluster shared::cta TRANSACTION add|min|max s32 => @+ @2+ bytes @s+
         =reduce =async =bulk shared::cluster shared::cta TRANSACTION add u64 => @+ @2+ bytes @s+
         =reduce =async =bulk shared::cluster shared::cta TRANSACTION and|or|xor b32 => @+ @2+ bytes @s+
         =reduce =async =bulk =tensor DIMENSIONS global shared::cta bulk_group tile? REDUCE L2::cache_hint? \
            => tensor @2+^ policy
         =reduce =async =bulk =tensor 3d|4d|5d global shared::cta bulk_group im2col_no_offs REDUCE L2::cache_hint? \
            => tensor @2+^ policy",
    ),
    (
        "mbarrier",
        "=init shared|shared::cta? b64 => @+ u32
         =inval shared|shared::cta? b64 => @+
         =expect_tx|complete_tx relaxed cta|cluster SHARED? b64 => @+ u32
         =expect_tx|complete_tx SHARED? b64 => @+ u32
         =arrive|arrive_drop shared|shared::cta? b64 => >u64_ @+ u32?
         =arrive|arrive_drop release|relaxed cta|cluster shared|shared::cta? b64 => >u64_ @+ u32?
         =arrive|arrive_drop shared::cluster b64 => >sink @+ u32?
         =arrive|arrive_drop release|relaxed cta|cluster shared::cluster b64 => >sink @+ u32?
         =arrive|arrive_drop =expect_tx shared|shared::cta? b64 => >u64_ @+ u32
         =arrive|arrive_drop =expect_tx release|relaxed cta|cluster shared|shared::cta? b64 => >u64_ @+ u32
         =arrive|arrive_drop =expect_tx shared::cluster b64 => >sink @+ u32
         =arrive|arrive_drop =expect_tx release|relaxed cta|cluster shared::cluster b64 => >sink @+ u32
         =arrive|arrive_drop noComplete shared|shared::cta? b64 => >u64_ @+ u32
         =arrive|arrive_drop noComplete release cta shared|shared::cta? b64 => >u64_ @+ u32
         =test_wait shared|shared::cta? b64 => >pred @+ u64
         =test_wait acquire|relaxed cta|cluster shared|shared::cta? b64 => >pred @+ u64
         =test_wait =parity shared|shared::cta? b64 => >pred @+ parity
         =test_wait =parity acquire|relaxed cta|cluster shared|shared::cta? b64 => >pred @+ parity
         =try_wait shared|shared::cta? b64 => >pred @+ u64 u32?
         =try_wait acquire|relaxed cta|cluster shared|shared::cta? b64 => >pred @+ u64 u32?
         =try_wait =parity shared|shared::cta? b64 => >pred @+ parity u32?
         =try_wait =parity acquire|relaxed cta|cluster shared|shared::cta? b64 => >pred @+ parity u32?
         =pending_count b64 => >u32 u64",
    ),
];

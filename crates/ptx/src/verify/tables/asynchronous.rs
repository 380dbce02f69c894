//! Asynchronous copies and the barriers they complete.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "cp",
        "=async ca SHARED global L2::cache_hint? PREFETCH? => @ @ constant any? any?
         =async cg SHARED global L2::cache_hint? PREFETCH? => @ @ constant any? any?
         =async =commit_group
         =async =wait_group => constant
         =async =wait_all
         =async =mbarrier =arrive noinc? SHARED? b64 => @
         =async =bulk =commit_group
         =async =bulk =wait_group read? => constant
         =async =bulk =prefetch L2 global L2::cache_hint? => any any any?
         =async =bulk =prefetch =tensor ANYWORDS => any any? any? any?
         =async =bulk =tensor ANYWORDS => any any any? any? any? any?
         =async =bulk ANYWORDS => any any any any? any? any?
         =reduce =async =bulk =tensor ANYWORDS => any any any?
         =reduce =async =bulk ANYWORDS ANYTYPE? => any any any? any? any?",
    ),
    (
        "mbarrier",
        "=init SHARED? b64 => @ u32
         =inval SHARED? b64 => @
         =expect_tx|complete_tx relaxed SCOPE SHARED? b64 => @ u32
         =expect_tx|complete_tx SHARED? b64 => @ u32
         =arrive release|relaxed? SCOPE? SHARED? b64 => >t_ @ u32?
         =arrive =expect_tx release|relaxed? SCOPE? SHARED? b64 => >t_ @ u32
         =arrive =noComplete release? SCOPE? SHARED? b64 => >t_ @ u32
         =arrive_drop release|relaxed? SCOPE? SHARED? b64 => >t_ @ u32?
         =arrive_drop =expect_tx release|relaxed? SCOPE? SHARED? b64 => >t_ @ u32
         =arrive_drop =noComplete release? SCOPE? SHARED? b64 => >t_ @ u32
         =test_wait acquire|relaxed? SCOPE? SHARED? b64 => >pred @ b64#
         =test_wait =parity acquire|relaxed? SCOPE? SHARED? b64 => >pred @ u32
         =try_wait acquire|relaxed? SCOPE? SHARED? b64 => >pred @ b64# u32?
         =try_wait =parity acquire|relaxed? SCOPE? SHARED? b64 => >pred @ u32 u32?
         =pending_count b64 => >u32 t#",
    ),
];

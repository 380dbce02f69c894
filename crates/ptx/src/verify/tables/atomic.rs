//! Atomics.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "atom",
        "ATOMIC and|or|xor b32|b64 => >t_ @ t
         ATOMICHINT and|or|xor b32|b64 => >t_ @ t policy
         ATOMIC exch b32|b64|b128 => >t_ @ t
         ATOMICHINT exch b32|b64|b128 => >t_ @ t policy
         relaxed|acquire|release|acq_rel? SCOPE? global|SHARED? cas b16|b32|b64|b128 => >t_ @ t t
         ATOMIC add u32|s32|u64|f32|f64 => >t_ @ t
         ATOMICHINT add u32|s32|u64|f32|f64 => >t_ @ t policy
         ATOMIC inc|dec u32 => >t_ @ t
         ATOMICHINT inc|dec u32 => >t_ @ t policy
         ATOMIC min|max u32|s32|u64|s64 => >t_ @ t
         ATOMICHINT min|max u32|s32|u64|s64 => >t_ @ t policy
         ATOMIC add noftz f16|f16x2|bf16|bf16x2 => >t_ @ t
         ATOMICHINT add noftz f16|f16x2|bf16|bf16x2 => >t_ @ t policy
         GLOBALATOMIC add v2|v4 f32 => >{t}_ @ {t} policy
         GLOBALATOMIC add|min|max noftz VECTOR f16|bf16 => >{t}_ @ {t} policy
         GLOBALATOMIC add|min|max noftz v2|v4 f16x2|bf16x2 => >{t}_ @ {t} policy",
    ),
    (
        "red",
        "REDUCTION and|or|xor b32|b64 => @ t
         REDUCTIONHINT and|or|xor b32|b64 => @ t policy
         REDUCTION add u32|s32|u64|f32|f64 => @ t
         REDUCTIONHINT add u32|s32|u64|f32|f64 => @ t policy
         REDUCTION inc|dec u32 => @ t
         REDUCTIONHINT inc|dec u32 => @ t policy
         REDUCTION min|max u32|s32|u64|s64 => @ t
         REDUCTIONHINT min|max u32|s32|u64|s64 => @ t policy
         REDUCTION add noftz HALF => @ t
         REDUCTIONHINT add noftz HALF => @ t policy
         GLOBALATOMIC add v2|v4 f32 => @ {t} policy
         GLOBALATOMIC add|min|max noftz VECTOR f16|bf16 => @ {t} policy
         GLOBALATOMIC add|min|max noftz v2|v4 f16x2|bf16x2 => @ {t} policy
         =async relaxed cluster shared::cluster? TRANSACTION inc|dec u32 => @+ t @s+?
         =async relaxed cluster shared::cluster? TRANSACTION min|max WORD => @+ t @s+?
         =async relaxed cluster shared::cluster? TRANSACTION add LONG => @+ t @s+?
         =async relaxed cluster shared::cluster? TRANSACTION and|or|xor b32 => @+ t @s+?
         =async ANYWORDS global ANYTYPE => any any",
    ),
];

//! Atomics.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "atom",
        "ATOMIC and|or|xor b32|b64 => >t_ @ t policy
         ATOMIC exch b32|b64|b128 => >t_ @ t policy
         ATOMIC cas b16|b32|b64|b128 => >t_ @ t t policy
         ATOMIC add u32|s32|u64|f32|f64 => >t_ @ t policy
         ATOMIC inc|dec u32 => >t_ @ t policy
         ATOMIC min|max u32|s32|u64|s64 => >t_ @ t policy
         ATOMIC add noftz f16|f16x2|bf16|bf16x2 => >t_ @ t policy
         GLOBALATOMIC add VECTOR f32 => >{t}_ @ {t}# policy
         GLOBALATOMIC add|min|max noftz VECTOR HALF => >{t}_ @ {t}# policy",
    ),
    (
        "red",
        "REDUCTION and|or|xor b32|b64 => @ t policy
         REDUCTION add u32|s32|u64|f32|f64 => @ t policy
         REDUCTION inc|dec u32 => @ t policy
         REDUCTION min|max u32|s32|u64|s64 => @ t policy
         REDUCTION add noftz HALF => @ t policy
         GLOBALATOMIC add VECTOR f32 => @ {t}# policy
         GLOBALATOMIC add|min|max noftz VECTOR HALF => @ {t}# policy
         =async relaxed? SCOPE? SHARED? mbarrier::complete_tx::bytes ANYWORD ANYTYPE => @ any @",
    ),
];

//! What the threads of a warp do together.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "shfl",
        "sync up|down|bfly|idx b32 => >t|pred t b32 b32 u32
         up|down|bfly|idx b32 => >t|pred t b32 b32",
    ),
    (
        "vote",
        "sync all|any|uni? pred => >pred !pred u32
         sync ballot b32 => >b32 !pred u32
         all|any|uni pred => >pred !pred
         ballot b32 => >b32 !pred",
    ),
    (
        "match",
        "any sync b32|b64 => >b32 t u32
         all sync b32|b64 => >b32_|pred t u32",
    ),
    (
        "redux",
        "sync add|min|max u32 => >u32 u32 u32
         sync add|min|max s32 => >s32 s32 u32
         sync and|or|xor b32 => >u32 u32 u32
         sync min|max abs? NaN? f32 => >t t u32",
    ),
    ("activemask", "b32 => >t"),
    ("elect", "sync => >u32_|pred! u32"),
];

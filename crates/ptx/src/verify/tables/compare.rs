//! Comparison and selection.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "setp",
        "EQUAL BITS => >pred_|pred t t
         ORDER|HIGH u16|u32|u64 => >pred_|pred t t
         ORDER s16|s32|s64 => >pred_|pred t t
         FLOAT ftz? f32|f16x2 => >pred_|pred t t
         FLOAT ftz? f16 => >pred_ t t
         FLOAT bf16 => >pred_ t t
         FLOAT f64|bf16x2 => >pred_|pred t t
         EQUAL BOOLEAN BITS => >pred_|pred t t !pred
         ORDER|HIGH BOOLEAN u16|u32|u64 => >pred_|pred t t !pred
         ORDER BOOLEAN s16|s32|s64 => >pred_|pred t t !pred
         FLOAT BOOLEAN ftz? f32|f16x2 => >pred_|pred t t !pred
         FLOAT BOOLEAN ftz? f16 => >pred_ t t !pred
         FLOAT BOOLEAN bf16 => >pred_ t t !pred#
         FLOAT BOOLEAN f64 => >pred_|pred t t !pred
         FLOAT BOOLEAN bf16x2 => >pred_|pred t t !pred#",
    ),
    (
        "set",
        "EQUAL u32|s32|f32 BITS => >t u u
         ORDER|HIGH u32|s32|f32 u16|u32|u64 => >t u u
         ORDER u32|s32|f32 s16|s32|s64 => >t u u
         FLOAT ftz? u32|s32|f32 f32 => >t u u
         FLOAT u32|s32|f32 f64 => >t u u
         EQUAL BOOLEAN u32|s32|f32 BITS => >t u u !pred
         ORDER|HIGH BOOLEAN u32|s32|f32 u16|u32|u64 => >t u u !pred
         ORDER BOOLEAN u32|s32|f32 s16|s32|s64 => >t u u !pred
         FLOAT BOOLEAN ftz? u32|s32|f32 f32 => >t u u !pred
         FLOAT BOOLEAN u32|s32|f32 f64 => >t u u !pred
         FLOAT ftz? u16|s16|u32|s32|f16 f16 => >t u u
         FLOAT u16|s16|u32|s32|bf16 bf16 => >t u u
         FLOAT BOOLEAN ftz? u16|s16|u32|s32|f16 f16 => >t u u !pred
         FLOAT BOOLEAN u16|s16|u32|s32|bf16 bf16 => >t u u !pred#
         EQUAL f16|bf16 BITS => >t u u
         ORDER|HIGH f16|bf16 u16|u32|u64 => >t u u
         ORDER f16|bf16 s16|s32|s64 => >t u u
         EQUAL BOOLEAN f16|bf16 BITS => >t u u !pred#
         ORDER|HIGH BOOLEAN f16|bf16 u16|u32|u64 => >t u u !pred#
         ORDER BOOLEAN f16|bf16 s16|s32|s64 => >t u u !pred#
         FLOAT ftz? f16 f32 => >t u u
         FLOAT f16|bf16 f64 => >t u u
         FLOAT bf16 f32 => >t u u
         FLOAT ftz? u32|s32|f16x2 f16x2 => >t u u
         FLOAT u32|s32|bf16x2 bf16x2 => >t u u
         FLOAT BOOLEAN ftz? u32|s32|f16x2 f16x2 => >t u u !pred
         FLOAT BOOLEAN u32|s32|bf16x2 bf16x2 => >t u u !pred#",
    ),
    ("selp", "BITS|INTEGER|f32|f64 => >t t t !pred"),
    (
        "slct",
        "BITS|INTEGER|f32|f64 s32 => >t t t u
         ftz? BITS|INTEGER|f32|f64 f32 => >t t t u",
    ),
];

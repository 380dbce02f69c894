//! Conversions and moves.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "cvt",
        "INT INT => >t+ u+%
         sat u8 s8|u16|s16|u32|s32|u64|s64 => >t+ u+%
         sat s8 u8|u16|s16|u32|s32|u64|s64 => >t+ u+%
         sat u16 s8|s16|u32|s32|u64|s64 => >t+ u+%
         sat s16 u16|u32|s32|u64|s64 => >t+ u+%
         sat u32 s8|s16|s32|u64|s64 => >t+ u+%
         sat s32 u32|u64|s64 => >t+ u+%
         sat u64 s8|s16|s32|s64 => >t+ u+%
         sat s64 u64 => >t+ u+%
         ROUND sat? f16|f32|f64 INT => >t+ u+
         ROUND bf16 INT => >t u
         NEAREST ftz? sat? INT f32 => >t+ u+
         NEAREST sat? INT f16|f64 => >t+ u+
         NEAREST INT bf16 => >t u
         NEAREST? ftz? sat? f32 f32 => >t+ u+
         NEAREST? sat? f16 f16 => >t+ u+
         NEAREST? sat? f64 f64 => >t+ u+
         NEAREST? bf16 bf16 => >t u
         ROUND ftz? sat? f32 f64 => >t+ u+
         ROUND sat? f16 f64 => >t+ u+
         ROUND ftz? sat? f16 f32 => >t+ u+
         ROUND bf16 f64|f16 => >t u
         rn|rz relu? satfinite? bf16 f32 => >t u
         rm|rp bf16 f32 => >t u
         rn|rz relu? satfinite? f16 f32 => >t+ u+
         ROUND? f16 bf16 => >t u
         ftz? sat? f64 f32 => >t+ u+
         ftz? sat? f32 f16 => >t+ u+
         sat? f64 f16 => >t+ u+
         f32|f64 bf16 => >t u
         rn|rz relu? satfinite? f16x2|bf16x2 f32 => >t u u
         rn|rz relu? satfinite? tf32 f32 => >t u
         rna satfinite? tf32 f32 => >t u
         rn satfinite relu? e4m3x2|e5m2x2 f32 => >t u u
         rn satfinite relu? e4m3x2|e5m2x2 f16x2 => >t u
         rn relu? f16x2 e4m3x2|e5m2x2 => >t u
         rs relu? satfinite? f16x2|bf16x2 f32 => >t u u b32
         rn satfinite relu? e2m3x2|e3m2x2 f32 => >b16 u u
         rn satfinite relu? e2m1x2 f32 => any u u
         rn relu? f16x2 e2m3x2|e3m2x2 => >t b16
         rn relu? f16x2 e2m1x2 => >t any
         rz|rp satfinite? ue8m0x2 f32 => >b16 u u
         rz|rp satfinite? ue8m0x2 bf16x2 => >b16 b32
         rn bf16x2 ue8m0x2 => >t b16
         rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32 => any {f32}4 b32
         =pack sat u16|s16 s32 => >u32+ u+ u+
         =pack sat u2|s2|u4|s4|u8|s8 s32 b32 => >u32+ u+ u+ v+",
    ),
    (
        "mov",
        "BITS|b128|INTEGER => >t t%&
         f32|f64 => >t t
         pred => >t !t%
         BITS|b128 => >parts_ t%
         BITS|b128 => >t parts
         v2 BITS|INTEGER => >{t}_ {t}%&^
         v2 f32|f64 => >{t}_ {t}%^
         v4 b16|b32|u16|u32|s16|s32 => >{t}_ {t}%&^
         v4 f32 => >{t}_ {t}%^",
    ),
    (
        "cvta",
        "GENERIC u32|u64 => >t t&
         =to GENERIC u32|u64 => >t t",
    ),
    (
        "isspacep",
        "const|global|local|param|param::entry|SHARED => >pred u64
         const|global|local|param|param::entry|SHARED => >pred u32",
    ),
    ("getctarank", "shared::cluster? u32|u64 => >u32 t&"),
    ("mapa", "shared::cluster? LONG => >t t& u32"),
];

//! Conversions and moves.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "cvt",
        "sat? u8|u16|u32|u64|s8|s16|s32|s64 u8|u16|u32|u64|s8|s16|s32|s64 => >t+ u+%
         ROUND sat? f16|f32|f64 u8|u16|u32|u64|s8|s16|s32|s64 => >t+ u+
         ROUND bf16 u8|u16|u32|u64|s8|s16|s32|s64 => >t+ u+
         rni|rzi|rmi|rpi ftz? sat? u8|u16|u32|u64|s8|s16|s32|s64 f32 => >t+ u+
         rni|rzi|rmi|rpi sat? u8|u16|u32|u64|s8|s16|s32|s64 f16|bf16|f64 => >t+ u+
         rni|rzi|rmi|rpi? ftz? sat? f32 f32 => >t+ u+
         rni|rzi|rmi|rpi? sat? f16 f16 => >t+ u+
         rni|rzi|rmi|rpi? sat? f64 f64 => >t+ u+
         rni|rzi|rmi|rpi? bf16 bf16 => >t+ u+
         ROUND ftz? sat? f32 f64 => >t+ u+
         ROUND sat? f16 f64 => >t+ u+
         ROUND ftz? sat? f16 f32 => >t+ u+
         ROUND bf16 f64|f16 => >t+ u+
         rn|rz relu? satfinite? bf16 f32 => >t+ u+
         rm|rp bf16 f32 => >t+ u+
         rn|rz relu f16 f32 => >t+ u+
         rn|rz relu? satfinite f16 f32 => >t+ u+
         ROUND f16 bf16 => >t+ u+
         ftz? sat? f64 f32 => >t+ u+
         ftz? sat? f32 f16 => >t+ u+
         sat? f64 f16 => >t+ u+
         f32|f64 bf16 => >t+ u+
         rn|rz relu? satfinite? f16x2|bf16x2 f32 => >t u u
         rs relu? satfinite? f16x2|bf16x2 f32 => >t u u b32
         rn|rz ftz sat? f16x2 f32 => >t u u
         rn|rz sat f16x2 f32 => >t u u
         rna tf32 f32 => >b32 u
         rn|rz relu? satfinite? tf32 f32 => >b32 u
         rna satfinite? tf32 f32 => >b32 u
         rn satfinite relu? e4m3x2|e5m2x2 f32 => >b16 u u
         rn satfinite relu? e4m3x2|e5m2x2 f16x2 => >b16 u
         rn relu? f16x2 e4m3x2|e5m2x2 => >t b16
         rn satfinite relu? e2m3x2|e3m2x2 f32 => >b16 u u
         rn satfinite relu? e2m1x2 f32 => any u u
         rn relu? f16x2 e2m3x2|e3m2x2 => >t b16
         rn relu? f16x2 e2m1x2 => >t any
         rz|rp satfinite? ue8m0x2 f32 => >b16 u u
         rz|rp satfinite? ue8m0x2 bf16x2 => >b16 b32
         rn bf16x2 ue8m0x2 => >t b16
         rs relu? satfinite e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32 => any {f32}4 b32
         =pack sat u16|s16 s32 => >u32 u u
         =pack sat u2|s2|u4|s4|u8|s8 s32 b32 => >u32 u u v",
    ),
    (
        "mov",
        "BITS|b128|INTEGER => >t t%&
         f32|f64 => >t t
         pred => >t !t%
         BITS|b128 => >parts_ t
         BITS|b128 => >t parts
         v2|v4 BITS|INTEGER|f32|f64 => >{t}_ {t}%^",
    ),
    (
        "cvta",
        "SPACES u32|u64 => >t t&
         =to SPACES u32|u64 => >t t",
    ),
    ("isspacep", "const|global|local|param|param::entry|SHARED => >pred u64"),
    ("mapa", "SHARED? u32|u64 => >t t& u32"),
];

//! Arithmetic.

pub(super) const FORMS: &[(&str, &str)] = &[
    ("add", "u16x2|s16x2 => >t t t"),
    (
        "add sub",
        "INTEGER => >t t t
         sat s32 => >t t t
         cc LONG => >t t t
         ROUND? ftz? sat? f32 => >t t t
         ROUND? f64 => >t t t
         ROUND? ftz? f32x2 => >t t t
         rn? ftz? sat? f16|f16x2 => >t t t
         rn? bf16|bf16x2 => >t t t
         ROUND? sat? f32 f16|bf16 => >t u t",
    ),
    ("addc subc", "cc? LONG => >t t t"),
    (
        "mul",
        "=lo|hi INTEGER => >t t t
         =wide u16|s16|u32|s32 => >t* t t
         ROUND? ftz? sat? f32 => >t t t
         ROUND? f64 => >t t t
         ROUND? ftz? f32x2 => >t t t
         rn? ftz? sat? f16|f16x2 => >t t t
         rn? bf16|bf16x2 => >t t t",
    ),
    (
        "mad",
        "=lo|hi INTEGER => >t t t t
         =lo|hi cc LONG => >t t t t
         =hi sat s32 => >t t t t
         =wide u16|s16|u32|s32 => >t* t t t*
         ROUND ftz? sat? f32 => >t t t t
         ROUND f64 => >t t t t",
    ),
    ("madc", "=lo|hi cc? LONG => >t t t t"),
    (
        "fma",
        "ROUND ftz? sat? f32 => >t t t t
         ROUND f64 => >t t t t
         ROUND ftz? f32x2 => >t t t t
         rn ftz? sat? f16|f16x2 => >t t t t
         rn ftz? relu f16|f16x2 => >t t t t
         rn oob sat? relu? f16|f16x2|bf16|bf16x2 => >t t t t
         rn relu? bf16|bf16x2 => >t t t t
         ROUND sat? f32 f16|bf16 => >t u u t",
    ),
    (
        "div",
        "INTEGER => >t t t
         approx ftz? f32 => >t t t
         =full ftz? f32 => >t t t
         ROUND ftz? f32 => >t t t
         ROUND f64 => >t t t",
    ),
    ("rem", "INTEGER => >t t t"),
    (
        "abs",
        "s16|s32|s64|f64 => >t t
         ftz? f32|f16|f16x2 => >t t
         bf16|bf16x2 => >t t",
    ),
    (
        "neg",
        "s16|s32|s64|f64 => >t t
         ftz? f32|f16|f16x2 => >t t
         bf16|bf16x2 => >t t",
    ),
    (
        "min max",
        "INTEGER|u16x2 => >t t t
         relu? s32|s16x2 => >t t t
         ftz? NaN? f32|f16|f16x2 => >t t t
         ftz? NaN? xorsign abs f32|f16|f16x2 => >t t t
         f64 => >t t t
         NaN? bf16|bf16x2 => >t t t
         NaN? xorsign abs bf16|bf16x2 => >t t t
         ftz? NaN? abs? f32 => >t t t t",
    ),
    ("sad", "INTEGER => >t t t t"),
    ("mul24", "=lo|hi WORD => >t t t"),
    (
        "mad24",
        "=lo|hi WORD => >t t t t
         =hi sat s32 => >t t t t",
    ),
    (
        "dp4a",
        "u32 u32 => >u32 u32 u32 u32
         u32|s32 s32 => >s32 u32 u32 s32
         s32 u32 => >s32 u32 u32 s32",
    ),
    (
        "dp2a",
        "=lo|hi u32 u32 => >u32 u32 u32 u32
         =lo|hi u32|s32 s32 => >s32 u32 u32 s32
         =lo|hi s32 u32 => >s32 u32 u32 s32",
    ),
    (
        "sqrt",
        "approx ftz? f32 => >t t
         ROUND ftz? f32 => >t t
         ROUND f64 => >t t",
    ),
    (
        "rcp",
        "approx ftz? f32 => >t t
         ROUND ftz? f32 => >t t
         ROUND f64 => >t t
         approx ftz f64 => >t t",
    ),
    (
        "rsqrt",
        "approx ftz? f32 => >t t
         approx ftz? f64 => >t t",
    ),
    ("sin cos lg2", "approx ftz? f32 => >t t"),
    (
        "ex2",
        "approx ftz? f32 => >t t
         approx f16|f16x2 => >t t
         approx ftz bf16|bf16x2 => >t t",
    ),
    ("tanh", "approx f32|f16|f16x2|bf16|bf16x2 => >t t"),
    ("copysign", "f32|f64 => >t t t"),
    ("testp", "finite|infinite|number|notanumber|normal|subnormal? f32|f64 => >pred t"),
];

//! Matrices.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "mma",
        "sync aligned m8n8k4 row|col row|col f16 f16 f16 f16 => >{f16x2}4_ {f16x2}2 {f16x2}2 {f16x2}4
         sync aligned m8n8k4 row|col row|col f32 f16 f16 f32 => >{f32}8_ {f16x2}2 {f16x2}2 {f32}8
         sync aligned m8n8k4 row|col row|col f32 f16 f16 f16 => >{f32}8_ {f16x2}2 {f16x2}2 {f16x2}4
         sync aligned m16n8k8 row col f16 f16 f16 f16 => >{f16x2}2_ {f16x2}2 {f16x2}1 {f16x2}2
         sync aligned m16n8k8 row col f32 f16 f16 f32 => >{f32}4_ {f16x2}2 {f16x2}1 {f32}4
         sync aligned m16n8k8 row col f32 bf16 bf16 f32 => >{f32}4_ {bf16x2}2 {bf16x2}1 {f32}4
         sync aligned m16n8k16 row col f16 f16 f16 f16 => >{f16x2}2_ {f16x2}4 {f16x2}2 {f16x2}2
         sync aligned m16n8k16 row col f32 f16 f16 f32 => >{f32}4_ {f16x2}4 {f16x2}2 {f32}4
         sync aligned m16n8k16 row col f32 bf16 bf16 f32 => >{f32}4_ {bf16x2}4 {bf16x2}2 {f32}4
         sync aligned m16n8k4 row col f32 tf32 tf32 f32 => >{f32}4_ {tf32}2 {tf32}1 {f32}4
         sync aligned m16n8k8 row col f32 tf32 tf32 f32 => >{f32}4_ {tf32}4 {tf32}2 {f32}4
         sync aligned m8n8k16 row col satfinite? s32 u8|s8 u8|s8 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2
         sync aligned m16n8k16 row col satfinite? s32 u8|s8 u8|s8 s32 => >{s32}4_ {b32}2 {b32}1 {s32}4
         sync aligned m16n8k32 row col satfinite? s32 u8|s8 u8|s8 s32 => >{s32}4_ {b32}4 {b32}2 {s32}4
         sync aligned m8n8k32 row col satfinite? s32 u4|s4 u4|s4 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2
         sync aligned m16n8k32 row col satfinite? s32 u4|s4 u4|s4 s32 => >{s32}4_ {b32}2 {b32}1 {s32}4
         sync aligned m16n8k64 row col satfinite? s32 u4|s4 u4|s4 s32 => >{s32}4_ {b32}4 {b32}2 {s32}4
         sync aligned m8n8k128 row col xor|and popc s32 b1 b1 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2
         sync aligned m16n8k128 row col xor|and popc s32 b1 b1 s32 => >{s32}4_ {b32}2 {b32}1 {s32}4
         sync aligned m16n8k256 row col xor|and popc s32 b1 b1 s32 => >{s32}4_ {b32}4 {b32}2 {s32}4
         sync aligned m8n8k4 row col ROUND? f64 f64 f64 f64 => >{f64}2_ {f64}1 {f64}1 {f64}2
         sync aligned m16n8k4 row col ROUND? f64 f64 f64 f64 => >{f64}4_ {f64}2 {f64}1 {f64}4
         sync aligned m16n8k8 row col ROUND? f64 f64 f64 f64 => >{f64}4_ {f64}4 {f64}2 {f64}4
         sync aligned m16n8k16 row col ROUND? f64 f64 f64 f64 => >{f64}4_ {f64}8 {f64}4 {f64}4
         sync aligned m16n8k16 row col f16 e4m3|e5m2 e4m3|e5m2 f16 => >{f16x2}2_ {b32}2 {b32}1 {f16x2}2
         sync aligned m16n8k16 row col f32 e4m3|e5m2 e4m3|e5m2 f32 => >{f32}4_ {b32}2 {b32}1 {f32}4
         sync aligned m16n8k32 row col f16 e4m3|e5m2 e4m3|e5m2 f16 => >{f16x2}2_ {b32}4 {b32}2 {f16x2}2
         sync aligned m16n8k32 row col f32 e4m3|e5m2 e4m3|e5m2 f32 => >{f32}4_ {b32}4 {b32}2 {f32}4
         sync aligned KIND ANYWORDS ANYTYPE ANYTYPE ANYTYPE ANYTYPE ANYTYPE? => any any any any any? any? any? any?
         sp|sp::ordered_metadata sync ANYWORDS ANYTYPE ANYTYPE ANYTYPE ANYTYPE => any any any any b32# constant
         sp|sp::ordered_metadata sync KIND ANYWORDS ANYTYPE ANYTYPE ANYTYPE ANYTYPE ANYTYPE? \
            => any any any any any any any? any? any? any?",
    ),
    (
        "wmma",
        "=load =a|b sync aligned row|col TILE global|shared|shared::cta? f16? => >{f16x2}8_ @ u32?
         =load =a sync aligned row|col m16n16k16 global|shared|shared::cta? bf16 => >{bf16x2}4_ @ u32?
         =load =b sync aligned row|col m16n16k16 global|shared|shared::cta? bf16 => >{bf16x2}4_ @ u32?
         =load =a sync aligned row|col m8n32k16 global|shared|shared::cta? bf16 => >{bf16x2}2_ @ u32?
         =load =b sync aligned row|col m8n32k16 global|shared|shared::cta? bf16 => >{bf16x2}8_ @ u32?
         =load =a sync aligned row|col m32n8k16 global|shared|shared::cta? bf16 => >{bf16x2}8_ @ u32?
         =load =b sync aligned row|col m32n8k16 global|shared|shared::cta? bf16 => >{bf16x2}2_ @ u32?
         =load =a sync aligned row|col m16n16k16 global|shared|shared::cta? u8|s8 => >{s32}2_ @ u32?
         =load =b sync aligned row|col m16n16k16 global|shared|shared::cta? u8|s8 => >{s32}2_ @ u32?
         =load =a sync aligned row|col m8n32k16 global|shared|shared::cta? u8|s8 => >{s32}1_ @ u32?
         =load =b sync aligned row|col m8n32k16 global|shared|shared::cta? u8|s8 => >{s32}4_ @ u32?
         =load =a sync aligned row|col m32n8k16 global|shared|shared::cta? u8|s8 => >{s32}4_ @ u32?
         =load =b sync aligned row|col m32n8k16 global|shared|shared::cta? u8|s8 => >{s32}1_ @ u32?
         =load =a|b sync aligned row|col m16n16k8 global|shared|shared::cta? tf32 => >{tf32}4_ @ u32?
         =load =a|b sync aligned row|col m8n8k4 global|shared|shared::cta? f64 => >{f64}1_ @ u32?
         =load =a sync aligned row m8n8k32 global|shared|shared::cta? u4|s4 => >{b32}1_ @ u32?
         =load =b sync aligned col m8n8k32 global|shared|shared::cta? u4|s4 => >{b32}1_ @ u32?
         =load =a sync aligned row m8n8k128 global|shared|shared::cta? b1 => >{b32}1_ @ u32?
         =load =b sync aligned col m8n8k128 global|shared|shared::cta? b1 => >{b32}1_ @ u32?
         =load =c sync aligned row|col TILE global|shared|shared::cta? f16 => >{f16x2}4_ @ u32?
         =store =d sync aligned row|col TILE global|shared|shared::cta? f16 => @ {f16x2}4 u32?
         =load =c sync aligned row|col TILE|m16n16k8 global|shared|shared::cta? f32 => >{f32}8_ @ u32?
         =store =d sync aligned row|col TILE|m16n16k8 global|shared|shared::cta? f32 => @ {f32}8 u32?
         =load =c sync aligned row|col TILE global|shared|shared::cta? s32 => >{s32}8_ @ u32?
         =store =d sync aligned row|col TILE global|shared|shared::cta? s32 => @ {s32}8 u32?
         =load =c sync aligned row|col m8n8k4 global|shared|shared::cta? f64 => >{f64}2_ @ u32?
         =store =d sync aligned row|col m8n8k4 global|shared|shared::cta? f64 => @ {f64}2 u32?
         =load =c sync aligned row|col m8n8k32|m8n8k128 global|shared|shared::cta? s32 => >{s32}2_ @ u32?
         =store =d sync aligned row|col m8n8k32|m8n8k128 global|shared|shared::cta? s32 => @ {s32}2 u32?
         =mma sync aligned row|col row|col TILE satfinite? f16 f16 => >{f16x2}4_ {f16x2}8 {f16x2}8 {f16x2}4
         =mma sync aligned row|col row|col TILE satfinite? f16 f32 => >{f16x2}4_ {f16x2}8 {f16x2}8 {f32}8
         =mma sync aligned row|col row|col TILE satfinite? f32 f16 => >{f32}8_ {f16x2}8 {f16x2}8 {f16x2}4
         =mma sync aligned row|col row|col TILE satfinite? f32 f32 => >{f32}8_ {f16x2}8 {f16x2}8 {f32}8
         =mma sync aligned row|col row|col m16n16k16 f32 bf16 bf16 f32 => >{f32}8_ {bf16x2}4 {bf16x2}4 {f32}8
         =mma sync aligned row|col row|col m8n32k16 f32 bf16 bf16 f32 => >{f32}8_ {bf16x2}2 {bf16x2}8 {f32}8
         =mma sync aligned row|col row|col m32n8k16 f32 bf16 bf16 f32 => >{f32}8_ {bf16x2}8 {bf16x2}2 {f32}8
         =mma sync aligned row|col row|col m16n16k16 satfinite? s32 u8 u8 s32 => >{s32}8_ {s32}2 {s32}2 {s32}8
         =mma sync aligned row|col row|col m16n16k16 satfinite? s32 s8 s8 s32 => >{s32}8_ {s32}2 {s32}2 {s32}8
         =mma sync aligned row|col row|col m8n32k16 satfinite? s32 u8 u8 s32 => >{s32}8_ {s32}1 {s32}4 {s32}8
         =mma sync aligned row|col row|col m8n32k16 satfinite? s32 s8 s8 s32 => >{s32}8_ {s32}1 {s32}4 {s32}8
         =mma sync aligned row|col row|col m32n8k16 satfinite? s32 u8 u8 s32 => >{s32}8_ {s32}4 {s32}1 {s32}8
         =mma sync aligned row|col row|col m32n8k16 satfinite? s32 s8 s8 s32 => >{s32}8_ {s32}4 {s32}1 {s32}8
         =mma sync aligned row|col row|col m16n16k8 f32 tf32 tf32 f32 => >{f32}8_ {tf32}4 {tf32}4 {f32}8
         =mma sync aligned row|col row|col m8n8k4 ROUND? f64 f64 f64 f64 => >{f64}2_ {f64}1 {f64}1 {f64}2
         =mma sync aligned row col m8n8k32 satfinite? s32 u4 u4 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2
         =mma sync aligned row col m8n8k32 satfinite? s32 s4 s4 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2
         =mma xor|and popc sync aligned row col m8n8k128 s32 b1 b1 s32 => >{s32}2_ {b32}1 {b32}1 {s32}2",
    ),
    (
        "ldmatrix",
        "sync aligned m8n8 x1 trans? shared|shared::cta? b16 => >{b32}1_ @+
         sync aligned m8n8 x2 trans? shared|shared::cta? b16 => >{b32}2_ @+
         sync aligned m8n8 x4 trans? shared|shared::cta? b16 => >{b32}4_ @+
         sync aligned ANYWORD ANYWORD ANYWORD ANYWORD? SHARED? b8 => any any
         sync aligned m8n16|m16n16 x1|x2|x4 trans? SHARED? b8x16 b4x16_p64|b6x16_p32 => any any",
    ),
    (
        "stmatrix",
        "sync aligned m8n8 x1 trans? shared|shared::cta? b16 => @+ {b32}1
         sync aligned m8n8 x2 trans? shared|shared::cta? b16 => @+ {b32}2
         sync aligned m8n8 x4 trans? shared|shared::cta? b16 => @+ {b32}4
         sync aligned ANYWORD ANYWORD ANYWORD ANYWORD? SHARED? b8 => any any",
    ),
    ("movmatrix", "sync aligned m8n8 trans b16 => >b32 b32#"),
];

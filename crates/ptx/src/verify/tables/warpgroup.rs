//! Matrix products of warpgroups.

pub(super) const FORMS: &[(&str, &str)] = &[(
    "wgmma",
    "=fence sync aligned?
     =commit_group sync aligned?
     =wait_group sync aligned? => natural
     =mma_async sync aligned? m64n*k16 f32 f16 f16 => >{f32}n/2 u64 u64 !scale sign sign bit bit
     =mma_async sync aligned? m64n*k16 f32 f16 f16 => >{f32}n/2 {f16x2}4 u64 !scale sign sign bit
     =mma_async sync aligned? m64n*k16 f16 f16 f16 => >{f16x2}n/4 u64 u64 !scale sign sign bit bit
     =mma_async sync aligned? m64n*k16 f16 f16 f16 => >{f16x2}n/4 {f16x2}4 u64 !scale sign sign bit
     =mma_async sync aligned? m64n*k16 f32 bf16 bf16 => >{f32}n/2 u64 u64 !scale sign sign bit bit
     =mma_async sync aligned? m64n*k16 f32 bf16 bf16 => >{f32}n/2 {f16x2}4 u64 !scale sign sign bit
     =mma_async sync aligned? m64n*k8 f32 tf32 tf32 => >{f32}n/2 u64 u64 !scale sign sign
     =mma_async sync aligned? m64n*k8 f32 tf32 tf32 => >{f32}n/2 {tf32}4 u64 !scale sign sign
     =mma_async sync aligned? m64n*k32 f32 e4m3|e5m2 e4m3|e5m2 => >{f32}n/2 u64 u64 !scale sign sign
     =mma_async sync aligned? m64n*k32 f32 e4m3|e5m2 e4m3|e5m2 => >{f32}n/2 {e4m3x4}4 u64 !scale sign sign
     =mma_async sync aligned? m64n*k32 f16 e4m3|e5m2 e4m3|e5m2 => >{f16x2}n/4 u64 u64 !scale sign sign
     =mma_async sync aligned? m64n*k32 f16 e4m3|e5m2 e4m3|e5m2 => >{f16x2}n/4 {e4m3x4}4 u64 !scale sign sign
     =mma_async sync aligned? m64n#k32 satfinite? s32 u8|s8 u8|s8 => >{s32}n/2 u64 u64 !scale
     =mma_async sync aligned? m64n#k32 satfinite? s32 u8|s8 u8|s8 => >{s32}n/2 {b32}4 u64 !scale
     =mma_async sync aligned? m64n#k256 and popc s32 b1 b1 => >{s32}n/2 u64 u64 !scale
     =mma_async sync aligned? m64n#k256 and popc s32 b1 b1 => >{s32}n/2 {b32}4 u64 !scale
     =mma_async sp sync aligned? m64n*k32 f32 f16 f16 => >{f32}n/2 u64 u64 b32# bit !scale sign sign bit bit
     =mma_async sp sync aligned? m64n*k32 f32 f16 f16 => >{f32}n/2 {f16x2}4 u64 b32# bit !scale sign sign bit
     =mma_async sp sync aligned? m64n*k32 f16 f16 f16 => >{f16x2}n/4 u64 u64 b32# bit !scale sign sign bit bit
     =mma_async sp sync aligned? m64n*k32 f16 f16 f16 => >{f16x2}n/4 {f16x2}4 u64 b32# bit !scale sign sign bit
     =mma_async sp sync aligned? m64n*k32 f32 bf16 bf16 => >{f32}n/2 u64 u64 b32# bit !scale sign sign bit bit
     =mma_async sp sync aligned? m64n*k32 f32 bf16 bf16 => >{f32}n/2 {f16x2}4 u64 b32# bit !scale sign sign bit
     =mma_async sp sync aligned? m64n*k16 f32 tf32 tf32 => >{f32}n/2 u64 u64 b32# bit !scale sign sign
     =mma_async sp sync aligned? m64n*k16 f32 tf32 tf32 => >{f32}n/2 {tf32}4 u64 b32# bit !scale sign sign
     =mma_async sp sync aligned? m64n*k64 f32 e4m3|e5m2 e4m3|e5m2 => >{f32}n/2 u64 u64 b32# zero !scale sign sign
     =mma_async sp sync aligned? m64n*k64 f32 e4m3|e5m2 e4m3|e5m2 => >{f32}n/2 {e4m3x4}4 u64 b32# zero !scale sign sign
     =mma_async sp sync aligned? m64n*k64 f16 e4m3|e5m2 e4m3|e5m2 => >{f16x2}n/4 u64 u64 b32# zero !scale sign sign
     =mma_async sp sync aligned? m64n*k64 f16 e4m3|e5m2 e4m3|e5m2 \
        => >{f16x2}n/4 {e4m3x4}4 u64 b32# zero !scale sign sign
     =mma_async sp sync aligned? m64n#k64 satfinite? s32 u8|s8 u8|s8 => >{s32}n/2 u64 u64 b32# zero !scale
     =mma_async sp sync aligned? m64n#k64 satfinite? s32 u8|s8 u8|s8 => >{s32}n/2 {b32}4 u64 b32# zero !scale",
)];

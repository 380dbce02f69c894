//! Loads, stores and what concerns caches.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "ld",
        "weak? SPACES? ca|cg|cs|lu|cv? VECTOR? MEMORY => >{t}+_ @
         weak? global? ca|cg|cs|lu|cv? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         weak? global? EVICT? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         weak? global? EVICT? EVICT2 L2::cache_hint? PREFETCH? v8 b32|u32|s32|f32 => >{t}+_ @ policy
         weak? global? EVICT? EVICT2 L2::cache_hint? PREFETCH? v4 b64|u64|s64|f64 => >{t}+_ @ policy
         volatile local|SHARED? VECTOR? MEMORY => >{t}+_ @
         volatile global? PREFETCH? VECTOR? MEMORY => >{t}+_ @
         relaxed|acquire SCOPE global|SHARED? VECTOR? MEMORY => >{t}+_ @
         relaxed|acquire SCOPE global? EVICT? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         mmio relaxed sys global? MEMORY => >{t}+_ @
         global nc ca|cg|cs? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         global nc EVICT? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         global nc EVICT? EVICT2 L2::cache_hint? PREFETCH? v8 b32|u32|s32|f32 => >{t}+_ @ policy
         global nc EVICT? EVICT2 L2::cache_hint? PREFETCH? v4 b64|u64|s64|f64 => >{t}+_ @ policy",
    ),
    (
        "ldu",
        "global? v2? MEMORY => >{t}+_ @
         global? v4 b8|b16|b32|u8|u16|u32|s8|s16|s32|f32 => >{t}+_ @",
    ),
    (
        "st",
        "weak? global|local|param|param::func|SHARED? wb|cg|cs|wt? VECTOR? MEMORY => @ {t}+
         weak? global? wb|cg|cs|wt? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         weak? global? EVICT? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         weak? global? EVICT? EVICT2 L2::cache_hint? v8 b32|u32|s32|f32 => @ {t}+ policy
         weak? global? EVICT? EVICT2 L2::cache_hint? v4 b64|u64|s64|f64 => @ {t}+ policy
         volatile global|local|SHARED? VECTOR? MEMORY => @ {t}+
         relaxed|release SCOPE global|SHARED? VECTOR? MEMORY => @ {t}+
         relaxed|release SCOPE global? EVICT? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         mmio relaxed sys global? MEMORY => @ {t}+
         =async weak? SHARED? TRANSACTION? v2|v4? b32|b64|LONG|f32|f64 => @+ {t} @s+
         =async ANYWORDS global MEMORY => any any
         =bulk weak? SHARED? => @+ u64 zero",
    ),
    (
        "prefetch",
        "global|local? L1|L2 => @
         global? L2::evict_last|L2::evict_normal => @
         const|param? tensormap => @",
    ),
    ("prefetchu", "L1 => @"),
    ("discard", "global? L2 => @ 128"),
    ("applypriority", "global? L2::evict_normal => @ 128"),
    (
        "createpolicy",
        "=fractional EVICT2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 => >u64 f32?
         =range global? EVICT2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 => >u64 @ u32 u32
         =cvt L2 b64 => >u64 u64",
    ),
];

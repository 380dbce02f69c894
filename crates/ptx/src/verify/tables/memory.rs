//! Loads, stores and what concerns caches.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "ld",
        "weak? SPACES? ca|cg|cs|lu|cv? VECTOR? MEMORY => >{t}+_ @
         weak? global? ca|cg|cs|lu|cv? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         weak? global? EVICT? EVICT2? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         volatile global|local|SHARED? PREFETCH? VECTOR? MEMORY => >{t}+_ @
         relaxed|acquire SCOPE global|SHARED? VECTOR? MEMORY => >{t}+_ @
         relaxed|acquire SCOPE global? EVICT? EVICT2? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         mmio relaxed sys global? MEMORY => >{t}+_ @
         global nc ca|cg|cs? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy
         global nc EVICT? EVICT2? L2::cache_hint? PREFETCH? VECTOR? MEMORY => >{t}+_ @ policy",
    ),
    ("ldu", "global? VECTOR? MEMORY => >{t}+_ @"),
    (
        "st",
        "weak? global|local|param|param::func|SHARED? wb|cg|cs|wt? VECTOR? MEMORY => @ {t}+
         weak? global? wb|cg|cs|wt? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         weak? global? EVICT? EVICT2? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         volatile global|local|SHARED? VECTOR? MEMORY => @ {t}+
         relaxed|release SCOPE global|SHARED? VECTOR? MEMORY => @ {t}+
         relaxed|release SCOPE global? EVICT? EVICT2? L2::cache_hint? VECTOR? MEMORY => @ {t}+ policy
         mmio relaxed sys global? MEMORY => @ {t}+
         =async weak? SHARED? mbarrier::complete_tx::bytes VECTOR? MEMORY => @ {t}+ @
         =bulk weak? SHARED? MEMORY => any any any?",
    ),
    (
        "prefetch",
        "global|local? L1|L2 => @
         global L2::evict_last|L2::evict_normal => @
         const|param? tensormap => @",
    ),
    ("prefetchu", "L1 => @"),
    ("discard", "global? L2 => @ constant"),
    ("applypriority", "global? L2::evict_normal => @ constant"),
    (
        "createpolicy",
        "=fractional EVICT2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 => >t f32?
         =range global? EVICT2|L2::evict_unchanged L2::evict_first|L2::evict_unchanged? b64 => >t @ b32 b32
         =cvt L2 b64 => >t b64",
    ),
];

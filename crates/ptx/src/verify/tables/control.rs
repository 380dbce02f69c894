//! Branches, calls, barriers and fences.

pub(super) const FORMS: &[(&str, &str)] = &[
    ("bra", "uni? => label"),
    ("brx", "=idx uni? => u32# table"),
    ("call", "uni? => any any? any? any?"),
    ("ret", "uni?"),
    ("exit", ""),
    ("trap", ""),
    ("brkpt", ""),
    ("nanosleep", "u32 => t"),
    ("pmevent", "mask? => constant"),
    ("membar", "=cta|gl|sys"),
    (
        "fence",
        "sc|acq_rel|acquire|release? SCOPE
         acquire|release sync_restrict::shared::cluster|sync_restrict::shared::cta cluster
         =mbarrier_init release cluster
         =proxy alias
         =proxy async
         =proxy async global|shared::cta|shared::cluster
         =proxy async::generic acquire|release ANYWORD cluster
         =proxy tensormap::generic acquire SCOPE => @ constant
         =proxy tensormap::generic release SCOPE",
    ),
    (
        "bar barrier",
        "=sync aligned? => u32 u32?
         =arrive aligned? => u32 u32
         =red =popc aligned? u32 => >t u32 !pred
         =red =popc aligned? u32 => >t u32 u32 !pred
         =red =and|or aligned? pred => >t u32 !pred
         =red =and|or aligned? pred => >t u32 u32 !pred",
    ),
    (
        "bar",
        "=cta =sync => u32 u32?
         =cta =arrive => u32 u32
         =cta =red =popc u32 => >t u32 !pred
         =cta =red =popc u32 => >t u32 u32 !pred
         =cta =red =and|or pred => >t u32 !pred
         =cta =red =and|or pred => >t u32 u32 !pred
         =warp =sync => b32",
    ),
    (
        "barrier",
        "=cta =sync aligned? => u32 u32?
         =cta =arrive aligned? => u32 u32
         =cta =red =popc aligned? u32 => >t u32 !pred
         =cta =red =popc aligned? u32 => >t u32 u32 !pred
         =cta =red =and|or aligned? pred => >t u32 !pred
         =cta =red =and|or aligned? pred => >t u32 u32 !pred
         =cluster =arrive release|relaxed? aligned?
         =cluster =wait acquire? aligned?",
    ),
    ("setmaxnreg", "=inc|dec sync aligned u32 => constant"),
    ("griddepcontrol", "=launch_dependents|wait"),
];

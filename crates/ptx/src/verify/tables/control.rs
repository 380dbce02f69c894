//! Branches, calls, barriers and fences.

pub(super) const FORMS: &[(&str, &str)] = &[
    ("bra", "uni? => label"),
    ("brx", "=idx uni? => u32 table"),
    ("call", "uni? => any any? any? any?"),
    ("ret", "uni?"),
    ("exit", ""),
    ("trap", ""),
    ("brkpt", ""),
    ("nanosleep", "u32 => u32"),
    ("pmevent", "mask? => constant"),
    (
        "membar",
        "=cta|gl|sys
         =proxy alias",
    ),
    (
        "fence",
        "sc|acq_rel|acquire|release? SCOPE
         acquire sync_restrict::shared::cluster cluster
         release sync_restrict::shared::cta cluster
         =mbarrier_init release cluster
         =proxy alias
         =proxy async global|shared::cta|shared::cluster?
         =proxy async::generic acquire sync_restrict::shared::cluster cluster
         =proxy async::generic release sync_restrict::shared::cta cluster
         =proxy tensormap::generic acquire SCOPE => @+ 128
         =proxy tensormap::generic release SCOPE",
    ),
    (
        "bar",
        "=sync => u32 threads?
         =arrive => u32 threads
         =red popc u32 => >t u32 !pred
         =red popc u32 => >t u32 threads !pred
         =red and|or pred => >t u32 !pred
         =red and|or pred => >t u32 threads !pred
         =cta =sync => u32 threads?
         =cta =arrive => u32 threads
         =cta =red popc u32 => >t u32 !pred
         =cta =red popc u32 => >t u32 threads !pred
         =cta =red and|or pred => >t u32 !pred
         =cta =red and|or pred => >t u32 threads !pred
         =warp =sync => u32",
    ),
    (
        "barrier",
        "sync aligned? => u32 threads?
         =arrive aligned? => u32 threads
         =red popc aligned? u32 => >t u32 !pred
         =red popc aligned? u32 => >t u32 threads !pred
         =red and|or aligned? pred => >t u32 !pred
         =red and|or aligned? pred => >t u32 threads !pred
         =cta sync aligned? => u32 threads?
         =cta =arrive aligned? => u32 threads
         =cta =red popc aligned? u32 => >t u32 !pred
         =cta =red popc aligned? u32 => >t u32 threads !pred
         =cta =red and|or aligned? pred => >t u32 !pred
         =cta =red and|or aligned? pred => >t u32 threads !pred
         =cluster =arrive release|relaxed? aligned?
         =cluster =wait acquire? aligned?",
    ),
    ("setmaxnreg", "=inc|dec sync aligned u32 => eighths"),
    ("griddepcontrol", "=launch_dependents|wait"),
];

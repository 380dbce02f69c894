//! Video instructions.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "vadd vsub vabsdiff vmin vmax",
        "sat? WORD WORD WORD => any any any
         sat? add|min|max? WORD WORD WORD => any any any any",
    ),
    (
        "vshl vshr",
        "clamp|wrap sat? WORD u32 u32 => any any any
         clamp|wrap sat? WORD s32 u32 => any any any
         clamp|wrap sat? add|min|max? WORD WORD u32 => any any any any",
    ),
    ("vmad", "sat? shr7|shr15|po? shr7|shr15? WORD WORD WORD => any any any any"),
    (
        "vset",
        "ORDER WORD WORD => any any any
         ORDER add|min|max? WORD WORD => any any any any",
    ),
    (
        "vadd2 vsub2 vabsdiff2 vmin2 vmax2 vavrg2 vadd4 vsub4 vabsdiff4 vmin4 vmax4 vavrg4",
        "sat? add? WORD WORD WORD => any any any any",
    ),
    ("vset2 vset4", "ORDER add? WORD WORD => any any any any"),
];

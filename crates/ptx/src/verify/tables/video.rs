//! Video instructions.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "vadd vsub vabsdiff vmin vmax",
        "sat? WORD WORD WORD => >t u~ v~
         sat? add|min|max WORD WORD WORD => >t u~ v~ t
         sat? WORD WORD WORD => >t~ u~ v~ t",
    ),
    (
        "vshl vshr",
        "clamp|wrap sat? WORD WORD u32 => >t u~ v~
         clamp|wrap sat? add|min|max WORD WORD u32 => >t u~ v~ t
         clamp|wrap sat? WORD WORD u32 => >t~ u~ v~ t",
    ),
    ("vmad", "po? sat? shr7|shr15? WORD WORD WORD => >t u~- v~- t-"),
    (
        "vset",
        "ORDER WORD WORD => >u32 t~ u~
         ORDER add|min|max WORD WORD => >u32 t~ u~ u32
         ORDER WORD WORD => >u32~ t~ u~ u32",
    ),
    (
        "vadd2 vsub2 vabsdiff2 vmin2 vmax2 vavrg2",
        "sat? WORD WORD WORD => >t~2 u~2# v~2# t#
         add WORD WORD WORD => >t~2 u~2# v~2# t#",
    ),
    (
        "vadd4 vsub4 vabsdiff4 vmin4 vmax4 vavrg4",
        "sat? WORD WORD WORD => >t~4 u~4# v~4# t#
         add WORD WORD WORD => >t~4 u~4# v~4# t#",
    ),
    ("vset2", "ORDER add? WORD WORD => >u32~2 t~2# u~2# u32#"),
    ("vset4", "ORDER add? WORD WORD => >u32~4 t~4# u~4# u32#"),
];

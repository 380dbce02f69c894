//! Logic, shifts and fields of bits.

pub(super) const FORMS: &[(&str, &str)] = &[
    (
        "and or xor",
        "BITS => >t t t
         pred => >t !t !t",
    ),
    (
        "not",
        "BITS => >t t
         pred => >t !t",
    ),
    ("cnot", "BITS => >t t"),
    (
        "lop3",
        "b32 => >t t t t constant
         and|or b32 => >t_|pred! t t t constant !pred",
    ),
    ("shl", "BITS => >t t u32"),
    ("shr", "BITS|INTEGER => >t t u32"),
    ("shf", "=l|r clamp|wrap b32 => >t t t u32"),
    ("prmt", "f4e|b4e|rc8|ecl|ecr|rc16? b32 => >t t t t"),
    ("popc clz", "b32|b64 => >u32 t"),
    ("bfind", "shiftamt? LONG => >u32 t"),
    ("fns", "b32 => >b32 b32 b32 b32"),
    ("brev", "b32|b64 => >t t"),
    ("bfe", "LONG => >t t u32 u32"),
    ("bfi", "b32|b64 => >t t t u32 u32"),
    ("bmsk", "clamp|wrap b32 => >u32 u32 u32"),
    ("szext", "clamp|wrap WORD => >t t u32"),
];

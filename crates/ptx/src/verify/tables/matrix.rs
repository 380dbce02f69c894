//! Matrices.

pub(super) const FORMS: &[(&str, &str)] = &[
    ("mma", "=sync|sp|sp::ordered_metadata ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYTYPE ANYTYPE ANYTYPE ANYTYPE => any any any any any? any?"),
    ("wmma", "=load|store|mma ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYWORD? ANYTYPE ANYTYPE? ANYTYPE? ANYTYPE? => any any any? any?"),
    (
        "ldmatrix",
        "sync aligned m8n8 x1 trans? SHARED? b16 => >{b32}1 @
         sync aligned m8n8 x2 trans? SHARED? b16 => >{b32}2 @
         sync aligned m8n8 x4 trans? SHARED? b16 => >{b32}4 @
         sync aligned ANYWORD ANYWORD ANYWORD ANYWORD? SHARED? b8 => any any",
    ),
    (
        "stmatrix",
        "sync aligned m8n8 x1 trans? SHARED? b16 => @ {b32}1#
         sync aligned m8n8 x2 trans? SHARED? b16 => @ {b32}2#
         sync aligned m8n8 x4 trans? SHARED? b16 => @ {b32}4#
         sync aligned ANYWORD ANYWORD ANYWORD ANYWORD? SHARED? b8 => any any",
    ),
    ("movmatrix", "sync aligned m8n8 trans b16 => >b32 b32#"),
    (
        "wgmma",
        "=fence sync aligned
         =commit_group sync aligned
         =wait_group sync aligned => constant
         =mma_async sync aligned ANYWORD ANYWORD? ANYTYPE ANYTYPE ANYTYPE => any any any any? any? any? any? any?
         =mma_async =sp sync aligned ANYWORD ANYWORD? ANYTYPE ANYTYPE ANYTYPE => any any any any any? any? any? any? any? any?",
    ),
];

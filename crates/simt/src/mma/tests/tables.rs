//! The fragment tables of the PTX manual, written out per shape.

/// From lane and element number to a position in the matrix.
pub(super) type At = fn(usize, usize) -> (usize, usize);

/// The place of a fragment element by the manual: group and place in the group of the lane, element number.
pub(super) struct Tables {
    pub(super) name: &'static str,
    pub(super) shape: (usize, usize, usize),
    pub(super) counts: (usize, usize, usize),
    pub(super) a: At,
    pub(super) b: At,
    pub(super) c: At,
}

fn g(lane: usize) -> usize {
    lane >> 2
}

fn t(lane: usize) -> usize {
    lane % 4
}

fn c16(lane: usize, i: usize) -> (usize, usize) {
    (if i < 2 { g(lane) } else { g(lane) + 8 }, t(lane) * 2 + (i & 1))
}

fn c8(lane: usize, i: usize) -> (usize, usize) {
    (g(lane), t(lane) * 2 + (i & 1))
}

/// Element counts are those of one lane in the A, B and C tables.
pub(super) const TABLES: &[Tables] = &[
    Tables {
        name: "m16n8k8 16-bit",
        shape: (16, 8, 8),
        counts: (4, 2, 4),
        a: |l, i| (if i < 2 { g(l) } else { g(l) + 8 }, t(l) * 2 + (i & 1)),
        b: |l, i| (t(l) * 2 + i, g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k16 16-bit",
        shape: (16, 8, 16),
        counts: (8, 4, 4),
        a: |l, i| {
            let row = if matches!(i, 0 | 1 | 4 | 5) { g(l) } else { g(l) + 8 };
            (row, t(l) * 2 + (i & 1) + if i < 4 { 0 } else { 8 })
        },
        b: |l, i| (t(l) * 2 + (i & 1) + if i < 2 { 0 } else { 8 }, g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k4 tf32",
        shape: (16, 8, 4),
        counts: (2, 1, 4),
        a: |l, i| (if i == 0 { g(l) } else { g(l) + 8 }, t(l)),
        b: |l, _| (t(l), g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k8 tf32",
        shape: (16, 8, 8),
        counts: (4, 2, 4),
        a: |l, i| (if i == 0 || i == 2 { g(l) } else { g(l) + 8 }, if i < 2 { t(l) } else { t(l) + 4 }),
        b: |l, i| (if i == 0 { t(l) } else { t(l) + 4 }, g(l)),
        c: c16,
    },
    Tables {
        name: "m8n8k4 f64",
        shape: (8, 8, 4),
        counts: (1, 1, 2),
        a: |l, _| (g(l), t(l)),
        b: |l, _| (t(l), g(l)),
        c: c8,
    },
    Tables {
        name: "m16n8k16 f64",
        shape: (16, 8, 16),
        counts: (8, 4, 4),
        a: |l, i| (if i % 2 == 0 { g(l) } else { g(l) + 8 }, i * 2 - i % 2 * 2 + t(l)),
        b: |l, i| (t(l) + i * 4, g(l)),
        c: c16,
    },
    Tables {
        name: "m8n8k16 8-bit",
        shape: (8, 8, 16),
        counts: (4, 4, 2),
        a: |l, i| (g(l), t(l) * 4 + i),
        b: |l, i| (t(l) * 4 + i, g(l)),
        c: c8,
    },
    Tables {
        name: "m16n8k16 8-bit",
        shape: (16, 8, 16),
        counts: (8, 4, 4),
        a: |l, i| (if i < 4 { g(l) } else { g(l) + 8 }, t(l) * 4 + (i & 3)),
        b: |l, i| (t(l) * 4 + i, g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k32 8-bit",
        shape: (16, 8, 32),
        counts: (16, 8, 4),
        a: |l, i| {
            let row = if matches!(i, 0..4 | 8..12) { g(l) } else { g(l) + 8 };
            (row, t(l) * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        },
        b: |l, i| (t(l) * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g(l)),
        c: c16,
    },
    Tables {
        name: "m8n8k32 4-bit",
        shape: (8, 8, 32),
        counts: (8, 8, 2),
        a: |l, i| (g(l), t(l) * 8 + i),
        b: |l, i| (t(l) * 8 + i, g(l)),
        c: c8,
    },
    Tables {
        name: "m16n8k32 4-bit",
        shape: (16, 8, 32),
        counts: (16, 8, 4),
        a: |l, i| (if i < 8 { g(l) } else { g(l) + 8 }, t(l) * 8 + (i & 7)),
        b: |l, i| (t(l) * 8 + i, g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k64 4-bit",
        shape: (16, 8, 64),
        counts: (32, 16, 4),
        a: |l, i| {
            let row = if matches!(i, 0..8 | 16..24) { g(l) } else { g(l) + 8 };
            (row, t(l) * 8 + (i & 7) + if i < 16 { 0 } else { 32 })
        },
        b: |l, i| (t(l) * 8 + (i & 7) + if i < 8 { 0 } else { 32 }, g(l)),
        c: c16,
    },
    Tables {
        name: "m8n8k128 bits",
        shape: (8, 8, 128),
        counts: (32, 32, 2),
        a: |l, i| (g(l), t(l) * 32 + i),
        b: |l, i| (t(l) * 32 + i, g(l)),
        c: c8,
    },
    Tables {
        name: "m16n8k128 bits",
        shape: (16, 8, 128),
        counts: (64, 32, 4),
        a: |l, i| (if i < 32 { g(l) } else { g(l) + 8 }, t(l) * 32 + (i & 31)),
        b: |l, i| (t(l) * 32 + i, g(l)),
        c: c16,
    },
    Tables {
        name: "m16n8k256 bits",
        shape: (16, 8, 256),
        counts: (128, 64, 4),
        a: |l, i| {
            let row = if matches!(i, 0..32 | 64..96) { g(l) } else { g(l) + 8 };
            (row, t(l) * 32 + (i & 31) + if i < 64 { 0 } else { 128 })
        },
        b: |l, i| (t(l) * 32 + (i & 31) + if i < 32 { 0 } else { 128 }, g(l)),
        c: c16,
    },
];

//! Names that compilers produce, and names that none does.

use super::demangle;

#[test]
fn names_of_kernels_are_read() {
    let cases = [
        ("_Z6vecAddPKfS0_Pfi", "vecAdd(const float*, const float*, float*, int)"),
        ("_Z5emptyv", "empty()"),
        ("_ZN2ns4innsEPdx", "ns::inns(double*, long long)"),
        ("_Z2tkIiLi256EEvPT_", "tk<int, 256>(int*)"),
        ("_Z6reduceIfLj128ELb1EEvPKT_PS0_i", "reduce<float, 128, true>(const float*, float*, int)"),
        ("_Z2sp1PbcsPKf", "sp(P, bool, char, short, const float*)"),
        ("_ZN1a1b4scanIdEEvPT_S3_m", "a::b::scan<double>(double*, double*, unsigned long)"),
        ("_Z4sortP4BodyS0_j", "sort(Body*, Body*, unsigned int)"),
        ("_Z5applyIXadL_Z3addffEEEvPf", ""),
        ("_Z3mapPFffEPf", "map(float (*)(float), float*)"),
        ("_Z4haloRK6MatrixIfES2_", "halo(const Matrix<float>&, const Matrix<float>&)"),
        ("_ZN20_GLOBAL__N__0f2e7b5a4anonEPf", "anon(float*)"),
    ];
    for (symbol, expected) in cases {
        let shown = demangle(symbol).map(|d| d.to_string()).unwrap_or_default();
        assert_eq!(shown, expected, "{symbol}");
    }
}

#[test]
fn anything_else_is_left_alone() {
    for symbol in [
        "",
        "_Z",
        "vecAdd",
        "_Z99x",
        "_ZN",
        "_Z1fS_",
        "_Z1fT_",
        "_Z1fIE",
        "_Z18446744073709551616a",
        "_Z1fA",
        "_ZN1aE",
        "_Z0v",
    ] {
        let _ = demangle(symbol);
    }
    assert_eq!(demangle("vecAdd"), None);
    let bomb = format!("_Z1f{}i", "P".repeat(100_000));
    assert_eq!(demangle(&bomb), None);
}

#[test]
fn no_name_breaks_the_reader() {
    let pieces = [
        "N", "E", "I", "L", "i", "f", "P", "K", "S_", "S0_", "T_", "1a", "3abc", "F", "A4_", "D", "St", "J", "R", "9",
        "_",
    ];
    let mut state = 1u64;
    for _ in 0..20_000 {
        let mut symbol = "_Z".to_owned();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            symbol.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        if let Some(name) = demangle(&symbol) {
            assert!(!name.base.is_empty() || !name.name.is_empty() || symbol.contains('_'));
        }
    }
}

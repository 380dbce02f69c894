//! The verifier: what it refuses and in which words, and that it passes every kernel of the repository.

use std::path::{Path, PathBuf};

fn verdict(text: &str) -> Result<(), warpwise_ptx::SyntaxError> {
    let module = warpwise_ptx::parse(text)?;
    warpwise_ptx::verify(text, &module)
}

/// The verdict on a statement in a kernel whose registers are `%r` (.b32), `%u` (.u32), `%f`, `%d` (.b64) and `%p`.
fn statement(text: &str) -> Result<(), String> {
    let module = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 word;\n.visible .entry k(.param .u64 out) {{
         .reg .b32 %r<9>; .reg .u32 %u<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .pred %p<9>;\n{text}\nret;\n}}"
    );
    verdict(&module).map_err(|error| format!("{}:{}: {}", error.line - 6, error.column, error.message))
}

#[test]
fn mistakes_are_refused_with_their_place() {
    let refused = [
        ("fma.rn.f32 %f4, %f2;", "1:1: 'fma.rn.f32' takes 4 operands, found 2"),
        ("fma.foo.f32 %f1, %f2, %f3, %f4;", "1:4: 'fma' has no modifier '.foo'"),
        ("mad.banana.s32 %r1, %r2, %r3, %r4;", "1:4: 'mad' has no modifier '.banana'"),
        (
            "add.f32 %f1, %u1, %f2;",
            "1:14: operand 2 of 'add.f32' must be a register or constant of type .f32, '%u1' is .u32",
        ),
    ];
    for (text, expected) in refused {
        let error = statement(text).expect_err(text);
        assert!(error.starts_with(expected), "{text}\n  expected {expected}\n  found    {error}");
    }
    let refused = [
        "add.rn.u32 %u1, %u2, %u3;",
        "fma.f32 %f1, %f2, %f3, %f4;",
        "ld.global.u32 %u1, %d1;",
        "ld.shared.u32 %u1, [word];",
        "ld.global.u32 %u1, [nothing];",
        "setp.lt.b32 %p1, %r1, %r2;",
        "st.global.u32 [%d1], 1.5;",
        "ret 5;",
        "st.u64 [%d1], word;",
        "mov.b64 %d1, word-4;",
        "mov.f32 %f1, -0f3F800000;",
        "cvt.sat.u32.u16 %u1, %r1;",
        "cvta.shared.u64 %d1, word;",
        "ld.global.v2.b128 {%d1, %d2}, [%d1];",
        "lop3.and.b32 %r1, %r2, %r3, %r4, 3, %p1;",
        "add.f32 %f1.x, %f2, %f3;",
        "%r1.wide.u32 %d1, %u1, 8;",
        "JOIN bra;",
    ];
    for text in refused {
        assert!(statement(text).is_err(), "{text}");
    }
}

#[test]
fn what_the_assembler_takes_is_accepted() {
    let accepted = [
        "add.f32.rn %f1, %f2, %f3;",
        "add.sat.sat.s32 %u1, %u2, 5000000000;",
        "add.f32 %f1, %r2, 1.0;",
        "mov.b32 %r1, 0f3F800000;",
        "ld.global.b16 %f1, [word];",
        "st.global.f32 [%d1], %d2;",
        "setp.lt.f32 %p1|_, %f1, %f2;",
        "selp.b32 %r1, %f1, %u2, !%p1;",
        "st.u64 [%d1], word + 1;",
        "st.u64 [%d1], word + 0;",
        "add.f32 %f1, %f2+4, %f3;",
        "mov.u32 %u1, %clock+4;",
        "sub.pred.f32 %f1, %f2, %f3;",
        "cvt.pack.sat.u8.s32.b32 %d1, %u1, %d2, %u2;",
        "shfl.up.sync.b32 %r1, %r2, 1, 0, -1;",
        "fence.acquire.gpu;",
        "ld.global.L2::cache_hint.u32 %u1, [%d1], 5;",
        "st.global.u32 [%d1], %u1+4;",
        "frobnicate.anything %r1, [%d1], {%f1}, 5;",
    ];
    for text in accepted {
        assert_eq!(statement(text), Ok(()), "{text}");
    }
}

#[test]
fn what_headers_of_compilers_write_is_accepted() {
    let accepted = [
        // CUB puts the words of warp instructions in this order.
        "vote.ballot.sync.b32 %r1, %p1, 0xffffffff;",
        "shfl.idx.sync.b32 %r1, %r2, 1, 31, -1;",
        "match.sync.any.b32 %r1, %r2, -1;",
        "redux.add.sync.s32 %r1, %r2, -1;",
        "fence.proxy.async.global;",
        "fence.proxy.async.shared::cta;",
        "fence.release.gpu;",
        "fence.acquire.sys;",
        "cp.async.ca.shared.global [tile], [words], 4;",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d1, {%r1, %r2}], [tile];",
        "cp.async.bulk.tensor.5d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes.multicast::cluster\
         .cta_group::1.L2::cache_hint [tile], [%d1, {%r1, %r2, %r3, %r4, %r5}], [tile], {%h1, %h2}, %h3, %d2;",
        "cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;",
        "cvt.rn.satfinite.relu.e3m2x2.f32 %h1, %f1, %f2;",
        "cvt.rn.f16x2.e2m1x2 %r1, %b1;",
        "cvt.rn.f16x2.e2m3x2 %r1, %h1;",
        "cvt.rz.satfinite.ue8m0x2.f32 %h1, %f1, %f2;",
        "cvt.rp.ue8m0x2.bf16x2 %h1, %r1;",
        "cvt.rn.bf16x2.ue8m0x2 %r1, %h1;",
        "cvt.rs.relu.satfinite.bf16x2.f32 %r1, %f1, %f2, %r2;",
        "cvt.rs.satfinite.e4m3x4.f32 %r1, {%f1, %f2, %f3, %f4}, %r2;",
        "cvt.rn.satfinite.f16.f32 %h1, %f1;",
        "cvt.rn.satfinite.bf16x2.f32 %r1, %f1, %f2;",
        "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%r1, %r2}, [tile];",
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, \
         {%r5, %r6}, {%f1, %f2, %f3, %f4};",
        "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 \
         {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r1, {%h1, %h2}, %r2, {%h1, %h2};",
    ];
    for text in accepted {
        let module = format!(
            ".version 9.0\n.target sm_100a\n.address_size 64\n.shared .align 128 .b8 tile[256];
             .global .align 128 .b8 words[256];\n.visible .entry k() {{
             .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b8 %b<9>;
             {text}\nret;\n}}"
        );
        assert_eq!(verdict(&module).map_err(|error| error.message), Ok(()), "{text}");
    }
    // What stands in no place is refused as before.
    for text in ["vote.sync.b32 %r1, %p1, -1;", "fence.proxy.async::global;", "cvt.rs.f16.f32 %r1, %f1;"] {
        assert!(statement(text).is_err(), "{text}");
    }
}

/// The verdict on a statement of a kernel for sm_90a that can call functions and copy in bulk. Its registers are `%r`
/// (.b32), `%f`, `%d` (.b64), `%h` (.b16) and `%p`.
fn modern(text: &str) -> Result<(), String> {
    let module = format!(
        ".version 8.8\n.target sm_90a\n.address_size 64\n.global .align 16 .b8 bytes[64]; .shared .align 16 .b8 tile[64];
         .func (.param .b32 result) one(.param .b32 a) {{ ret; }}
         .func (.param .align 8 .b8 result[16]) many(.param .align 8 .b8 a[16]) {{ ret; }}
         .func nothing() {{ ret; }}
         .visible .entry k(.param .u64 out) {{
         .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .pred %p<9>;
         .param .b32 word; .param .b64 long; .param .align 8 .b8 pair[16]; .param .align 4 .b8 loose[16];
         like_one: .callprototype (.param .b32 _) _ (.param .b32 _);
         {text}\nret;\n}}"
    );
    verdict(&module).map_err(|error| error.message)
}

#[test]
fn calls_are_checked_against_the_header_or_the_prototype() {
    let accepted = [
        "call (word), one, (word);",
        "call (%r1), one, (%f1);",
        "call (_), one, (1.5);",
        "call (pair), many, (pair);",
        "call nothing;",
        "call (), nothing, ();",
        "call (word), %d1, (word), like_one;",
    ];
    for text in accepted {
        assert_eq!(modern(text), Ok(()), "{text}");
    }
    let refused = [
        ("call (word), one;", "this call needs 1 argument, found 0"),
        ("call (word), one, (word, word);", "this call needs 1 argument, found 2"),
        ("call one, (word);", "this call needs 1 result, found 0"),
        ("call (word), one, (long);", "argument 1 of this call must go with .b32"),
        ("call (word), one, (%d1);", "argument 1 of this call must go with .b32"),
        ("call (pair), many, (loose);", "argument 1 of this call must go with .b8 array of 16 bytes"),
        ("call (word), one, (out);", "argument 1 of this call must go with .b32"),
        ("call (word), nobody, (word);", "function 'nobody' is not declared"),
        ("call k, (word);", "a kernel cannot be called"),
        ("call (word), %d1, (word);", "a call through a register needs a prototype or a list of targets"),
        ("call (word), %f1, (word), like_one;", "a call goes through an integer register"),
        (
            "call (word), one, (word), like_one;",
            "only a call through a register takes a prototype or a list of targets",
        ),
        ("call word, one, (word);", "a call is '(results), function, (arguments), prototype'"),
    ];
    for (text, expected) in refused {
        assert_eq!(modern(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn asynchronous_copies_and_warpgroups_are_checked() {
    const BULK: &str = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    const TENSOR: &str = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    const PRODUCT: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}";
    let accepted = [
        format!("{BULK} [tile], [bytes], 16, [tile];"),
        format!("{BULK} [%r1], [%d1], %r2, [%r3];"),
        format!("{TENSOR} [%r1], [%d1, {{%r2, 3}}], [%r4];"),
        format!("{PRODUCT}, %d1, %d2, %p1, 1, -1, 0, 1;"),
        format!("{PRODUCT}, {{%r1, %r2, %r3, %r4}}, %d2, 1, 1, 1, 0;"),
        "cp.async.cg.shared.global [%r1], [%d1], 16, !%p1;".to_owned(),
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, _, %f4}, {%r1, %r2, 5, %r4}, {%r5, %r6}, \
         {%f1, %f2, %f3, 1.0};"
            .to_owned(),
    ];
    for text in accepted {
        assert_eq!(modern(&text), Ok(()), "{text}");
    }
    let refused = [
        format!("{BULK} [bytes], [bytes], 16, [tile];"),
        format!("{BULK} [tile], [bytes], 17, [tile];"),
        format!("{BULK} [tile], [bytes], 16;"),
        format!("{BULK} [tile], [bytes], 16, [tile], %h1;"),
        format!("{TENSOR} [%r1], [%d1, {{%r2}}], [%r4];"),
        format!("{TENSOR} [%r1], [%d1], [%r4];"),
        format!("{PRODUCT}, %d1, %d2, %p1, 1, 2, 0, 1;"),
        format!("{PRODUCT}, %d1, %d2, %p1, 1, 1, 0;"),
        format!("{PRODUCT}, {{%f1, %f2, %f3, %f4}}, %d2, %p1, 1, 1, 0;"),
        "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, %p1, 1, 1, 0, 0;"
            .to_owned(),
        "cp.async.cg.shared.global [%r1], [%d1], 8;".to_owned(),
        "cp.async.ca.global.shared [%r1], [%d1], 8;".to_owned(),
        "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 2;".to_owned(),
        "mbarrier.arrive.shared::cluster.b64 %d1, [%r1];".to_owned(),
    ];
    for text in refused {
        assert!(modern(&text).is_err(), "{text}");
    }
}

#[test]
fn declarations_are_checked() {
    let accepted = [
        ".global .b32;",
        ".const .f64 x = 0f3F800000;",
        ".global .b32 y; .global .u64 x[2] = {y, generic(y)+4};",
        ".extern .global .b32 x; .visible .global .b32 x;",
        ".func f(.param .b32 a); .func f(.param .b32 b) { ret; }",
        ".entry k() { .reg .b32 r; { .reg .f32 r; L: ret; } L: ret; }",
        ".section .debug_x { name: .b8 1, 2 .b32 .debug_y+4 .b64 name }",
    ];
    for text in accepted {
        assert_eq!(verdict(text), Ok(()), "{text}");
    }
    let refused = [
        ".local .b32 x;",
        ".param .b32 x;",
        ".global .b32 .align 4 x;",
        ".global .b32 _;",
        ".global .f64 x = y; .global .b32 y;",
        ".shared .b32 y; .global .u64 x = y;",
        ".global .u64 x = nowhere;",
        ".extern .global .b32 x = 5;",
        ".extern .global .b32 x; .global .b32 x;",
        ".weak .global .b32 x; .weak .global .b32 x;",
        ".visible .visible .global .b32 x;",
        ".global .b32 x; .func x() { ret; }",
        ".func f(.param .b32 a); .func f(.param .b64 a) { ret; }",
        ".func f(.param .b32 a); .func f(.reg .b32 a) { ret; }",
        ".func f() { ret; } .func f();",
        ".extern .func f() { ret; }",
        ".func (.param .b32 a, .param .b32 b) f() { ret; }",
        ".func f() .maxntid 32 { ret; }",
        ".entry k() .maxntid 32 .reqntid 32 { ret; }",
        ".entry k() .maxntid 0 { ret; }",
        ".entry k(.param .b8 a[]) { ret; }",
        ".entry k(.param .v2 .f32 a) { ret; }",
        ".entry k(.param .b32 a) { .reg .b32 a; ret; }",
        ".entry k() { .reg .b32 L; L: ret; }",
        ".entry k() { .reg .b32 r<2+3>; ret; }",
        ".entry k() { ret;; }",
        ".entry k() { p: .callprototype _ f (.param .b32 _); ret; }",
        ".section .debug_x { b8 1 }",
        ".version 8.0 .version 8.0",
        ";",
    ];
    for text in refused {
        assert!(verdict(text).is_err(), "{text}");
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("target") {
            files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "ptx") {
            found.push(entry);
        }
    }
}

#[test]
fn every_kernel_of_the_repository_passes() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    files(crates, &mut found);
    assert!(found.len() > 300, "only {} PTX files in {}", found.len(), crates.display());
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        if let Err(error) = verdict(&text) {
            panic!("{}: {error}", path.display());
        }
    }
}

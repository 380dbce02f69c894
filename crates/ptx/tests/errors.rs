//! The error message for each kind of mistake.

/// Mistakes inside a kernel whose registers are `%r0` to `%r9`, `%rd0` to `%rd9` and `%p0` to `%p9`.
const STATEMENTS: &[&str] = &[
    "add.s32 %r1, %r2, ;",
    "add.s32 %r1, %r2 %r3;",
    "add.s32 %r1, %zz, 1;",
    "add.s32 %r10, %r1, 1;",
    "add.s32 %r1, %r2, ~%r3;",
    "add.s32 %r1, %r2, 0x;",
    "add.s32 %r1, %r2, 08;",
    "add.s32 %r1, %r2, 18446744073709551616;",
    "mov.f32 %r1, 0f3F80;",
    "mov.u32 %r1, %tid.q;",
    "mov.u32 %r1, %r2.b7;",
    "mov.u32 %r1, %laneid.x;",
    "mov.b32 %r1, 1 / 0;",
    "mov.b32 %r1, 1.5 + 2;",
    "mov.b32 %r1, !1.5;",
    "ld.global.u32 %r1, [%rd1+%r2];",
    "ld.global.u32 %r1, [%rd1;",
    "ld.global.u32 %r1, [];",
    "ld.global.u32 %r1, [1.5];",
    "ld.global.v2.u32 {%r1, %r2, [%rd1];",
    "ld.global.u32 %r1, [%rd1, {{%r1}}];",
    "@%r1 ret;",
    "@%pp ret;",
    "@ret;",
    "bra nowhere;",
    "bra %r1+4;",
    "t: .branchtargets nowhere; brx.idx %r1, t;",
    "t: .branchtargets N<5000>; brx.idx %r1, t;",
    "L: L: ret;",
    "call (%r1, f, (%r2);",
    "and.pred %p1, !5.0, %p2;",
    ".reg .b32 x, x;",
    ".reg .b32 %r<5>;",
    ".reg %q;",
    ".reg .b33 %q;",
    ".reg .v4 .f32 v; mov.f32 v.q, v.x;",
    ".shared .b32 s<4>;",
    ".shared .b32 = 5;",
    ".shared .align 3 .b32 x;",
    ".shared .b32 x[-1];",
    ".shared .b64 x[0x7fffffff][0x7fffffff][8];",
    ".strange 1;",
    ".loc 1 2;",
    "proto: .callprototype _ (.param .b32);",
    "= 5;",
    "mov.b32 %r1, \"text\";",
    "add.s32 %r1, %r2, 1",
];

/// Mistakes at module level.
const MODULES: &[&str] = &[
    "ld.global.u32 %r1, [%rd1];",
    ".version eight",
    ".version 8",
    ".target 90",
    ".address_size 16",
    ".strange",
    ".visible",
    ".reg .b32 %r<5>;",
    ".file \"a.cu\"",
    ".global .u32 x = ;",
    ".global .u32 x = 1.5;",
    ".global .f32 x = 1;",
    ".global .f16 x = 1.5;",
    ".global .u32 x[2] = {1, 2, 3};",
    ".global .u32 x[2] = {1, 2,};",
    ".global .u32 x[2][3] = {{1, 2, 3, 4}, {5}};",
    ".global .u32 x[2][3] = {1, 2};",
    ".global .u32 x[2] = 1;",
    ".global .u32 x = {1};",
    ".global .u32 x[2] = {1, 2;",
    ".global .u32 x; .global .u32 x;",
    ".func f { ret; } .func f { ret; }",
    ".func f(.param .b32 x",
    ".func f(.reg .b32 x[2]);",
    ".entry k(.param u32 x) { ret; }",
    ".entry k { ret;",
    ".entry k ret;",
    ".entry (.param .b32 r) k;",
    ".section .debug_str { .b8 1",
    "/* no end",
    ".pragma \"no end",
    ".global .u32 caf\u{e9};",
    "#define X 1",
    ". global .u32 x;",
    "// \u{e4}\u{20ac} comment\n\t.entry \u{1}",
];

#[test]
fn messages() {
    let statements = STATEMENTS.iter().map(|statement| {
        let declared = ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .pred %p<10>;";
        format!(".entry k {{ {declared}\n    {statement}\n}}\n")
    });
    let modules = MODULES.iter().map(|text| (*text).to_owned());
    let shown: Vec<String> = statements
        .chain(modules)
        .map(|text| match warpwise_ptx::parse(&text) {
            Ok(_) => panic!("no error in {text}"),
            Err(error) => error.to_string(),
        })
        .collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("out");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("errors", shown.join("\n\n")));
}

#[test]
fn place() {
    let error = warpwise_ptx::parse(".version 8.0\n.target sm_90\n\t.strange\n").unwrap_err();
    assert_eq!((error.line, error.column), (3, 2));
    assert_eq!((error.span.start, error.span.end), (28, 36));
    assert_eq!(error.source_line, " .strange");
}

#[test]
fn long_lines_are_clipped_around_the_place() {
    let padding = "/* padding */ ".repeat(100_000);
    let text = format!("{padding}.strange{padding}");
    let error = warpwise_ptx::parse(&text).unwrap_err();
    assert_eq!((error.line, error.column as usize), (1, padding.len() + 1));
    let shown = error.to_string();
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines[1].len() < 120, "{}", lines[1]);
    let caret = lines[2].find('^').expect("a caret");
    assert!(lines[1][caret..].starts_with(".strange"), "{shown}");
}

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    let deep = 200_000;
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]"), ("-", ""), ("!", ""), ("1?", ":1"), ("(.s64)", "")] {
        let nest = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        for text in [
            format!(".global .u32 x = {nest};"),
            format!(".global .u32 x[{nest}];"),
            format!(".entry k {{ mov.b32 x, {nest}; }}"),
            format!(".entry k {{ call {nest}; }}"),
            format!(".entry k {{ {nest} }}"),
            format!(".func f {nest};"),
        ] {
            assert!(warpwise_ptx::parse(&text).is_err(), "{open}");
        }
    }
}

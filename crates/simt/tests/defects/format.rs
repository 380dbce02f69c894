//! The format itself: what a header says, and which findings satisfy it.

use crate::case::{Case, Verdict, cases};
use crate::launch::Seen;

const FILE: &str = r#"
//: arch compute_80
__device__ void push(unsigned *to)
{
    *to = 1; //@ push
}

//: defect two warps
//: grid 1 block 64,2
//: arg u32[4]:list:1,2,
//:   3,4
//: expect race error at write with read|push in shared tile
//: correct one warp
//: grid 3 block 32
//: arg u8[5]:uninit
//: result 0 u8 4..0
extern "C" __global__ void first(unsigned *data)
{
    one(); //@ write
    two(); //@ read other
}

//: defect labels are those of the kernel
//: expect misaligned error|warning at write
extern "C" __global__ void second(unsigned *data)
{
    three(); //@ write
}
"#;

fn parsed() -> Vec<Case> {
    cases(FILE).expect("a good file")
}

#[test]
fn headers_are_read() {
    let cases = parsed();
    let names: Vec<_> = cases.iter().map(|case| (&*case.entry, case.verdict)).collect();
    assert_eq!(names, [("first", Verdict::Defect), ("first", Verdict::Correct), ("second", Verdict::Defect)]);
    assert_eq!((cases[0].grid, cases[0].block), ([1, 1, 1], [64, 2, 1]));
    assert_eq!(cases[0].expected[0].lines(), (&[19][..], &[20, 5][..]));
    assert_eq!(cases[1].results[0].values.len(), 5);
    assert_eq!(cases[2].expected[0].lines().0, [27]);
}

#[test]
fn bad_headers_are_refused() {
    let refused = |old: &str, new: &str| {
        let text = FILE.replace(old, new);
        assert_ne!(text, FILE);
        cases(&text).expect_err("a bad file")
    };
    assert!(refused("at write with", "at writ with").contains("no line is marked `//@ writ`"));
    assert!(refused("at write with", "by write with").contains("unknown word `by`"));
    assert!(refused("race error", "race grave").contains("no severity"));
    assert!(refused("//: grid 3", "//: gird 3").contains("unknown word `gird`"));
    assert!(refused("//: defect labels are those of the kernel\n", "").contains("`defect` or `correct`"));
}

#[test]
fn findings_are_told_apart() {
    let cases = parsed();
    let stated = &cases[0].expected[0];
    let race = Seen {
        kind: "race".to_owned(),
        severity: "error".to_owned(),
        line: Some(20),
        other: Some(19),
        space: Some("shared".to_owned()),
        object: Some("_ZZ5firstE4tile".to_owned()),
        message: String::new(),
        advice: String::new(),
    };
    assert!(race.is(stated));
    assert!(Seen { line: Some(19), other: Some(5), ..race.clone() }.is(stated), "either order, either label");
    assert!(!Seen { line: Some(20), other: Some(20), ..race.clone() }.is(stated), "lines");
    assert!(!Seen { other: None, ..race.clone() }.is(stated), "no other line");
    assert!(!Seen { severity: "warning".to_owned(), ..race.clone() }.is(stated), "severity");
    assert!(!Seen { kind: "uninitialized".to_owned(), ..race.clone() }.is(stated), "kind");
    assert!(!Seen { space: Some("global".to_owned()), ..race.clone() }.is(stated), "space");
    assert!(!Seen { space: None, ..race.clone() }.is(stated), "no space");
    assert!(!Seen { object: Some("sums".to_owned()), ..race.clone() }.is(stated), "variable");
    let stated = &cases[2].expected[0];
    let fault = Seen { kind: "misaligned".to_owned(), line: Some(27), other: None, ..race };
    assert!(fault.is(stated));
    assert!(!Seen { line: Some(19), ..fault }.is(stated), "the label of another kernel");
}

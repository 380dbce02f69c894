//! Parsing.

use crate::expression::{Expression, select, x, y};

fn shown(text: &str) -> String {
    text.parse::<Expression>().map_or_else(|error| error.to_string(), |expression| expression.to_string())
}

#[test]
fn operators_bind_as_in_python() {
    for (text, meant) in [
        ("x", "x"),
        ("1 + 2 * x", "(1 + (2 * x))"),
        ("-x ** 2", "(-(x ** 2))"),
        ("x ** -2", "(x ** (-2))"),
        ("2 ** 3 ** 2", "(2 ** (3 ** 2))"),
        ("x - y - 1", "((x - y) - 1)"),
        ("x // 3 % 2 / 4", "(((x // 3) % 2) / 4)"),
        ("~(x > 1) & (y <= 2) | (x != y) ^ (x == 1)", "(((~(x > 1)) & (y <= 2)) | ((x != y) ^ (x == 1)))"),
        ("x & 3 == 1", "((x & 3) == 1)"),
        ("where(x > 0, sqrt(x), min(y, 1.5e-3))", "where((x > 0), sqrt(x), min(y, 0.0015))"),
        ("+x + .5 + 1.", "((x + 0.5) + 1.0)"),
        ("f32(max(abs(x), floor(exp(log(y))))) * pi", "(f32(max(abs(x), floor(exp(log(y))))) * 3.141592653589793)"),
        ("scale*x", "(scale * x)"),
    ] {
        assert_eq!(shown(text), meant, "{text}");
    }
}

#[test]
fn what_is_built_in_rust_is_what_the_text_says() {
    for (built, text) in [
        ((x() - 3.5) * (x() - 3.5), "(x - 3.5) * (x - 3.5)"),
        (1 / x() + 2 % y(), "1 / x + 2 % y"),
        (select(x().ge(0) & !x().eq(7), -x(), 2.5_f32), "where((x >= 0) & ~(x == 7), -x, 2.5)"),
        (x().min(1).max(y()).power(2).floor_divide(3), "max(min(x, 1), y)**2 // 3"),
        ((x().lt(1) | x().gt(2)) ^ (x().le(1) | x().ne(2)), "((x < 1) | (x > 2)) ^ ((x <= 1) | (x != 2))"),
        (x().abs().sqrt().exp().log().floor(), "floor(log(exp(sqrt(abs(x)))))"),
    ] {
        assert_eq!(built.to_string(), shown(text));
    }
}

#[test]
fn errors_say_where_and_what_to_write() {
    for (text, said) in [
        ("", "column 1 of the expression: the expression ends too early: a value is missing"),
        ("x +", "column 4 of the expression: the expression ends too early: a value is missing"),
        ("(x + 1", "column 7 of the expression: the ( of column 1 is not closed here: add a )"),
        ("x + 1)", "column 6 of the expression: this ) closes nothing: leave it out, or add a ("),
        ("2x", "column 1 of the expression: 2 is followed by a letter: write a * between a number and a name"),
        ("x y", "column 3 of the expression: an operator is missing before this: write one, such as *"),
        ("x * * 2", "column 5 of the expression: a value is missing before *: write one"),
        (
            "x && y",
            "column 3 of the expression: && is not an operator here: write & for and, with both comparisons in \
            parentheses",
        ),
        ("x = 1", "column 3 of the expression: = is not understood: write == to compare"),
        ("x > 0 ? x : y", "column 7 of the expression: ? is not understood: write where(condition, a, b)"),
        ("0 < x < 1", "column 7 of the expression: comparisons do not chain: write (a < b) & (b < c)"),
        ("not x", "column 1 of the expression: not is for single values: write & for and, | for or, ~ for not"),
        (
            "sin(x)",
            "column 1 of the expression: there is no function sin: use abs, sqrt, exp, log, floor, min, max, \
            where, or a type such as f32",
        ),
        ("sqrt", "column 1 of the expression: sqrt is a function: write sqrt(x)"),
        ("min(x)", "column 1 of the expression: min takes 2 arguments, not 1: write min(x, y)"),
        ("exp(x, y)", "column 1 of the expression: exp takes 1 argument, not 2: write exp(x)"),
        (
            "x + 99999999999999999999",
            "column 5 of the expression: 99999999999999999999 is too large: use a smaller \
            number",
        ),
        ("é + x, 1", "column 6 of the expression: a comma separates arguments of a function: leave it out"),
    ] {
        assert_eq!(shown(text), said, "{text}");
    }
    assert!(shown(&"(".repeat(5000)).contains("nested too deeply"));
    assert!(shown(&"-".repeat(5000)).contains("nested too deeply"));
    assert!(shown(&"~x ** ".repeat(5000)).contains("nested too deeply"));
}

#[test]
fn any_text_is_parsed_or_refused() {
    let mut random = crate::random::Random::new(3);
    const PARTS: [&str; 20] = [
        "x", "y", "(", ")", "+", "-", "**", "1", "2.5", ",", "where(", "min(", "<", "~", "&", "1e", "é", ".", "f32(",
        " ",
    ];
    for _ in 0..20_000 {
        let text: String = (0..random.below(12)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        let shown = shown(&text);
        assert!(!shown.is_empty(), "{text}");
    }
}

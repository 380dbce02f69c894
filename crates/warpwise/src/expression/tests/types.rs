//! Types, as NumPy has them.

use crate::expression::{Expression, x};
use crate::primitive::Type::{self, F32, F64, I32, I64, U8, U32, U64};

fn result(text: &str, inputs: &[Type]) -> Result<Type, String> {
    let expression: Expression = text.parse().expect("it is well formed");
    expression.result(inputs).map_err(|error| error.to_string())
}

#[test]
fn results_have_the_types_that_numpy_gives_them() {
    for (text, inputs, expected) in [
        ("x - 3.5", &[F32][..], F32),
        ("x - 3", &[F32], F32),
        ("x - 3.5", &[I32], F64),
        ("x - 3", &[I32], I32),
        ("x - 3", &[U8], U8),
        ("x + y", &[U8, I32], I32),
        ("x + y", &[I32, U32], I64),
        ("x + y", &[I64, U64], F64),
        ("x + y", &[I32, F32], F64),
        ("x + y", &[U8, F32], F32),
        ("x / y", &[I32, I32], F64),
        ("x / 2", &[F32], F32),
        ("x // 2", &[U32], U32),
        ("x % 2", &[I64], I64),
        ("x ** 2", &[U8], U8),
        ("x ** 2.0", &[I32], F64),
        ("x ** 0.5", &[F32], F32),
        ("sqrt(x)", &[I32], F64),
        ("sqrt(x)", &[F32], F32),
        ("abs(x)", &[I32], I32),
        ("x > 1", &[F64], U8),
        ("(x > 1) + x", &[F32], F32),
        ("(x > 1) * 2", &[F32], I64),
        ("where(x > 1, 1, 0)", &[F32], I64),
        ("where(x > 1, x, 0)", &[F32], F32),
        ("where(x > 1, 1, 0.5)", &[F32], F64),
        ("u64(x) * 3", &[I32], U64),
        ("~x & 7", &[U8], U8),
        ("1 / 2 * x", &[F32], F32),
        ("7", &[U8], I64),
        ("7 / 2", &[U8], F64),
        ("exp(1) * x", &[F32], F32),
    ] {
        assert_eq!(result(text, inputs), Ok(expected), "{text} of {inputs:?}");
    }
}

#[test]
fn what_has_no_type_is_refused() {
    for (text, inputs, said) in [
        ("x + 300", &[U8][..], "column 3 of the expression: 300 does not fit into u8: write u64(...) beside it"),
        ("x + y", &[U8], "column 5 of the expression: y has no elements: give a second input"),
        ("a * x", &[F32], "column 1 of the expression: there is no value for a: give one, or use x or y"),
        (
            "x ** x",
            &[F32],
            "column 3 of the expression: the exponent is not a number: write exp(b * log(a)) for a ** b",
        ),
        ("x ** 1.5", &[F32], "column 3 of the expression: the exponent is not whole: write exp(b * log(a)) for a ** b"),
        (
            "x ** -1",
            &[I32],
            "column 3 of the expression: integers have no negative powers: write f64(...) around the base",
        ),
        ("x & 1", &[F32], "column 3 of the expression: & is for bools and integers: put comparisons in parentheses"),
        (
            "(x > 1) + (x < 3)",
            &[F32],
            "column 9 of the expression: + is not for bools: write u8(...) around \
            comparisons, or use & | ~",
        ),
        (
            "where(x, 1, 2)",
            &[F32],
            "column 7 of the expression: the condition is a number: write a comparison such as \
            != 0",
        ),
        ("~x", &[F32], "column 1 of the expression: ~ is for bools and integers: write a comparison, or i32(...)"),
        (
            "-(x > 1)",
            &[F32],
            "column 1 of the expression: - is not for bools: write u8(...) around comparisons, or use \
            & | ~",
        ),
    ] {
        assert_eq!(result(text, inputs), Err(said.to_owned()), "{text} of {inputs:?}");
    }
}

#[test]
fn a_result_of_another_type_is_refused() {
    let error = (x() / 2).of::<f32, i32, _>(&[1, 2]).expect_err("it is f64").to_string();
    assert_eq!(error, "in the expression, the result is f64, not f32: write f32(...) around it");
}

#[test]
fn a_tree_that_is_too_deep_is_refused() {
    let deep = (0..5000).fold(x(), |so_far, _| so_far + 1);
    assert!(deep.result(&[F32]).unwrap_err().to_string().contains("nested too deeply"));
}

#[test]
fn elements_of_a_type_that_expressions_do_not_have_are_refused() {
    for error in [x().of::<u8, u16, _>(&[1]).unwrap_err(), x().of::<u16, u8, _>(&[1]).unwrap_err()] {
        assert!(error.to_string().contains("there are no elements of type u16: convert them to"), "{error}");
    }
}

//! Arrays of numbers.

use crate::kernels::run::Value;
use warpwise::Element;

/// Numbers of one type.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Numbers {
    U8(Vec<u8>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Evaluates an expression for the vector inside [`Numbers`], whatever its type.
macro_rules! with_numbers {
    ($numbers:expr, $xs:ident => $body:expr) => {
        match $numbers {
            $crate::files::Numbers::U8($xs) => $body,
            $crate::files::Numbers::I32($xs) => $body,
            $crate::files::Numbers::U32($xs) => $body,
            $crate::files::Numbers::I64($xs) => $body,
            $crate::files::Numbers::U64($xs) => $body,
            $crate::files::Numbers::F32($xs) => $body,
            $crate::files::Numbers::F64($xs) => $body,
        }
    };
}
pub(crate) use with_numbers;

/// Evaluates an expression for a type of numbers.
macro_rules! with_type {
    ($ty:expr, $t:ident => $body:expr) => {{
        use warpwise::primitive::Type;
        match $ty {
            Type::U8 => {
                type $t = u8;
                $body
            }
            Type::I32 => {
                type $t = i32;
                $body
            }
            Type::U32 => {
                type $t = u32;
                $body
            }
            Type::I64 => {
                type $t = i64;
                $body
            }
            Type::U64 => {
                type $t = u64;
                $body
            }
            Type::F32 => {
                type $t = f32;
                $body
            }
            Type::F64 => {
                type $t = f64;
                $body
            }
        }
    }};
}
pub(crate) use with_type;

/// Like [`with_numbers`], with bytes widened to `u64` as in NumPy: a sum of bytes that wraps at 256 is useless.
macro_rules! with_wide_numbers {
    ($numbers:expr, $xs:ident => $body:expr) => {
        match $numbers {
            $crate::files::Numbers::U8(bytes) => {
                let $xs = &bytes.iter().copied().map(u64::from).collect::<Vec<u64>>();
                $body
            }
            $crate::files::Numbers::I32($xs) => $body,
            $crate::files::Numbers::U32($xs) => $body,
            $crate::files::Numbers::I64($xs) => $body,
            $crate::files::Numbers::U64($xs) => $body,
            $crate::files::Numbers::F32($xs) => $body,
            $crate::files::Numbers::F64($xs) => $body,
        }
    };
}
pub(crate) use with_wide_numbers;

/// A type that [`Numbers`] can hold.
pub(crate) trait Number: Element {
    /// NumPy's name for the type, little-endian.
    const DTYPE: &'static str;
    /// Reads one from its little-endian bytes.
    fn from_le(bytes: &[u8]) -> Self;
    /// Appends its little-endian bytes.
    fn push_le(self, out: &mut Vec<u8>);
    /// A vector of any type.
    fn numbers(values: Vec<Self>) -> Numbers;
    /// The value as reports show it.
    fn value(self) -> Value;
}

macro_rules! number {
    ($($t:ident $variant:ident $dtype:literal $value:expr;)*) => {$(
        impl Number for $t {
            const DTYPE: &'static str = $dtype;

            fn from_le(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<Self>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
            fn push_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn numbers(values: Vec<Self>) -> Numbers {
                Numbers::$variant(values)
            }
            fn value(self) -> Value {
                $value(self)
            }
        }
    )*};
}

number! {
    u8 U8 "|u1" |v| Value::Integer(i128::from(v));
    i32 I32 "<i4" |v| Value::Integer(i128::from(v));
    u32 U32 "<u4" |v| Value::Integer(i128::from(v));
    i64 I64 "<i8" |v| Value::Integer(i128::from(v));
    u64 U64 "<u8" |v| Value::Integer(i128::from(v));
    f32 F32 "<f4" Value::Single;
    f64 F64 "<f8" Value::Double;
}

impl Numbers {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        with_numbers!(self, xs => xs.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of their type: `f32`.
    pub fn type_name(&self) -> &'static str {
        fn name<T: Element>(_: &[T]) -> &'static str {
            T::NAME
        }
        with_numbers!(self, xs => name(xs))
    }
}

/// Numbers with a shape, the last dimension being the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The length of every dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub numbers: Numbers,
}

impl Array {
    /// The shape as people write it: `3 x 4`.
    pub fn shape_text(&self) -> String {
        match self.shape.as_slice() {
            [] => "one number".to_owned(),
            shape => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x "),
        }
    }
}

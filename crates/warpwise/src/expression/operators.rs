//! Expressions built in Rust.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};

use super::kind::Kind;
use super::tree::{Binary, Expression, Unary, What};
use crate::primitive::Type;

/// The element of the first input.
///
/// ```
/// use warpwise::expression::x;
/// use warpwise::{Device, map};
///
/// let squares: Vec<i32> = map::run(&Device::best(), &(x() * x()).of(&[1, 2, 3])?)?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn x() -> Expression {
    Expression::new(What::Input(0), 0)
}

/// The element of the second input.
///
/// ```
/// use warpwise::expression::{x, y};
/// use warpwise::{Device, map};
///
/// let larger: Vec<i32> = map::run(&Device::best(), &x().max(y()).of_both(&[1, 5], &[4, 2])?)?;
/// assert_eq!(larger, [4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn y() -> Expression {
    Expression::new(What::Input(1), 0)
}

/// The first where the condition holds, else the second.
///
/// ```
/// use warpwise::expression::{select, x};
/// use warpwise::{Device, map};
///
/// let positive: Vec<i32> = map::run(&Device::best(), &select(x().gt(0), x(), 0).of(&[-3, 4])?)?;
/// assert_eq!(positive, [0, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn select(condition: Expression, then: impl Into<Expression>, otherwise: impl Into<Expression>) -> Expression {
    Expression::new(What::Where(condition, then.into(), otherwise.into()), 0)
}

macro_rules! constants {
    ($($t:ty => $what:ident as $wide:ty),*) => {$(
        /// A number, which takes the type of what it meets.
        impl From<$t> for Expression {
            fn from(value: $t) -> Self {
                Self::new(What::$what(<$wide>::from(value)), 0)
            }
        }
    )*};
}

constants!(u8 => Int as i128, i32 => Int as i128, u32 => Int as i128, i64 => Int as i128, u64 => Int as i128,
    f32 => Float as f64, f64 => Float as f64);

// One implementation for whatever is on the right, and one type of each sort of literal on the left: so the compiler
// knows the result of an operator before it knows the type of a literal.
macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => {$(
        impl<R: Into<Expression>> $trait<R> for Expression {
            type Output = Expression;
            fn $method(self, other: R) -> Expression {
                self.binary(Binary::$op, other.into())
            }
        }
        operators!(@left i32 $trait $method $op);
        operators!(@left f64 $trait $method $op);
    )*};
    (@left $t:ident $trait:ident $method:ident $op:ident) => {
        impl $trait<Expression> for $t {
            type Output = Expression;
            fn $method(self, other: Expression) -> Expression {
                Expression::from(self).binary(Binary::$op, other)
            }
        }
    };
}

operators!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder, BitAnd bitand And,
    BitOr bitor Or, BitXor bitxor Xor);

impl Neg for Expression {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(Unary::Negate)
    }
}

impl Not for Expression {
    type Output = Self;
    fn not(self) -> Self {
        self.unary(Unary::Not)
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident = $kind:ident $op:ident;)*) => {$(
        methods!(@$kind $(#[$doc])* $name $op);
    )*};
    (@unary $(#[$doc:meta])* $name:ident $op:ident) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(self) -> Self {
            self.unary(Unary::$op)
        }
    };
    (@binary $(#[$doc:meta])* $name:ident $op:ident) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(self, other: impl Into<Self>) -> Self {
            self.binary(Binary::$op, other.into())
        }
    };
}

impl Expression {
    fn unary(self, op: Unary) -> Self {
        Self::new(What::Unary(op, self), 0)
    }

    fn binary(self, op: Binary, other: Self) -> Self {
        Self::new(What::Binary(op, self, other), 0)
    }

    methods! {
        /// The magnitude.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().abs().to_string(), "abs(x)");
        /// ```
        abs = unary Absolute;
        /// The square root, of integers in `f64`.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().sqrt().to_string(), "sqrt(x)");
        /// ```
        sqrt = unary Sqrt;
        /// e to that power, of integers in `f64`.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().exp().to_string(), "exp(x)");
        /// ```
        exp = unary Exp;
        /// The natural logarithm, of integers in `f64`.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().log().to_string(), "log(x)");
        /// ```
        log = unary Log;
        /// The next whole number below, of the same type.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().floor().to_string(), "floor(x)");
        /// ```
        floor = unary Floor;
        /// The smaller one; NaN wins.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().min(255).to_string(), "min(x, 255)");
        /// ```
        min = binary Min;
        /// The larger one; NaN wins.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().max(0).to_string(), "max(x, 0)");
        /// ```
        max = binary Max;
        /// The quotient rounded down.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().floor_divide(10).to_string(), "(x // 10)");
        /// ```
        floor_divide = binary FloorDivide;
        /// A power; the exponent is a whole number, or 0.5.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().power(3).to_string(), "(x ** 3)");
        /// ```
        power = binary Power;
        /// Whether both are equal; NaN is not.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().eq(1).to_string(), "(x == 1)");
        /// ```
        eq = binary Equal;
        /// Whether they differ.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().ne(1).to_string(), "(x != 1)");
        /// ```
        ne = binary Unequal;
        /// Whether this is smaller.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().lt(1).to_string(), "(x < 1)");
        /// ```
        lt = binary Less;
        /// Whether this is smaller or equal.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().le(1).to_string(), "(x <= 1)");
        /// ```
        le = binary LessOrEqual;
        /// Whether this is larger.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().gt(1).to_string(), "(x > 1)");
        /// ```
        gt = binary Greater;
        /// Whether this is larger or equal.
        ///
        /// ```
        /// assert_eq!(warpwise::expression::x().ge(1).to_string(), "(x >= 1)");
        /// ```
        ge = binary GreaterOrEqual;
    }

    /// The value in another type. Integers wrap; floats lose what is behind the point, what is too large becomes the
    /// largest number, and NaN 0.
    ///
    /// ```
    /// use warpwise::expression::x;
    /// use warpwise::{Device, map, primitive::Type};
    ///
    /// let cut: Vec<u8> = map::run(&Device::best(), &x().cast(Type::U8).of(&[2.9_f32, 300.0, f32::NAN])?)?;
    /// assert_eq!(cut, [2, 255, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn cast(self, to: Type) -> Self {
        Self::new(What::Cast(Kind::of(to), self), 0)
    }
}

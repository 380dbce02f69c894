//! The operators of reduce and scan.

use crate::Element;
use crate::primitive::{Choice, Parameter, Problem, Setting};

/// What reduce and scan combine elements with.
///
/// ```
/// use warpwise::Operator;
///
/// assert_eq!(Operator::Min.identity::<i32>(), i32::MAX);
/// assert_eq!(Operator::Sum.apply(2, 3), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// The sum; integers wrap.
    Sum,
    /// The product; integers wrap.
    Product,
    /// The smallest value; NaN wins, -0 is smaller than +0.
    Min,
    /// The largest value; NaN wins, -0 is smaller than +0.
    Max,
}

impl Operator {
    /// Every operator.
    ///
    /// ```
    /// use warpwise::Operator;
    ///
    /// assert_eq!(Operator::ALL.map(Operator::name), ["sum", "product", "min", "max"]);
    /// ```
    pub const ALL: [Self; 4] = [Self::Sum, Self::Product, Self::Min, Self::Max];

    /// The operator's name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::Operator::Product.name(), "product");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    /// The identity: combining with it changes nothing, and scans start from it.
    ///
    /// ```
    /// use warpwise::Operator;
    ///
    /// assert_eq!(Operator::Product.identity::<i32>(), 1);
    /// assert_eq!(Operator::Max.identity::<f32>(), f32::NEG_INFINITY);
    /// ```
    pub fn identity<T: Element>(self) -> T {
        match self {
            Self::Sum => Sum::identity(),
            Self::Product => Product::identity(),
            Self::Min => Min::identity(),
            Self::Max => Max::identity(),
        }
    }

    /// The two values combined.
    ///
    /// ```
    /// use warpwise::Operator;
    ///
    /// assert_eq!(Operator::Max.apply(2, 3), 3);
    /// assert_eq!(Operator::Sum.apply(255_u8, 1), 0);
    /// ```
    pub fn apply<T: Element>(self, a: T, b: T) -> T {
        match self {
            Self::Sum => Sum::combine(a, b),
            Self::Product => Product::combine(a, b),
            Self::Min => Min::combine(a, b),
            Self::Max => Max::combine(a, b),
        }
    }
}

impl Operator {
    /// The operator parameter, for primitives that offer it.
    pub(crate) const PARAMETER: Parameter = Parameter {
        name: "op",
        about: "what elements are combined with",
        choice: Choice::Words(&["sum", "product", "min", "max"]),
        default: Setting::Word("sum"),
        watched: Setting::Word("sum"),
        quiet: false,
    };

    /// The operator that a problem asks for.
    pub(crate) fn of(problem: &Problem) -> Self {
        let name = problem.word(Self::PARAMETER.name);
        Self::ALL.into_iter().find(|operator| operator.name() == name).unwrap_or(Self::Sum)
    }

    /// Whether the order in which elements are combined shows in the result: it does where results are rounded.
    pub(crate) fn order_shows<T: Element>(self) -> bool {
        T::IS_FLOAT && matches!(self, Self::Sum | Self::Product)
    }
}

/// An operator known at compile time, for inner loops.
pub(crate) trait Combine: Copy + Send + Sync + 'static {
    const OPERATOR: Operator;
    /// Whether bits of integers with and without a sign are combined to the same bits.
    const IGNORES_SIGNS: bool = matches!(Self::OPERATOR, Operator::Sum | Operator::Product);
    fn identity<T: Element>() -> T;
    fn combine<T: Element>(a: T, b: T) -> T;
}

macro_rules! combine {
    ($($name:ident $identity:ident $method:ident),*) => {$(
        #[derive(Clone, Copy)]
        pub(crate) struct $name;
        impl Combine for $name {
            const OPERATOR: Operator = Operator::$name;

            #[inline(always)]
            fn identity<T: Element>() -> T {
                T::$identity
            }
            #[inline(always)]
            fn combine<T: Element>(a: T, b: T) -> T {
                a.$method(b)
            }
        }
    )*};
}

combine!(Sum ZERO plus, Product ONE times, Min HIGHEST minimum, Max LOWEST maximum);

/// Calls `$function::<$t, O>($args)` with the `O` of an [`Operator`].
macro_rules! with_operator {
    ($op:expr, $function:ident::<$t:ty>($($arg:expr),*)) => {
        match $op {
            $crate::Operator::Sum => $function::<$t, $crate::operator::Sum>($($arg),*),
            $crate::Operator::Product => $function::<$t, $crate::operator::Product>($($arg),*),
            $crate::Operator::Min => $function::<$t, $crate::operator::Min>($($arg),*),
            $crate::Operator::Max => $function::<$t, $crate::operator::Max>($($arg),*),
        }
    };
}
pub(crate) use with_operator;

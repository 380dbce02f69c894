//! What elements are kept.

use crate::Element;

/// How an element that is kept compares with a value.
///
/// ```
/// use warpwise::compact::Condition;
///
/// assert!(Condition::Less(3).keeps(2));
/// assert!(!Condition::Equal(f32::NAN).keeps(f32::NAN));
/// assert!(Condition::NotEqual(f32::NAN).keeps(f32::NAN));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition<T> {
    /// Elements that equal the value.
    Equal(T),
    /// Elements that do not: NaN is one.
    NotEqual(T),
    /// Elements below the value.
    Less(T),
    /// Elements above the value.
    Greater(T),
}

impl<T: Element> Condition<T> {
    /// Every condition with that value.
    ///
    /// ```
    /// use warpwise::compact::Condition;
    ///
    /// let kept = Condition::all(2).map(|condition| condition.keeps(1));
    /// assert_eq!(kept, [false, true, true, false]);
    /// ```
    pub fn all(value: T) -> [Self; 4] {
        [Self::Equal(value), Self::NotEqual(value), Self::Less(value), Self::Greater(value)]
    }

    /// Whether an element is kept.
    ///
    /// ```
    /// assert!(warpwise::compact::Condition::Greater(0.5).keeps(1.0));
    /// ```
    #[inline(always)]
    pub fn keeps(self, x: T) -> bool {
        match self {
            Self::Equal(value) => x == value,
            Self::NotEqual(value) => x != value,
            Self::Less(value) => x < value,
            Self::Greater(value) => x > value,
        }
    }

    /// The condition in words: `equal`, `not-equal`, `less` or `greater`.
    ///
    /// ```
    /// assert_eq!(warpwise::compact::Condition::NotEqual(0).name(), "not-equal");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal(_) => "equal",
            Self::NotEqual(_) => "not-equal",
            Self::Less(_) => "less",
            Self::Greater(_) => "greater",
        }
    }

    /// The value to compare with.
    ///
    /// ```
    /// assert_eq!(warpwise::compact::Condition::Less(7).value(), 7);
    /// ```
    pub fn value(self) -> T {
        match self {
            Self::Equal(value) | Self::NotEqual(value) | Self::Less(value) | Self::Greater(value) => value,
        }
    }
}

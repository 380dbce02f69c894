//! The names of element types.

/// An element type, as the command line spells it.
///
/// ```
/// use warpwise::primitive::Type;
///
/// assert_eq!(Type::parse("f32"), Some(Type::F32));
/// assert_eq!((Type::F32.name(), Type::F32.bytes()), ("f32", 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Bytes.
    U8,
    /// Signed integers of 32 bits.
    I32,
    /// Unsigned integers of 32 bits.
    U32,
    /// Signed integers of 64 bits.
    I64,
    /// Unsigned integers of 64 bits.
    U64,
    /// Floats of 32 bits.
    F32,
    /// Floats of 64 bits.
    F64,
}

impl Type {
    /// Every type.
    ///
    /// ```
    /// use warpwise::primitive::Type;
    ///
    /// assert!(Type::ALL.iter().all(|&ty| Type::parse(ty.name()) == Some(ty)));
    /// ```
    pub const ALL: [Self; 7] = [Self::U8, Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];

    /// Its name.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Type::U64.name(), "u64");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Bytes of an element.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Type::U8.bytes(), 1);
    /// ```
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The type of that name.
    ///
    /// ```
    /// assert_eq!(warpwise::primitive::Type::parse("f16"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// Calls a generic function with the type that a [`Type`] names: `of_type!(ty, [i32 f32], case(problem))`. The list
/// matches the primitive's description, which is checked first.
macro_rules! of_type {
    ($ty:expr, [$($t:ident)*], $function:ident($argument:expr)) => {
        match $ty.name() {
            $(stringify!($t) => $function::<$t>($argument),)*
            other => unreachable!("the description does not list {other}"),
        }
    };
}
pub(crate) use of_type;

//! Expressions as they are written.

use std::fmt;
use std::sync::Arc;

use super::kind::Kind;

/// A formula for each element, of one or two inputs: see the [module](super).
///
/// ```
/// use warpwise::expression::{Expression, x, y};
///
/// let built = (x() - 3.5).power(2) + y().sqrt();
/// let parsed: Expression = "(x - 3.5)**2 + sqrt(y)".parse()?;
/// assert_eq!(built.to_string(), parsed.to_string());
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Expression(Arc<Node>);

/// A node of the tree, with its column in the text (from 1), or 0 if it was built in Rust.
#[derive(Debug)]
struct Node {
    what: What,
    at: usize,
    /// How deep it goes below.
    depth: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// `x` is 0 and `y` is 1; operators have more.
    Input(usize),
    Name(String),
    Int(i128),
    Float(f64),
    Unary(Unary, Expression),
    Binary(Binary, Expression, Expression),
    Where(Expression, Expression, Expression),
    Cast(Kind, Expression),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Negate,
    Not,
    Absolute,
    Sqrt,
    Exp,
    Log,
    Floor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    Min,
    Max,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Xor,
}

impl Unary {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Negate => "-",
            Self::Not => "~",
            Self::Absolute => "abs",
            Self::Sqrt => "sqrt",
            Self::Exp => "exp",
            Self::Log => "log",
            Self::Floor => "floor",
        }
    }
}

impl Binary {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
            Self::Power => "**",
            Self::Min => "min",
            Self::Max => "max",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
        }
    }
}

impl Expression {
    pub(crate) fn new(what: What, at: usize) -> Self {
        let depth = match &what {
            What::Unary(_, a) | What::Cast(_, a) => a.depth(),
            What::Binary(_, a, b) => a.depth().max(b.depth()),
            What::Where(a, b, c) => a.depth().max(b.depth()).max(c.depth()),
            _ => 0,
        };
        Self(Arc::new(Node { what, at, depth: depth + 1 }))
    }

    pub(crate) fn what(&self) -> &What {
        &self.0.what
    }

    /// The column in the text.
    pub(crate) fn at(&self) -> usize {
        self.0.at
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.depth
    }

    /// The same with a number for a name.
    ///
    /// ```
    /// use warpwise::expression::{Expression, x};
    ///
    /// let scaled: Expression = "a * x".parse()?;
    /// assert_eq!(scaled.with("a", 0.5).to_string(), "(0.5 * x)");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[must_use]
    pub fn with(&self, name: &str, value: impl Into<Self>) -> Self {
        self.replaced(name, &value.into())
    }

    fn replaced(&self, name: &str, value: &Self) -> Self {
        let at = self.at();
        let of = |a: &Self| a.replaced(name, value);
        match self.what() {
            What::Name(found) if found == name => value.clone(),
            What::Unary(op, a) => Self::new(What::Unary(*op, of(a)), at),
            What::Cast(to, a) => Self::new(What::Cast(*to, of(a)), at),
            What::Binary(op, a, b) => Self::new(What::Binary(*op, of(a), of(b)), at),
            What::Where(c, a, b) => Self::new(What::Where(of(c), of(a), of(b)), at),
            _ => self.clone(),
        }
    }
}

/// With every operation in parentheses.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what() {
            What::Input(number) => f.write_str(["x", "y"].get(*number).copied().unwrap_or("input")),
            What::Name(name) => f.write_str(name),
            What::Int(value) => write!(f, "{value}"),
            What::Float(value) => write!(f, "{value:?}"),
            What::Unary(op @ (Unary::Negate | Unary::Not), a) => write!(f, "({}{a})", op.name()),
            What::Unary(op, a) => write!(f, "{}({a})", op.name()),
            What::Binary(op @ (Binary::Min | Binary::Max), a, b) => write!(f, "{}({a}, {b})", op.name()),
            What::Binary(op, a, b) => write!(f, "({a} {} {b})", op.name()),
            What::Where(c, a, b) => write!(f, "where({c}, {a}, {b})"),
            What::Cast(to, a) => write!(f, "{}({a})", to.name()),
        }
    }
}

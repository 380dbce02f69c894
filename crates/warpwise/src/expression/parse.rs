//! Expressions from text, with the precedence that Python has.

use super::kind::Kind;
use super::lex::{Token, Word, words};
use super::tree::{Binary, Expression, Unary, What};
use crate::Error;

/// Parentheses and signs may be nested that deep.
const DEEPEST: usize = 100;

impl std::str::FromStr for Expression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text, &["x", "y"])
    }
}

/// The expression of a text, of inputs with these names.
pub(crate) fn parse(text: &str, inputs: &[&str]) -> Result<Expression, Error> {
    let mut parser = Parser { tokens: words(text)?, next: 0, inputs, depth: 0 };
    let expression = parser.whole()?;
    let Token { word, at } = parser.peek();
    match word {
        Word::End => Ok(expression),
        Word::Sign(")") => Err(Error::expression(*at, "this ) closes nothing: leave it out, or add a (")),
        Word::Sign(",") => Err(Error::expression(*at, "a comma separates arguments of a function: leave it out")),
        Word::Sign(sign) => Err(Error::expression(*at, format!("{sign} cannot stand here: leave it out"))),
        _ => Err(Error::expression(*at, "an operator is missing before this: write one, such as *")),
    }
}

/// Operators that are applied from left to right, those that bind least first.
const LEVELS: [&[(&str, Binary)]; 5] = [
    &[("|", Binary::Or)],
    &[("^", Binary::Xor)],
    &[("&", Binary::And)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("//", Binary::FloorDivide), ("%", Binary::Remainder)],
];

const COMPARISONS: [(&str, Binary); 6] = [
    ("==", Binary::Equal),
    ("!=", Binary::Unequal),
    ("<", Binary::Less),
    ("<=", Binary::LessOrEqual),
    (">", Binary::Greater),
    (">=", Binary::GreaterOrEqual),
];

const FUNCTIONS: [(&str, Unary); 5] = [
    ("abs", Unary::Absolute),
    ("sqrt", Unary::Sqrt),
    ("exp", Unary::Exp),
    ("log", Unary::Log),
    ("floor", Unary::Floor),
];

struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    inputs: &'a [&'a str],
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next]
    }

    /// The operator that comes next, if it is one of these, with its column.
    fn operator(&mut self, among: &[(&str, Binary)]) -> Option<(Binary, usize)> {
        let Token { word: Word::Sign(sign), at } = *self.peek() else { return None };
        let (_, op) = among.iter().find(|(name, _)| *name == sign)?;
        self.next += 1;
        Some((*op, at))
    }

    /// The column of a sign, if it comes next.
    fn sign(&mut self, wanted: &str) -> Option<usize> {
        let Token { word: Word::Sign(sign), at } = *self.peek() else { return None };
        (sign == wanted).then(|| {
            self.next += 1;
            at
        })
    }

    /// A comparison, or what can stand on its sides.
    fn whole(&mut self) -> Result<Expression, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::expression(self.peek().at, "this is nested too deeply: write it in steps"));
        }
        let left = self.level(0)?;
        let Some((op, at)) = self.operator(&COMPARISONS) else {
            self.depth -= 1;
            return Ok(left);
        };
        let right = self.level(0)?;
        if let Some((_, at)) = self.operator(&COMPARISONS) {
            return Err(Error::expression(at, "comparisons do not chain: write (a < b) & (b < c)"));
        }
        self.depth -= 1;
        Ok(Expression::new(What::Binary(op, left, right), at))
    }

    fn level(&mut self, level: usize) -> Result<Expression, Error> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let mut so_far = self.level(level + 1)?;
        while let Some((op, at)) = self.operator(operators) {
            so_far = Expression::new(What::Binary(op, so_far, self.level(level + 1)?), at);
        }
        Ok(so_far)
    }

    /// Signs before a power, or none.
    fn signed(&mut self) -> Result<Expression, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::expression(self.peek().at, "this is nested too deeply: write it in steps"));
        }
        let found = if let Some(at) = self.sign("-") {
            Expression::new(What::Unary(Unary::Negate, self.signed()?), at)
        } else if let Some(at) = self.sign("~") {
            Expression::new(What::Unary(Unary::Not, self.signed()?), at)
        } else if self.sign("+").is_some() {
            self.signed()?
        } else {
            let base = self.atom()?;
            match self.sign("**") {
                Some(at) => Expression::new(What::Binary(Binary::Power, base, self.signed()?), at),
                None => base,
            }
        };
        self.depth -= 1;
        Ok(found)
    }

    fn atom(&mut self) -> Result<Expression, Error> {
        let Token { word, at } = self.peek().clone();
        let what = match word {
            Word::Int(value) => What::Int(value),
            Word::Float(value) => What::Float(value),
            Word::Name(name) => {
                self.next += 1;
                return match self.sign("(") {
                    Some(_) => self.call(&name, at),
                    None => self.name(name, at),
                };
            }
            Word::Sign("(") => {
                self.next += 1;
                let inside = self.whole()?;
                return self.closing(at).map(|()| inside);
            }
            Word::End => return Err(Error::expression(at, "the expression ends too early: a value is missing")),
            Word::Sign(sign) => {
                return Err(Error::expression(at, format!("a value is missing before {sign}: write one")));
            }
        };
        self.next += 1;
        Ok(Expression::new(what, at))
    }

    fn closing(&mut self, opened: usize) -> Result<(), Error> {
        let at = self.peek().at;
        let missing = || Error::expression(at, format!("the ( of column {opened} is not closed here: add a )"));
        self.sign(")").map(|_| ()).ok_or_else(missing)
    }

    fn name(&self, name: String, at: usize) -> Result<Expression, Error> {
        let what = match self.inputs.iter().position(|input| *input == name) {
            Some(number) => What::Input(number),
            None => match &*name {
                "pi" => What::Float(std::f64::consts::PI),
                "inf" => What::Float(f64::INFINITY),
                "nan" => What::Float(f64::NAN),
                "and" | "or" | "not" => {
                    let why = format!("{name} is for single values: write & for and, | for or, ~ for not");
                    return Err(Error::expression(at, why));
                }
                _ if FUNCTIONS.iter().any(|(function, _)| *function == name) => {
                    return Err(Error::expression(at, format!("{name} is a function: write {name}(x)")));
                }
                _ => What::Name(name),
            },
        };
        Ok(Expression::new(what, at))
    }

    fn call(&mut self, name: &str, at: usize) -> Result<Expression, Error> {
        let mut arguments = Vec::new();
        if self.sign(")").is_none() {
            arguments.push(self.whole()?);
            while self.sign(",").is_some() {
                arguments.push(self.whole()?);
            }
            self.closing(at)?;
        }
        let wanted = match name {
            "min" | "max" => 2,
            "where" => 3,
            _ => 1,
        };
        let function = FUNCTIONS.iter().find(|(function, _)| *function == name).map(|(_, op)| *op);
        let cast = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        if function.is_none() && cast.is_none() && wanted == 1 {
            let known = "abs, sqrt, exp, log, floor, min, max, where, or a type such as f32";
            return Err(Error::expression(at, format!("there is no function {name}: use {known}")));
        }
        if arguments.len() != wanted {
            let example = ["x", "x, y", "x > 0, x, y"][wanted - 1];
            let why = format!("{name} takes {wanted} arguments, not {}: write {name}({example})", arguments.len());
            return Err(Error::expression(at, why.replace("1 arguments", "1 argument")));
        }
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().unwrap_or_else(|| Expression::new(What::Int(0), at));
        let what = match (function, cast) {
            (Some(op), _) => What::Unary(op, next()),
            (_, Some(to)) => What::Cast(to, next()),
            _ if name == "where" => What::Where(next(), next(), next()),
            _ => What::Binary(if name == "min" { Binary::Min } else { Binary::Max }, next(), next()),
        };
        Ok(Expression::new(what, at))
    }
}

//! Reductions and scans with an operator of one's own, of items with several fields.

mod lanes;
mod scanned;
#[cfg(test)]
mod tests;

pub use scanned::Scanned;

use super::check::{program, program_of, program_of_all};
use super::gpu;
use super::kind::Kind;
use super::mapped::{Operand, Parts, kind_of};
use super::parse::parse;
use super::program::Op;
use super::ptx;
use super::tree::Expression;
use crate::simd::Level;
use crate::{Device, Element, Error, scan};

/// The most fields of an item.
const MOST_FIELDS: usize = 4;

/// A reduction or a scan with an operator of one's own.
///
/// Every element gives an item of one to four fields. The operator is written field by field, where `a` is the item
/// before and `b` the one after: `a.re` is a field of `a`. Whoever makes one states that the operator is associative;
/// elements are combined in their order, unless it is [commutative](Self::commutative) too, which is faster.
///
/// ```
/// use warpwise::Device;
/// use warpwise::expression::{Fold, Operand};
///
/// // The product of complex numbers, whose parts are in two inputs.
/// let product = Fold::associative()
///     .field("re", "x", "a.re * b.re - a.im * b.im", 1)
///     .field("im", "y", "a.re * b.im + a.im * b.re", 0)
///     .commutative();
/// let (re, im) = ([1.0_f32, 0.0, 2.0], [1.0_f32, 1.0, 0.0]);
/// let found = product.run(&Device::best(), vec![Operand::new(&re), Operand::new(&im)])?;
/// assert_eq!((found.get::<f32>("re")?, found.get::<f32>("im")?), (-2.0, 2.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fold {
    fields: Vec<Field>,
    commutative: bool,
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    item: String,
    combine: String,
    identity: Expression,
}

/// What came out of a [`Fold`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::expression::{Fold, Operand};
///
/// let product = Fold::associative().field("value", "x", "a.value * b.value", 1).commutative();
/// let found = product.run(&Device::best(), vec![Operand::new(&[3, 1, 4])])?;
/// assert_eq!(found.get::<i32>("value")?, 12);
/// assert!(found.get::<f32>("value").unwrap_err().to_string().contains("i32"));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folded {
    fields: Vec<(String, Kind, u64)>,
}

impl Folded {
    /// A field.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] if there is none of that name and type.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::expression::{Fold, Operand};
    ///
    /// let sum = Fold::associative().field("sum", "x", "a.sum + b.sum", 0).commutative();
    /// assert_eq!(sum.run(&Device::best(), vec![Operand::new(&[1_u64, 2])])?.get::<u64>("sum")?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get<T: Element>(&self, name: &str) -> Result<T, Error> {
        let found = self.fields.iter().find(|(field, ..)| field == name);
        match found {
            Some((_, kind, bits)) if Some(*kind) == kind_of::<T>() => Ok(gpu::of_bits(*bits)),
            Some((_, kind, _)) => {
                Err(Error::expression(0, format!("{name} is {}, not {}: ask for that", kind.name(), T::NAME)))
            }
            None => Err(Error::expression(0, format!("there is no field {name}: use one of those that were given"))),
        }
    }
}

/// A fold whose texts were read.
struct Ready<'a> {
    fold: ptx::Fold,
    kinds: Vec<Kind>,
    parts: Parts<'a>,
}

impl Fold {
    /// A reduction without fields yet, with an operator that is associative.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::expression::{Fold, Operand};
    ///
    /// // The place and the value of the largest element, with what another input has there.
    /// let better = "(b.value > a.value)";
    /// let choose = |field: &str| format!("where({better}, b.{field}, a.{field})");
    /// let argmax = Fold::associative()
    ///     .field("value", "x", &choose("value"), f64::NEG_INFINITY)
    ///     .field("place", "index", &choose("place"), 0)
    ///     .field("payload", "y", &choose("payload"), 0);
    /// let (xs, ys) = ([2.0_f32, 7.0, 7.0], [10, 20, 30]);
    /// let found = argmax.run(&Device::emulator(), vec![Operand::new(&xs), Operand::new(&ys)])?;
    /// assert_eq!((found.get::<u64>("place")?, found.get::<i32>("payload")?), (1, 20));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn associative() -> Self {
        Self { fields: Vec::new(), commutative: false }
    }

    /// Adds a field: its name, what it is for an element (of `x`, `y` and `index`), what it is for `a` and `b` combined,
    /// and its value in the item that changes nothing, whether it comes before or after another one. A field that is the
    /// only one may be written as `a` and `b`.
    ///
    /// ```
    /// use warpwise::expression::Fold;
    ///
    /// let sum = Fold::associative().field("sum", "x", "a.sum + b.sum", 0);
    /// assert!(format!("{sum:?}").contains("a.sum + b.sum"));
    /// ```
    #[must_use]
    pub fn field(mut self, name: &str, item: &str, combine: &str, identity: impl Into<Expression>) -> Self {
        let (item, combine) = (item.to_owned(), combine.to_owned());
        self.fields.push(Field { name: name.to_owned(), item, combine, identity: identity.into() });
        self
    }

    /// States that the operator is commutative too: the order of elements does not matter.
    ///
    /// ```
    /// use warpwise::expression::Fold;
    ///
    /// let sum = Fold::associative().field("sum", "x", "a.sum + b.sum", 0).commutative();
    /// assert!(format!("{sum:?}").contains("commutative: true"));
    /// ```
    #[must_use]
    pub fn commutative(self) -> Self {
        Self { commutative: true, ..self }
    }

    /// Combines the items of all elements; the identity for none.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] says what is wrong with a field, [`Error::Length`] and [`Error::OtherDevice`] what is wrong
    /// with the inputs.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::expression::{Fold, Operand};
    ///
    /// // Steps `s -> x * s + y`, one after the other: 3 * (2 * s + 1) + 1.
    /// let steps = Fold::associative()
    ///     .field("factor", "x", "a.factor * b.factor", 1)
    ///     .field("addend", "y", "b.factor * a.addend + b.addend", 0);
    /// let found = steps.run(&Device::best(), vec![Operand::new(&[2, 3]), Operand::new(&[1, 1])])?;
    /// assert_eq!((found.get::<i32>("factor")?, found.get::<i32>("addend")?), (6, 4));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run(&self, device: &Device, operands: Vec<Operand<'_>>) -> Result<Folded, Error> {
        let ready = self.ready(operands)?;
        ready.parts.check(device)?;
        let bits = match device.session() {
            _ if ready.parts.length == 0 => ready.fold.identity.clone(),
            Some(session) => gpu::run(&ready.parts, session, &ready.fold)?,
            None => lanes::reduce(Level::current(), &ready.parts, &ready.fold)?,
        };
        let names = self.fields.iter().map(|field| field.name.clone());
        Ok(Folded { fields: names.zip(ready.kinds).zip(bits).map(|((name, kind), bits)| (name, kind, bits)).collect() })
    }

    /// Combines the items up to each element, in their order.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::expression::{Fold, Operand};
    /// use warpwise::scan::Kind;
    ///
    /// // A balance that interest is paid on before every deposit: `s -> x * s + y`.
    /// let steps = Fold::associative()
    ///     .field("factor", "x", "a.factor * b.factor", 1)
    ///     .field("balance", "y", "b.factor * a.balance + b.balance", 0);
    /// let operands = vec![Operand::new(&[2, 2, 3]), Operand::new(&[1, 1, 5])];
    /// let mut found = steps.scan(&Device::best(), Kind::Inclusive, operands)?;
    /// assert_eq!(found.take::<i32>("balance")?.to_vec()?, [1, 3, 14]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn scan(&self, device: &Device, kind: scan::Kind, operands: Vec<Operand<'_>>) -> Result<Scanned, Error> {
        let ready = self.ready(operands)?;
        ready.parts.check(device)?;
        let names = self.fields.iter().map(|field| field.name.clone()).zip(ready.kinds.iter().copied());
        Scanned::new(device, kind, &ready.parts, &ready.fold, names.collect())
    }

    fn ready<'a>(&self, operands: Vec<Operand<'a>>) -> Result<Ready<'a>, Error> {
        if self.fields.is_empty() || self.fields.len() > MOST_FIELDS {
            return Err(Error::expression(0, "an item has one to four fields: give as many"));
        }
        if operands.is_empty() || operands.len() > 2 {
            return Err(Error::expression(0, "there are one or two inputs: give as many"));
        }
        let mut parts = Parts::without_program(operands)?;
        let inputs = [&parts.kinds()[..], &[Kind::U64]].concat();
        let names = if inputs.len() == 2 { &["x", "index"][..] } else { &["x", "y", "index"] };
        let items: Vec<Expression> =
            self.fields.iter().map(|field| parse(&field.item, names)).collect::<Result<_, _>>()?;
        let mut item = program(&items.iter().collect::<Vec<_>>(), &inputs)?;
        item.store_results();
        let kinds: Vec<Kind> = item.kinds().collect();
        let names: Vec<String> = ["a", "b"]
            .iter()
            .flat_map(|of| self.fields.iter().map(move |field| format!("{of}.{}", field.name)))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // A field that is alone needs no name.
        let is_short = names.len() == 2 && !names.iter().any(|name| self.fields[0].combine.contains(name));
        let names = if is_short { vec!["a", "b"] } else { names };
        let combined: Vec<(Expression, Kind)> = self
            .fields
            .iter()
            .zip(&kinds)
            .map(|(field, &kind)| Ok((parse(&field.combine, &names)?, kind)))
            .collect::<Result<_, Error>>()?;
        let mut combine = program_of_all(&combined, &[&kinds[..], &kinds].concat())?;
        combine.store_results();
        let identity = self.fields.iter().zip(&kinds).map(|(field, &kind)| {
            let constant = program_of(&field.identity, &[], kind)?;
            match constant.steps[constant.results[0]].op {
                Op::Constant(bits) => Ok(bits),
                _ => Err(Error::expression(0, format!("the identity of {} is no number: give one", field.name))),
            }
        });
        let identity = identity.collect::<Result<_, _>>()?;
        parts.program = item.clone();
        Ok(Ready { fold: ptx::Fold { item, combine, identity, ordered: !self.commutative }, kinds, parts })
    }
}

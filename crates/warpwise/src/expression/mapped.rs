//! An expression with its inputs: input of any primitive.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::check::program_of;
use super::kind::Kind;
use super::program::Program;
use super::tree::Expression;
use super::{cpu, gpu};
use crate::device::{Allocation, Session, Staged};
use crate::primitive::Type;
use crate::{Device, Element, Error, Input};

/// The elements that an expression gives, computed where they are needed: made by [`Expression::of`]. Every primitive
/// takes it as input.
///
/// ```
/// use warpwise::expression::x;
/// use warpwise::{Device, reduce, scan};
///
/// let squares = (x() * x()).of(&[1, 2, 3])?;
/// assert_eq!(reduce::sum::<i32>(&Device::best(), &squares)?, 14);
/// assert_eq!(scan::inclusive(&Device::emulator(), &squares)?, [1, 5, 14]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Mapped<'a, T: Element> {
    pub(crate) parts: Parts<'a>,
    result: PhantomData<T>,
}

impl<T: Element> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { program, length, .. } = &self.parts;
        f.debug_struct("Mapped").field("program", program).field("length", length).finish()
    }
}

/// The same whatever the type of the result.
pub(crate) struct Parts<'a> {
    pub(super) program: Program,
    pub(super) inputs: Vec<Box<dyn Source + 'a>>,
    pub(super) length: usize,
}

impl<'a> Parts<'a> {
    /// Inputs that something is to be done with.
    pub(super) fn without_program(operands: Vec<Operand<'a>>) -> Result<Self, Error> {
        let length = operands.first().map_or(0, |operand| operand.length);
        for operand in &operands {
            Error::check_length("the second input", operand.length, length)?;
            operand.refused.map_or(Ok(()), |name| Err(no_type(name)))?;
        }
        let inputs = operands.into_iter().map(|operand| operand.source).collect();
        Ok(Self { program: Program::default(), inputs, length })
    }

    /// Refuses a buffer of another device.
    pub(crate) fn check(&self, device: &Device) -> Result<(), Error> {
        self.inputs.iter().try_for_each(|input| input.check(device))
    }

    /// The types of the inputs.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.inputs.iter().map(|input| input.kind()).collect()
    }
}

/// An input of an expression whose type is known when the program runs.
///
/// ```
/// use warpwise::expression::{Operand, x, y};
/// use warpwise::{Device, map};
///
/// let operands = vec![Operand::new(&[1_u8, 2]), Operand::new(&[0.5_f32, 0.25])];
/// let products: Vec<f32> = map::run(&Device::best(), &(x() * y()).of_operands(operands)?)?;
/// assert_eq!(products, [0.5, 0.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Operand<'a> {
    source: Box<dyn Source + 'a>,
    /// The name of the type, if expressions do not have it.
    refused: Option<&'static str>,
    length: usize,
}

impl fmt::Debug for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operand").field("kind", &self.source.kind()).field("length", &self.length).finish()
    }
}

impl<'a> Operand<'a> {
    /// An input.
    ///
    /// ```
    /// assert!(format!("{:?}", warpwise::expression::Operand::new(&[1.5_f32])).contains("F32"));
    /// ```
    pub fn new<T: Element, I: Input<T> + Sync + ?Sized>(input: &'a I) -> Self {
        let refused = if kind_of::<T>().is_none() { Some(T::NAME) } else { None };
        Self { length: input.length(), refused, source: Box::new(Held { input, element: PhantomData::<T> }) }
    }
}

/// Input of any type.
pub(super) trait Source: Send + Sync {
    fn kind(&self) -> Kind;
    /// Refuses a buffer of another device.
    fn check(&self, device: &Device) -> Result<(), Error>;
    fn on_host(&self) -> Result<HostBytes<'_>, Error>;
    fn staged(&self, session: &Session) -> Result<Staged, Error>;
    /// Where the elements are in the host's memory, if they are there.
    fn host_address(&self) -> Option<usize>;
}

/// Where elements are in the host's memory, if they are there.
pub(super) fn host_address<T: Element>(input: &(impl Input<T> + ?Sized)) -> Option<usize> {
    if input.as_view().is_some() || input.as_mapped().is_some() {
        return None;
    }
    match input.on_host() {
        Ok(Cow::Borrowed(values)) => Some(values.as_ptr() as usize),
        _ => None,
    }
}

/// The bytes of elements in the host's memory.
pub(super) enum HostBytes<'a> {
    Borrowed(&'a [u8]),
    Owned(Box<dyn AsBytes>),
}

impl HostBytes<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(values) => values.as_bytes(),
        }
    }
}

pub(super) trait AsBytes: Send + Sync {
    fn as_bytes(&self) -> &[u8];
}

impl<T: Element> AsBytes for Vec<T> {
    fn as_bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

struct Held<'a, T, I: ?Sized> {
    input: &'a I,
    element: PhantomData<T>,
}

impl<T: Element, I: Input<T> + Sync + ?Sized> Source for Held<'_, T, I> {
    fn kind(&self) -> Kind {
        // Others are refused with their operand.
        kind_of::<T>().unwrap_or(Kind::U8)
    }

    fn check(&self, device: &Device) -> Result<(), Error> {
        let input: &dyn Input<T> = &self.input;
        input.check(device)
    }

    fn on_host(&self) -> Result<HostBytes<'_>, Error> {
        Ok(match self.input.on_host()? {
            Cow::Borrowed(values) => HostBytes::Borrowed(bytemuck::cast_slice(values)),
            Cow::Owned(values) => HostBytes::Owned(Box::new(values)),
        })
    }

    fn staged(&self, session: &Session) -> Result<Staged, Error> {
        Staged::new(session, self.input)
    }

    fn host_address(&self) -> Option<usize> {
        host_address(self.input)
    }
}

/// The type of elements, if expressions have it.
pub(crate) fn kind_of<T: Element>() -> Option<Kind> {
    Type::parse(T::NAME).map(Kind::of)
}

fn no_type(name: &str) -> Error {
    Error::expression(0, format!("there are no elements of type {name}: convert them to u8, i32, u32 or a wider type"))
}

impl Expression {
    /// What it gives for the elements of one input, which is `x`.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] if the result is of another type, or has none.
    ///
    /// ```
    /// use warpwise::expression::x;
    /// use warpwise::{Device, map};
    ///
    /// assert_eq!(map::run::<f64>(&Device::cpu(), &(x() / 2).of(&[1, 2])?)?, [0.5, 1.0]);
    /// assert!((x() / 2).of::<i32, i32, _>(&[1, 2]).unwrap_err().to_string().contains("i32(...)"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn of<'a, R: Element, T: Element, I: Input<T> + Sync + ?Sized>(
        &self,
        xs: &'a I,
    ) -> Result<Mapped<'a, R>, Error> {
        self.of_operands(vec![Operand::new(xs)])
    }

    /// What it gives for the elements of two inputs, which are `x` and `y`.
    ///
    /// # Errors
    ///
    /// As for [`of`](Self::of), and [`Error::Length`] if one input is longer than the other.
    ///
    /// ```
    /// use warpwise::expression::{x, y};
    /// use warpwise::{Device, reduce};
    ///
    /// let products = (x() * y()).of_both(&[1, 2, 3], &[4, 5, 6])?;
    /// assert_eq!(reduce::sum::<i32>(&Device::best(), &products)?, 32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn of_both<'a, R: Element, T: Element, U: Element, I, J>(
        &self,
        xs: &'a I,
        ys: &'a J,
    ) -> Result<Mapped<'a, R>, Error>
    where
        I: Input<T> + Sync + ?Sized,
        J: Input<U> + Sync + ?Sized,
    {
        self.of_operands(vec![Operand::new(xs), Operand::new(ys)])
    }

    /// What it gives for the elements of one input or two.
    ///
    /// # Errors
    ///
    /// As for [`of_both`](Self::of_both).
    ///
    /// ```
    /// use warpwise::expression::{Operand, x};
    /// use warpwise::{Device, reduce};
    ///
    /// let elements = (x() + 1).of_operands(vec![Operand::new(&[1, 2, 3])])?;
    /// assert_eq!(reduce::sum::<i32>(&Device::best(), &elements)?, 9);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn of_operands<'a, R: Element>(&self, operands: Vec<Operand<'a>>) -> Result<Mapped<'a, R>, Error> {
        let wanted = kind_of::<R>().ok_or_else(|| no_type(R::NAME))?;
        Ok(Mapped { parts: self.parts(operands, wanted)?, result: PhantomData })
    }

    fn parts<'a>(&self, operands: Vec<Operand<'a>>, wanted: Kind) -> Result<Parts<'a>, Error> {
        let parts = Parts::without_program(operands)?;
        let program = program_of(self, &parts.kinds(), wanted)?;
        Ok(Parts { program, ..parts })
    }

    /// The type of its result for inputs of these types.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] says what is wrong, where, and what to write instead.
    ///
    /// ```
    /// use warpwise::expression::Expression;
    /// use warpwise::primitive::Type;
    ///
    /// let mean: Expression = "(x + y) / 2".parse()?;
    /// assert_eq!(mean.result(&[Type::I32, Type::I32])?, Type::F64);
    /// assert_eq!(mean.result(&[Type::F32, Type::F32])?, Type::F32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn result(&self, inputs: &[Type]) -> Result<Type, Error> {
        let inputs: Vec<Kind> = inputs.iter().map(|&ty| Kind::of(ty)).collect();
        let program = super::check::program(&[self], &inputs)?;
        Ok(program.kind(program.results[0]).stored())
    }

    /// Whether its result for inputs of these types is true or false: in memory a byte, 1 or 0.
    ///
    /// # Errors
    ///
    /// As for [`result`](Self::result).
    ///
    /// ```
    /// use warpwise::expression::Expression;
    /// use warpwise::primitive::Type;
    ///
    /// assert!("x > 0.5".parse::<Expression>()?.is_condition(&[Type::F32])?);
    /// assert!(!"u8(x > 0.5)".parse::<Expression>()?.is_condition(&[Type::F32])?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_condition(&self, inputs: &[Type]) -> Result<bool, Error> {
        let inputs: Vec<Kind> = inputs.iter().map(|&ty| Kind::of(ty)).collect();
        let program = super::check::program(&[self], &inputs)?;
        Ok(program.kind(program.results[0]) == Kind::Bool)
    }
}

#[cfg(test)]
impl<'a, T: Element> Mapped<'a, T> {
    pub(super) fn new(program: Program, inputs: Vec<Box<dyn Source + 'a>>, length: usize) -> Self {
        Self { parts: Parts { program, inputs, length }, result: PhantomData }
    }
}

impl<T: Element> Input<T> for Mapped<'_, T> {
    fn length(&self) -> usize {
        self.parts.length
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        cpu::collect(self).map(Cow::Owned)
    }

    fn as_mapped(&self) -> Option<&Mapped<'_, T>> {
        Some(self)
    }
}

impl<T: Element> Mapped<'_, T> {
    /// The elements on a GPU.
    pub(crate) fn on_device(&self, session: &Session) -> Result<Allocation, Error> {
        gpu::map(&self.parts, session)
    }
}

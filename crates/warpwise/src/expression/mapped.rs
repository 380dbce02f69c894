//! An expression with its inputs: input of any primitive.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::check::program_of;
use super::kind::Kind;
use super::program::Program;
use super::tree::Expression;
use super::{cpu, gpu};
use crate::device::{Session, Staged};
use crate::primitive::Type;
use crate::{Element, Error, Input};

/// The elements that an expression gives, computed where they are needed: made by [`Expression::of`]. Every primitive
/// takes it as input.
///
/// ```
/// use warpwise::expression::x;
/// use warpwise::{Device, reduce, scan};
///
/// let squares = (x() * x()).of(&[1, 2, 3])?;
/// assert_eq!(reduce::sum(&Device::best(), &squares)?, 14);
/// assert_eq!(scan::inclusive(&Device::emulator(), &squares)?, [1, 5, 14]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Mapped<'a, T: Element> {
    pub(super) program: Program,
    pub(super) inputs: Vec<Box<dyn Source + 'a>>,
    length: usize,
    result: PhantomData<T>,
}

impl<T: Element> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped").field("program", &self.program).field("length", &self.length).finish()
    }
}

/// Input of any type.
pub(super) trait Source: Send + Sync {
    fn kind(&self) -> Kind;
    fn on_host(&self) -> Result<HostBytes<'_>, Error>;
    fn staged(&self, session: &Session) -> Result<Staged, Error>;
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
        kind_of::<T>()
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
}

/// The type of elements.
pub(crate) fn kind_of<T: Element>() -> Kind {
    Kind::of(Type::parse(T::NAME).expect("every element has a type"))
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
        let program = program_of(self, &[kind_of::<T>()], kind_of::<R>())?;
        let inputs: Vec<Box<dyn Source + 'a>> = vec![Box::new(Held { input: xs, element: PhantomData::<T> })];
        Ok(Mapped::new(program, inputs, xs.length()))
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
    /// assert_eq!(reduce::sum(&Device::best(), &products)?, 32);
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
        Error::check_length("the second input", ys.length(), xs.length())?;
        let program = program_of(self, &[kind_of::<T>(), kind_of::<U>()], kind_of::<R>())?;
        let inputs: Vec<Box<dyn Source + 'a>> = vec![
            Box::new(Held { input: xs, element: PhantomData::<T> }),
            Box::new(Held { input: ys, element: PhantomData::<U> }),
        ];
        Ok(Mapped::new(program, inputs, xs.length()))
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
}

impl<'a, T: Element> Mapped<'a, T> {
    pub(super) fn new(program: Program, inputs: Vec<Box<dyn Source + 'a>>, length: usize) -> Self {
        Self { program, inputs, length, result: PhantomData }
    }

    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.inputs.iter().map(|input| input.kind()).collect()
    }
}

impl<T: Element> Input<T> for Mapped<'_, T> {
    fn length(&self) -> usize {
        self.length
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
    pub(crate) fn on_device(&self, session: &Session) -> Result<crate::device::Allocation, Error> {
        gpu::map(self, session)
    }
}

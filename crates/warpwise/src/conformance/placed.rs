//! Inputs in different places: on the host, or somewhere in a buffer.

use std::borrow::Cow;

use crate::random::Random;
use crate::{Buffer, Device, Element, Error, Input, View};

/// Elements after the input in its buffer, which must not be mistaken for part of it.
const BEHIND: usize = 3;

/// Input of a check: a slice, or a view of a buffer that is not aligned for vector loads.
#[derive(Debug)]
pub(crate) enum Placed<'a, T: Element> {
    Host(&'a [T]),
    There { buffer: Buffer<T>, first: usize },
}

impl<'a, T: Element> Placed<'a, T> {
    /// A random place.
    #[inline(never)]
    pub(crate) fn new(device: &Device, values: &'a [T], random: &mut Random) -> Result<Self, Error> {
        let first = random.below(5);
        if first == 0 {
            return Ok(Self::Host(values));
        }
        let mut around: Vec<T> = random.elements(first);
        around.extend_from_slice(values);
        around.extend(random.elements::<T>(BEHIND));
        Ok(Self::There { buffer: Buffer::from_slice(device, &around)?, first })
    }
}

impl<T: Element> Input<T> for Placed<'_, T> {
    fn length(&self) -> usize {
        match self {
            Self::Host(values) => values.len(),
            Self::There { buffer, first } => buffer.len() - first - BEHIND,
        }
    }

    fn on_host(&self) -> Result<Cow<'_, [T]>, Error> {
        match self {
            Self::Host(values) => Ok(Cow::Borrowed(values)),
            Self::There { buffer, first } => buffer.view(*first..buffer.len() - BEHIND)?.to_host(),
        }
    }

    fn as_view(&self) -> Option<View<'_, T>> {
        match self {
            Self::Host(_) => None,
            Self::There { buffer, first } => buffer.view(*first..buffer.len() - BEHIND).ok(),
        }
    }
}

//! Map: what an [expression](crate::expression) gives for every element of one input, or of two.

use crate::expression::{Mapped, cpu};
use crate::{Buffer, Device, Element, Error, Input};

/// What an expression gives, element by element.
///
/// ```
/// use warpwise::expression::{x, y};
/// use warpwise::{Device, map};
///
/// let length = (x() * x() + y() * y()).sqrt();
/// let lengths: Vec<f32> = map::run(&Device::emulator(), &length.of_both(&[3.0_f32, 0.0], &[4.0_f32, 2.0])?)?;
/// assert_eq!(lengths, [5.0, 2.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run<T: Element>(device: &Device, elements: &Mapped<'_, T>) -> Result<Vec<T>, Error> {
    match device.session() {
        None => cpu::collect(elements),
        Some(_) => run_buffer(device, elements)?.into_vec(),
    }
}

/// Like [`run`], but into existing memory.
///
/// # Errors
///
/// [`Error::Length`] when the output has another length.
///
/// ```
/// use warpwise::expression::x;
/// use warpwise::{Device, map};
///
/// let mut halves = [0.0_f32; 2];
/// map::run_into(&Device::best(), &(x() / 2).of(&[1.0_f32, 3.0])?, &mut halves)?;
/// assert_eq!(halves, [0.5, 1.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_into<T: Element>(device: &Device, elements: &Mapped<'_, T>, out: &mut [T]) -> Result<(), Error> {
    Error::check_length("the output", out.len(), elements.length())?;
    match device.session() {
        None => cpu::collect_into(elements, out),
        Some(_) => run_buffer(device, elements)?.copy_to(out),
    }
}

/// Like [`run`], but the result stays on the device.
///
/// ```
/// use warpwise::expression::x;
/// use warpwise::{Device, map, reduce};
///
/// let device = Device::emulator();
/// let roots = map::run_buffer(&device, &x().sqrt().of(&[1.0, 4.0, 9.0])?)?;
/// assert_eq!(reduce::sum::<f64>(&device, &roots)?, 6.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn run_buffer<T: Element>(device: &Device, elements: &Mapped<'_, T>) -> Result<Buffer<T>, Error> {
    match device.session() {
        None => Ok(Buffer::from_vec(cpu::collect(elements)?)),
        Some(session) => {
            let out = elements.on_device(session)?;
            Ok(Buffer::from_allocation(device, out, elements.length()))
        }
    }
}

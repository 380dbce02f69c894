//! Map: what an [expression](crate::expression) gives for every element of one input, or of two.

use crate::device::Landing;
use crate::expression::{Mapped, cpu, gpu};
use crate::{Buffer, Device, Element, Error, Input, Output};

/// What an expression gives, element by element.
///
/// # Errors
///
/// [`Error::OtherDevice`] for a buffer of another device.
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
    elements.parts.check(device)?;
    match device.session() {
        None => cpu::collect(elements),
        Some(session) => session.download_vec(elements.on_device(session)?.ptr(), elements.length()),
    }
}

/// Like [`run`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// As for [`run`], and [`Error::Length`] when the output has another length.
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
pub fn run_into<T: Element>(
    device: &Device,
    elements: &Mapped<'_, T>,
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    elements.parts.check(device)?;
    Error::check_length("the output", out.room(), elements.length())?;
    let target = out.as_target();
    target.check(device)?;
    match device.session() {
        None => cpu::collect_into(elements, target.for_cpu()?),
        Some(session) => {
            let landing = Landing::new(session, target)?;
            gpu::map_into(&elements.parts, session, landing.argument())?;
            landing.finish()
        }
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
    elements.parts.check(device)?;
    match device.session() {
        None => Ok(Buffer::from_vec(cpu::collect(elements)?)),
        Some(session) => Ok(Buffer::from_allocation(device, elements.on_device(session)?, elements.length())),
    }
}

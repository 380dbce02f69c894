//! 2-D convolution with choices, and without.

use super::{Edge, Filter, Pixel, Rung};
use crate::primitive::choices;
use crate::{Border, Buffer, Device, Error, Geometry, Input, Output};

/// A convolution with a filter, with choices: zeros beyond the edges and the device's best rung, unless they say
/// otherwise. Images are pixels, row after row, with their rows and columns.
///
/// ```
/// use warpwise::Device;
/// use warpwise::convolve2d::{Convolve2d, Edge, Filter, Rung};
///
/// let differences = Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?;
/// let how = Convolve2d::new(&differences).edge(Edge::Valid).variant(Rung::TiledSerialLoad);
/// assert_eq!(how.run(&Device::emulator(), &[1.0_f32, 2.0, 4.0, 8.0], (1, 4))?, [3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Convolve2d<'a> {
    pub(super) filter: &'a Filter,
    pub(super) edge: Edge,
    rung: Option<Rung>,
    pub(super) geometry: Geometry,
}

choices!("convolve2d", "let filter = Filter::default();\n", "Convolve2d::new(&filter)", ['a] Convolve2d<'a>);

impl<'a> Convolve2d<'a> {
    /// A convolution with that filter.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::convolve2d::{Convolve2d, Filter};
    ///
    /// let twice = Filter::new(&[2.0], 1, 1)?;
    /// assert_eq!(Convolve2d::new(&twice).run(&Device::best(), &[7_u8; 6], (2, 3))?, [14; 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(filter: &'a Filter) -> Self {
        Self { filter, edge: Edge::Border(Border::Zero), rung: None, geometry: Geometry::default() }
    }

    /// What happens at the edges of the image.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::convolve2d::{Convolve2d, Edge, Filter};
    ///
    /// let sums = Filter::new(&[1.0; 9], 3, 3)?;
    /// let valid = Convolve2d::new(&sums).edge(Edge::Valid);
    /// assert_eq!(valid.run(&Device::best(), &[1.0_f32; 20], (4, 5))?, [9.0; 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn edge(self, edge: Edge) -> Self {
        Self { edge, ..self }
    }

    /// Replaces each pixel by the sum of its neighbours times the weights. The result is row after row, with the size
    /// given by [`Edge::result`].
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when there are not `rows * columns` pixels, [`Error::UnknownVariant`] for a rung of another kind
    /// of device, [`Error::Launch`] for a tile that does not fit the shared memory of the device,
    /// [`Error::OtherDevice`] for a buffer of another device.
    ///
    /// ```
    /// use warpwise::{Border, Device};
    /// use warpwise::convolve2d::{Convolve2d, Edge, Filter};
    ///
    /// let smooth = Filter::default();
    /// let how = Convolve2d::new(&smooth).edge(Edge::Border(Border::Replicate));
    /// assert_eq!(how.run(&Device::best(), &[70_u8; 9], (3, 3))?, [70; 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run<T: Pixel>(
        &self,
        device: &Device,
        pixels: &(impl Input<T> + ?Sized),
        size: (usize, usize),
    ) -> Result<Vec<T>, Error> {
        if device.is_cpu() {
            return self.run_buffer(device, pixels, size)?.into_vec();
        }
        let (rows, columns) = self.edge.result(self.filter, size.0, size.1);
        let mut out = crate::memory::try_zeros(Error::area(rows, columns)?)?;
        self.run_into(device, pixels, size, &mut out)?;
        Ok(out)
    }

    /// Convolves into existing memory, on the host or on the device: the system does not have to find fresh memory for
    /// a large result.
    ///
    /// # Errors
    ///
    /// As for [`run`](Convolve2d::run), and [`Error::Length`] when the output does not have the size given by
    /// [`Edge::result`].
    ///
    /// ```
    /// use warpwise::{Buffer, Device};
    /// use warpwise::convolve2d::{Convolve2d, Edge, Filter};
    ///
    /// let (device, differences) = (Device::emulator(), Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?);
    /// let mut out = Buffer::uninit(&device, 2)?;
    /// let how = Convolve2d::new(&differences).edge(Edge::Valid);
    /// how.run_into(&device, &[1.0_f32, 2.0, 4.0, 8.0], (1, 4), &mut out)?;
    /// assert_eq!(out.to_vec()?, [3.0, 6.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_into<T: Pixel>(
        &self,
        device: &Device,
        pixels: &(impl Input<T> + ?Sized),
        size: (usize, usize),
        mut out: &mut (impl Output<T> + ?Sized),
    ) -> Result<(), Error> {
        T::run_into(device, self, &pixels, size, &mut out)
    }

    /// Convolves into a new buffer, which stays on the device.
    ///
    /// ```
    /// use warpwise::{Device, reduce};
    /// use warpwise::convolve2d::{Convolve2d, Edge, Filter};
    ///
    /// let (device, sums) = (Device::emulator(), Filter::new(&[1.0; 9], 3, 3)?);
    /// let sums = Convolve2d::new(&sums).edge(Edge::Valid).run_buffer(&device, &[1.0_f32; 20], (4, 5))?;
    /// assert_eq!((sums.len(), reduce::max(&device, &sums)?), (6, 9.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn run_buffer<T: Pixel>(
        &self,
        device: &Device,
        pixels: &(impl Input<T> + ?Sized),
        size: (usize, usize),
    ) -> Result<Buffer<T>, Error> {
        T::run_buffer(device, self, &pixels, size)
    }
}

/// Replaces each pixel by the sum of its neighbours times the weights of a filter. The image and the result are row
/// after row; the result has the size given by [`Edge::result`].
///
/// # Errors
///
/// [`Error::Length`] when there are not `rows * columns` pixels.
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, filter};
/// use warpwise::{Border, Device};
///
/// let edge = Edge::Border(Border::Replicate);
/// assert_eq!(filter(&Device::emulator(), &Filter::default(), edge, &[70_u8; 9], (3, 3))?, [70; 9]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    pixels: &(impl Input<T> + ?Sized),
    size: (usize, usize),
) -> Result<Vec<T>, Error> {
    Convolve2d::new(filter).edge(edge).run(device, pixels, size)
}

/// Like [`filter`], but into existing memory: on the host or, with a buffer, on the device.
///
/// # Errors
///
/// As for [`filter`], and [`Error::Length`] when the output does not have the size given by [`Edge::result`].
///
/// ```
/// use warpwise::Device;
/// use warpwise::convolve2d::{Edge, Filter, filter_into};
///
/// let (differences, mut out) = (Filter::new(&[-1.0, 0.0, 1.0], 1, 3)?, [0.0; 2]);
/// filter_into(&Device::best(), &differences, Edge::Valid, &[1.0_f32, 2.0, 4.0, 8.0], (1, 4), &mut out)?;
/// assert_eq!(out, [3.0, 6.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter_into<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    pixels: &(impl Input<T> + ?Sized),
    size: (usize, usize),
    out: &mut (impl Output<T> + ?Sized),
) -> Result<(), Error> {
    Convolve2d::new(filter).edge(edge).run_into(device, pixels, size, out)
}

/// Like [`filter`], but the result stays on the device.
///
/// ```
/// use warpwise::convolve2d::{Edge, Filter, filter_buffer};
/// use warpwise::{Device, reduce};
///
/// let device = Device::emulator();
/// let box_filter = Filter::new(&[1.0; 9], 3, 3)?;
/// let sums = filter_buffer(&device, &box_filter, Edge::Valid, &[1.0_f32; 20], (4, 5))?;
/// assert_eq!((sums.len(), reduce::max(&device, &sums)?), (6, 9.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn filter_buffer<T: Pixel>(
    device: &Device,
    filter: &Filter,
    edge: Edge,
    pixels: &(impl Input<T> + ?Sized),
    size: (usize, usize),
) -> Result<Buffer<T>, Error> {
    Convolve2d::new(filter).edge(edge).run_buffer(device, pixels, size)
}

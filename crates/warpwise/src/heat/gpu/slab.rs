//! Some rows of a cylinder on a GPU, for those who hold the others elsewhere.

use std::marker::PhantomData;
use std::ops::Range;

use super::KERNELS;
use super::passes::{BLOCK, Depth, fits};
use crate::device::{Allocation, Argument, DevicePtr, Session, Shape};
use crate::heat::{Temperature, check_slab};
use crate::{Device, Error};

/// Rows of a cylinder and copies of rows around them, which others compute, on a GPU. As many steps can be taken as there
/// are copies on a side, and no more than [`depth`](Self::depth); then the copies have to be renewed. A side at the end of
/// the cylinder needs no copies. [`cpu::Slab`](crate::heat::cpu::Slab) is the same in host memory.
///
/// Rows are laid out with [`line`](Self::line) elements each, and counted from the first copy.
///
/// ```
/// use warpwise::Device;
/// use warpwise::heat::{Cylinder, GpuSlab, Limits, cpu};
///
/// let (start, conductivity): (Vec<f64>, _) = ((0..30).map(f64::from).collect(), vec![0.5; 30]);
/// let cylinder = Cylinder::new(10, 3, &start, &conductivity)?;
/// let (end, _) = cpu::seq(cylinder, Limits { iterations: 2, threshold: 0.0 });
/// // Rows 4 to 6, with two rows on each side.
/// let fixed = [&start[..3], &start[27..]].concat();
/// let mut slab = GpuSlab::new(&Device::emulator(), 3, &fixed, &start[6..27], &conductivity[6..27], 2..5)?;
/// slab.begin()?;
/// slab.advance(2, 2..5)?;
/// assert!(slab.changes(2)?[1] > 0.0);
/// slab.swap();
/// assert_eq!(slab.rows(2..5)?, end[12..21]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Debug)]
pub struct GpuSlab<T> {
    session: Session,
    rows: usize,
    columns: usize,
    own: Range<usize>,
    conductivity: Allocation,
    /// The temperatures, with a row above and one below that stay.
    old: Allocation,
    /// The next temperatures.
    new: Allocation,
    /// The bits of the largest change of every step.
    words: Allocation,
    elements: PhantomData<T>,
}

impl<T: Temperature> GpuSlab<T> {
    /// A slab with the two fixed rows of the cylinder, the temperatures and the conductivities of all its rows, of which
    /// `own` are its own and the others copies.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] when the lengths do not fit each other, [`Error::TooLarge`] for more than 2^31 rows or columns,
    /// [`Error::NeedsGpu`] on the CPU, and what the device says.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let device = Device::emulator();
    /// assert!(GpuSlab::new(&device, 2, &[0.0; 4], &[1.0; 6], &[0.5; 6], 1..2).is_ok());
    /// assert!(GpuSlab::new(&device, 2, &[0.0; 4], &[1.0; 6], &[0.5; 4], 1..2).is_err());
    /// ```
    pub fn new(
        device: &Device,
        columns: usize,
        fixed: &[T],
        temperature: &[T],
        conductivity: &[T],
        own: Range<usize>,
    ) -> Result<Self, Error> {
        let rows = check_slab(columns, fixed, temperature, conductivity)?;
        let own = own.start.min(rows)..own.end.clamp(own.start.min(rows), rows);
        let session = device.session().ok_or(Error::NeedsGpu { primitive: "a slab of heat" })?;
        if !fits(rows, columns) {
            return Err(Error::TooLarge { rows, columns });
        }
        let line = (Self::pitch(columns) * size_of::<T>()) as u64;
        // What lies behind the rows is copied with them, and has to be written for that.
        let grid = || session.allocate_zeroed::<T>((rows + 2) * Self::pitch(columns));
        let slab = Self {
            session: session.clone(),
            rows,
            columns,
            own,
            conductivity: session.allocate(rows as u64 * line)?,
            old: grid()?,
            new: grid()?,
            words: session.allocate_zeroed::<T>(Self::depth())?,
            elements: PhantomData,
        };
        if rows * columns > 0 {
            let (cells, w) = (session.allocate_copy(temperature)?, session.allocate_copy(conductivity)?);
            slab.lay(&w, &slab.conductivity, 0)?;
            for grid in [&slab.old, &slab.new] {
                slab.lay(&cells, grid, 1)?;
                session.upload(grid.ptr(), &fixed[..columns])?;
                session.upload(DevicePtr(grid.ptr().0 + (rows as u64 + 1) * line), &fixed[columns..])?;
            }
        }
        Ok(slab)
    }

    /// The most steps between two renewals of the copies.
    ///
    /// ```
    /// assert_eq!(warpwise::heat::GpuSlab::<f64>::depth(), 6);
    /// ```
    pub fn depth() -> usize {
        Depth::of::<T>().steps
    }

    /// Its own rows.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[1.0; 3], &[0.5; 3], 1..2)?;
    /// assert_eq!(slab.own(), 1..2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Elements from row to row: those of a row, and what makes them a multiple of 16 bytes.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let slab = GpuSlab::new(&Device::emulator(), 3, &[0.0_f32; 6], &[1.0; 9], &[0.5; 9], 1..2)?;
    /// assert_eq!(slab.line(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn line(&self) -> usize {
        Self::pitch(self.columns)
    }

    fn pitch(columns: usize) -> usize {
        columns.next_multiple_of(16 / size_of::<T>())
    }

    fn launch(&self, kernel: &str, shape: Shape, pointers: &[&Allocation], numbers: &[usize]) -> Result<(), Error> {
        let pointers = pointers.iter().map(|pointer| pointer.argument());
        let arguments: Vec<_> = pointers.chain(numbers.iter().map(|&number| Argument::U32(number as u32))).collect();
        self.session.launch(KERNELS, &format!("heat_5_passes_{kernel}_{}", T::NAME), shape, &arguments).map(drop)
    }

    /// Rows at multiples of 16 bytes, with that many rows above and below.
    fn lay(&self, cells: &Allocation, laid: &Allocation, edge: usize) -> Result<(), Error> {
        let (columns, rows) = (self.columns as u64, (self.rows + 2 * edge) as u64);
        let shape = Shape::plane(columns, rows, Shape::plane_block(columns, rows, 256), 0);
        self.launch("lay", shape, &[cells, laid], &[self.rows, self.columns, self.line(), edge])
    }

    /// Begins a pass: no changes are known.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let mut slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[1.0, 2.0, 4.0], &[0.5; 3], 0..3)?;
    /// slab.begin()?;
    /// assert_eq!(slab.changes(1)?, [0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn begin(&mut self) -> Result<(), Error> {
        self.session.upload(self.words.ptr(), &vec![T::ZERO; Self::depth()])
    }

    /// Takes that many steps of some of its own rows: at least one, at most [`depth`](Self::depth), and at most as many as
    /// there are copies. The new temperatures lie beside the old ones until [`swap`](Self::swap). The GPU may still be
    /// busy with it afterwards.
    ///
    /// # Panics
    ///
    /// When the steps are too few or too many, or the rows not its own.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let mut slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[1.0, 2.0, 4.0], &[0.5; 3], 0..3)?;
    /// slab.begin()?;
    /// slab.advance(1, 0..3)?;
    /// assert_eq!(slab.rows(0..3)?, [1.0, 2.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn advance(&mut self, steps: usize, rows: Range<usize>) -> Result<(), Error> {
        assert!((1..=Self::depth()).contains(&steps), "{steps} steps");
        if rows.is_empty() || self.columns == 0 {
            return Ok(());
        }
        assert!(self.own.start <= rows.start && rows.end <= self.own.end, "{rows:?} of {:?}", self.own);
        let (height, shape) = Depth::of::<T>().shape(&self.session, rows.len(), self.columns, BLOCK);
        let sizes = [self.rows, self.columns, self.line(), height as usize, steps, rows.start, self.rows - rows.end];
        self.launch("slab", shape, &[&self.old, &self.new, &self.conductivity, &self.words], &sizes)
    }

    /// The largest change of each of that many steps since [`begin`](Self::begin); a change of a copy may be among them.
    /// Waits for the GPU.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let mut slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[8.0], &[0.5], 0..1)?;
    /// slab.begin()?;
    /// slab.advance(2, 0..1)?;
    /// assert!(slab.changes(2)?[1] < slab.changes(1)?[0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn changes(&self, steps: usize) -> Result<Vec<f64>, Error> {
        // The bits are those of values of the type.
        let changes = self.session.download_vec::<T>(self.words.ptr(), steps.min(Self::depth()))?;
        Ok(changes.into_iter().map(T::to_f64).collect())
    }

    /// Makes the new temperatures the current ones.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let mut slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[8.0], &[0.5], 0..1)?;
    /// slab.begin()?;
    /// slab.advance(1, 0..1)?;
    /// slab.swap();
    /// assert!(slab.rows(0..1)?[0] < 8.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
    }

    /// The temperatures of some rows.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let slab = GpuSlab::new(&Device::emulator(), 1, &[0.0; 2], &[1.0, 2.0, 3.0], &[0.5; 3], 1..2)?;
    /// assert_eq!(slab.rows(1..3)?, [2.0, 3.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn rows(&self, rows: Range<usize>) -> Result<Vec<T>, Error> {
        let laid =
            self.session.download_vec::<T>(Self::place(&self.old, self.line(), &rows), rows.len() * self.line())?;
        if self.line() == self.columns {
            return Ok(laid);
        }
        Ok(laid.chunks(self.line().max(1)).flat_map(|line| &line[..self.columns]).copied().collect())
    }

    fn place(grid: &Allocation, line: usize, rows: &Range<usize>) -> DevicePtr {
        DevicePtr(grid.ptr().0 + ((rows.start + 1) * line * size_of::<T>()) as u64)
    }

    /// Where some rows of the new temperatures begin in device memory, for other code: [`line`](Self::line) elements each.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let slab = GpuSlab::new(&Device::emulator(), 4, &[0.0_f32; 8], &[1.0; 12], &[0.5; 12], 1..2)?;
    /// assert_eq!(slab.next_address(1..2) - slab.next_address(0..1), 16);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn next_address(&self, rows: Range<usize>) -> u64 {
        Self::place(&self.new, self.line(), &rows).0
    }

    /// Copies some rows of the new temperatures to host memory, as they are laid out. Waits for the GPU.
    ///
    /// # Panics
    ///
    /// When the slice does not have [`line`](Self::line) elements for each row.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let slab = GpuSlab::new(&Device::emulator(), 2, &[0.0; 4], &[1.0, 2.0, 3.0, 4.0], &[0.5; 4], 0..2)?;
    /// let mut row = [0.0; 2];
    /// slab.download_next(1..2, &mut row)?;
    /// assert_eq!(row, [3.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn download_next(&self, rows: Range<usize>, out: &mut [T]) -> Result<(), Error> {
        assert_eq!(out.len(), rows.len() * self.line(), "room for {rows:?}");
        self.session.download(Self::place(&self.new, self.line(), &rows), out)
    }

    /// Replaces some rows of the new temperatures.
    ///
    /// # Panics
    ///
    /// When the slice does not have [`line`](Self::line) elements for each row.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise::heat::GpuSlab;
    ///
    /// let mut slab = GpuSlab::new(&Device::emulator(), 2, &[0.0; 4], &[1.0; 4], &[0.5; 4], 0..1)?;
    /// slab.upload_next(1..2, &[7.0, 8.0])?;
    /// slab.swap();
    /// assert_eq!(slab.rows(0..2)?, [1.0, 1.0, 7.0, 8.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn upload_next(&mut self, rows: Range<usize>, values: &[T]) -> Result<(), Error> {
        assert_eq!(values.len(), rows.len() * self.line(), "{rows:?}");
        self.session.upload(Self::place(&self.new, self.line(), &rows), values)
    }
}

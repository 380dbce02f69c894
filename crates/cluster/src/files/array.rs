//! Arrays in files, of which parts are read.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use warpwise::Element;

use super::npy;
use crate::Error;
use crate::parts::common;
use crate::redistribute::zeros;

/// A type of numbers in files.
///
/// ```
/// use warpwise_cluster::files::ElementType;
///
/// assert_eq!(ElementType::named("f32").unwrap().size(), 4);
/// assert!(ElementType::named("f16").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementType {
    name: &'static str,
    descr: &'static str,
    size: usize,
}

impl ElementType {
    /// Every type: its name, NumPy's name, and its bytes.
    const ALL: [Self; 8] = [
        Self::new("u8", "|u1", 1),
        Self::new("u16", "<u2", 2),
        Self::new("i32", "<i4", 4),
        Self::new("u32", "<u4", 4),
        Self::new("i64", "<i8", 8),
        Self::new("u64", "<u8", 8),
        Self::new("f32", "<f4", 4),
        Self::new("f64", "<f8", 8),
    ];

    const fn new(name: &'static str, descr: &'static str, size: usize) -> Self {
        Self { name, descr, size }
    }

    /// The type of that name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::files::ElementType::named("u8").unwrap().name(), "u8");
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name == name)
    }

    /// The type of elements.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::files::ElementType::of::<f64>().size(), 8);
    /// ```
    pub fn of<T: Element>() -> Self {
        Self::named(T::NAME).expect("every element type is in the list")
    }

    /// Its name.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::files::ElementType::of::<i32>().name(), "i32");
    /// ```
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The bytes of a number.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::files::ElementType::of::<u16>().size(), 2);
    /// ```
    pub fn size(self) -> usize {
        self.size
    }

    pub(super) fn descr(self) -> &'static str {
        self.descr
    }
}

/// An array in a file: `.npy`, or plain little-endian numbers.
///
/// ```no_run
/// use warpwise_cluster::files::Array;
///
/// let array = Array::open("grid.npy".as_ref(), None)?;
/// let rows: Vec<f64> = array.read(0..100)?;
/// # Ok::<(), warpwise_cluster::Error>(())
/// ```
#[derive(Debug)]
pub struct Array {
    path: PathBuf,
    file: File,
    ty: ElementType,
    shape: Vec<usize>,
    begin: u64,
}

impl Array {
    /// Opens a file. Those whose name ends with `.npy` say what they hold; all others hold numbers of type `raw`.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or is not what it should be.
    ///
    /// ```
    /// use warpwise_cluster::files::Array;
    ///
    /// let error = Array::open("there/is/none.npy".as_ref(), None).unwrap_err();
    /// assert!(error.to_string().starts_with("there/is/none.npy: "));
    /// ```
    pub fn open(path: &Path, raw: Option<ElementType>) -> Result<Self, Error> {
        let failed = |error: std::io::Error| Error::file(path, format!("cannot be read: {error}"));
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if path.extension().is_some_and(|ending| ending == "npy") {
            let mut start = Vec::new();
            file.by_ref().take(1 << 16).read_to_end(&mut start).map_err(failed)?;
            let header = npy::read(&start).map_err(|problem| Error::file(path, problem))?;
            let ty = ElementType::ALL.into_iter().find(|ty| ty.descr == header.descr || ty.descr[1..] == header.descr);
            let known = || ElementType::ALL.map(|ty| ty.descr).join(", ");
            let ty = ty.ok_or_else(|| {
                Error::file(
                    path,
                    format!("numbers of type {} are not supported: save as one of {}", header.descr, known()),
                )
            })?;
            let count = header.shape.iter().try_fold(ty.size, |bytes, &d| bytes.checked_mul(d));
            let there = length.saturating_sub(header.begin);
            match count {
                Some(bytes) if bytes as u64 <= there => {}
                Some(bytes) => {
                    let problem = format!("the file is cut off: its shape needs {bytes} bytes of numbers, of {there}");
                    return Err(Error::file(path, problem));
                }
                None => return Err(Error::file(path, "its shape is too large for this machine")),
            }
            return Ok(Self { path: path.to_owned(), file, ty, shape: header.shape, begin: header.begin });
        }
        let ty = raw.ok_or_else(|| {
            Error::file(path, "this is no .npy file: say what its numbers are with --type, as in --type f32")
        })?;
        if length % ty.size as u64 != 0 {
            let problem = format!("it has {length} bytes, which is no whole number of {}: check --type", ty.name);
            return Err(Error::file(path, problem));
        }
        let shape = vec![length as usize / ty.size];
        Ok(Self { path: path.to_owned(), file, ty, shape, begin: 0 })
    }

    /// The type of its numbers.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// assert_eq!(Array::open("grid.npy".as_ref(), None)?.element_type().name(), "f64");
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.ty
    }

    /// The length of every dimension.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// assert_eq!(Array::open("grid.npy".as_ref(), None)?.shape(), [100, 200]);
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many numbers there are.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// assert_eq!(Array::open("grid.npy".as_ref(), None)?.length(), 20_000);
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn length(&self) -> usize {
        self.shape.iter().product()
    }

    /// Rows and columns; the error names the file.
    ///
    /// # Errors
    ///
    /// For an array of one dimension, or of more than two.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// assert_eq!(Array::open("grid.npy".as_ref(), None)?.plane()?, (100, 200));
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn plane(&self) -> Result<(usize, usize), Error> {
        match self.shape[..] {
            [rows, columns] => Ok((rows, columns)),
            _ => Err(Error::file(
                &self.path,
                format!(
                    "the array has {} dimensions, but rows and columns are needed: save it as 2-D",
                    self.shape.len()
                ),
            )),
        }
    }

    /// Some of its numbers, whose type must be that of the file.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// let first: Vec<f64> = Array::open("grid.npy".as_ref(), None)?.read(0..1)?;
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn read<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        self.check::<T>()?;
        let mut out = zeros::<T>(range.len());
        self.fill(range.start, &mut out)?;
        Ok(out)
    }

    /// A block of a matrix: some rows and columns.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Array;
    /// let corner: Vec<f64> = Array::open("grid.npy".as_ref(), None)?.read_block(0..10, 0..10)?;
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn read_block<T: Element>(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Vec<T>, Error> {
        self.check::<T>()?;
        let (_, all) = self.plane()?;
        if columns.len() == all {
            return self.read(rows.start * all..rows.end * all);
        }
        let mut out = zeros::<T>(rows.len() * columns.len());
        if !columns.is_empty() {
            for (row, out) in rows.zip(out.chunks_mut(columns.len())) {
                self.fill(row * all + columns.start, out)?;
            }
        }
        Ok(out)
    }

    fn check<T: Element>(&self) -> Result<(), Error> {
        if self.ty == ElementType::of::<T>() {
            return Ok(());
        }
        Err(Error::file(&self.path, format!("it holds {}, not {}: save it as {}", self.ty.name, T::NAME, T::NAME)))
    }

    fn fill<T: Element>(&self, at: usize, out: &mut [T]) -> Result<(), Error> {
        let offset = self.begin + (at * self.ty.size) as u64;
        let read = self.file.read_exact_at(bytemuck::cast_slice_mut(out), offset);
        read.map_err(|error| Error::file(&self.path, format!("cannot be read: {error}")))
    }
}

/// Files of numbers of one type, as one long array.
///
/// ```no_run
/// use warpwise_cluster::files::Arrays;
///
/// let days = Arrays::open(&["monday.npy".into(), "tuesday.npy".into()], None)?;
/// let some: Vec<f32> = days.read(0..1000)?;
/// # Ok::<(), warpwise_cluster::Error>(())
/// ```
#[derive(Debug)]
pub struct Arrays {
    all: Vec<Array>,
}

impl Arrays {
    /// Opens files, at least one.
    ///
    /// # Errors
    ///
    /// As for [`Array::open`], and where their types differ.
    ///
    /// ```
    /// assert!(warpwise_cluster::files::Arrays::open(&["none.npy".into()], None).is_err());
    /// ```
    pub fn open(paths: &[PathBuf], raw: Option<ElementType>) -> Result<Self, Error> {
        let all = paths.iter().map(|path| Array::open(path, raw)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = all.first() else { return Err(Error::flag("FILE", "name at least one file")) };
        if let Some(other) = all.iter().find(|array| array.ty != first.ty) {
            let problem = format!(
                "it holds {}, but {} holds {}: files of one type are needed",
                other.ty.name,
                first.path.display(),
                first.ty.name
            );
            return Err(Error::file(&other.path, problem));
        }
        Ok(Self { all })
    }

    /// The type of the numbers.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Arrays;
    /// assert_eq!(Arrays::open(&["monday.npy".into()], None)?.element_type().name(), "f32");
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.all[0].ty
    }

    /// How many numbers there are in all files.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Arrays;
    /// assert_eq!(Arrays::open(&["monday.npy".into()], None)?.length(), 86_400);
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn length(&self) -> usize {
        self.all.iter().map(Array::length).sum()
    }

    /// The shape of a single file; that of several is their length.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Arrays;
    /// assert_eq!(Arrays::open(&["monday.npy".into()], None)?.shape(), [86_400]);
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn shape(&self) -> Vec<usize> {
        if let [one] = &self.all[..] { one.shape.clone() } else { vec![self.length()] }
    }

    /// Some of the numbers, counted through all files.
    ///
    /// # Errors
    ///
    /// Where a file cannot be read.
    ///
    /// ```no_run
    /// # use warpwise_cluster::files::Arrays;
    /// let some: Vec<f32> = Arrays::open(&["monday.npy".into()], None)?.read(10..20)?;
    /// # Ok::<(), warpwise_cluster::Error>(())
    /// ```
    pub fn read<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        let mut out = zeros::<T>(range.len());
        let mut begin = 0;
        for array in &self.all {
            array.check::<T>()?;
            let there = begin..begin + array.length();
            let wanted = common(&there, &range);
            if !wanted.is_empty() {
                let room = &mut out[wanted.start - range.start..wanted.end - range.start];
                array.fill(wanted.start - there.start, room)?;
            }
            begin = there.end;
        }
        Ok(out)
    }
}

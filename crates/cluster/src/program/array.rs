//! Arrays that are read from files, or made in the ranks.

use std::path::PathBuf;

use warpwise::{Element, random};

use super::run::Run;
use super::size;
use crate::communicator::Communicator;
use crate::files::{Arrays, ElementType};
use crate::redistribute::zeros;
use crate::{Error, Parts, agree};

/// Where numbers come from.
#[derive(clap::Args)]
pub(super) struct Source {
    /// .npy files, or files of plain little-endian numbers; several are one long array
    #[arg(value_name = "FILE", required_unless_present = "length")]
    files: Vec<PathBuf>,
    /// Make that many random numbers instead, each rank its part (2^24, 1e6)
    #[arg(short = 'n', value_name = "N", value_parser = size::count, conflicts_with = "files")]
    length: Option<usize>,
    /// The type of plain files and of made numbers: u8 u16 i32 u32 i64 u64 f32 or f64
    #[arg(long = "type", value_name = "TYPE", value_parser = element_type)]
    ty: Option<ElementType>,
}

pub(super) fn element_type(text: &str) -> Result<ElementType, String> {
    ElementType::named(text).ok_or_else(|| "use one of u8, u16, i32, u32, i64, u64, f32, f64".to_owned())
}

/// An array of which every rank has a part.
pub(super) struct Numbers {
    files: Option<Arrays>,
    pub(super) length: usize,
    pub(super) shape: Vec<usize>,
    pub(super) ty: ElementType,
}

impl Source {
    /// What decides which numbers these are.
    pub(super) fn words(&self) -> String {
        let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        self.length.map_or_else(|| files.join(" "), |n| format!("{n} random numbers"))
    }

    pub(super) fn open(&self, run: &Run) -> Result<Numbers, Error> {
        let Some(length) = self.length else {
            let files = run.reading(|| Arrays::open(&self.files, self.ty))?;
            let (length, shape, ty) = (files.length(), files.shape(), files.element_type());
            return Ok(Numbers { files: Some(files), length, shape, ty });
        };
        let ty = self.ty.unwrap_or_else(ElementType::of::<f32>);
        agree(&run.ranks, fits(length / run.ranks.size(), ty.size()))?;
        Ok(Numbers { files: None, length, shape: vec![length], ty })
    }
}

/// Whether a part fits into memory at all.
pub(super) fn fits(elements: usize, size: usize) -> Result<(), Error> {
    let mut test: Vec<u8> = Vec::new();
    let bytes = elements.checked_mul(size).filter(|bytes| test.try_reserve_exact(*bytes).is_ok());
    let what = || format!("a part of {elements} numbers does not fit into memory: use fewer, or more ranks");
    bytes.map(drop).ok_or_else(|| Error::flag("-n", what()))
}

impl Numbers {
    pub(super) fn parts(&self, run: &Run) -> Parts {
        Parts::new(self.length, run.ranks.size())
    }

    /// This rank's part.
    pub(super) fn part<T: Element>(&self, run: &Run) -> Result<Vec<T>, Error> {
        let mine = self.parts(run).of(run.ranks.rank());
        run.reading(|| match &self.files {
            Some(files) => files.read(mine),
            None => {
                let mut made = zeros::<T>(mine.len());
                made.iter_mut().zip(mine).for_each(|(x, i)| *x = random::element(random::at(24, i as u64)));
                Ok(made)
            }
        })
    }
}

/// Calls `$body` with `$t` as the type of an [`ElementType`].
macro_rules! with_type {
    ($ty:expr, [$($known:ident)*], $t:ident => $body:expr) => {
        match $ty.name() {
            $(stringify!($known) => { type $t = $known; $body })*
            other => {
                let known = [$(stringify!($known)),*].join(", ");
                Err($crate::Error::Flag {
                    flag: "--type",
                    problem: format!("there is none for {other}: use one of {known}"),
                })
            }
        }
    };
}
pub(super) use with_type;

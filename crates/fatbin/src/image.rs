//! One image: PTX or machine code for one architecture.

use std::borrow::Cow;

use crate::{ImageError, Ptx, elf, lz4, text, unpack};

/// What an image holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PTX text.
    Ptx,
    /// Machine code.
    Cubin,
    /// Something else, such as code for a linker that optimises; the number of the kind is kept.
    Other(u16),
}

/// How an image is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// As it is.
    Plain,
    /// As an LZ4 block.
    Lz4,
    /// As a Zstandard frame.
    Zstd,
}

/// PTX or machine code for one architecture.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    /// What it holds.
    pub kind: Kind,
    /// The architecture that it is for: 90 for `sm_90`. 0 where nothing says so.
    pub sm: u32,
    /// The version of PTX, or of the format of machine code: major, minor. 0.0 where nothing says so.
    pub version: (u32, u32),
    /// How it is stored.
    pub storage: Storage,
    /// Its size in bytes when it is unpacked, as it says itself.
    pub unpacked: u64,
    /// The source file that it was compiled from.
    pub name: Option<String>,
    /// The options that the assembler is to be given.
    pub options: Option<String>,
    /// The bytes as they are stored.
    pub(crate) payload: &'a [u8],
}

impl<'a> Image<'a> {
    /// A text by itself.
    pub(crate) fn text(text: &'a [u8]) -> Self {
        let unpacked = text.len() as u64;
        let about = text::About::of(text);
        Self {
            kind: Kind::Ptx,
            sm: about.target,
            version: about.version,
            storage: Storage::Plain,
            unpacked,
            name: None,
            options: None,
            payload: text,
        }
    }

    /// A cubin by itself.
    pub(crate) fn cubin(cubin: &'a [u8], sm: u32) -> Self {
        let unpacked = cubin.len() as u64;
        let (kind, storage, version) = (Kind::Cubin, Storage::Plain, (0, 0));
        Self { kind, sm, version, storage, unpacked, name: None, options: None, payload: cubin }
    }

    /// Its size in bytes as it is stored.
    pub fn stored(&self) -> u64 {
        self.payload.len() as u64
    }

    /// The bytes, unpacked.
    ///
    /// # Errors
    ///
    /// What is packed is damaged, or is not as long as the entry says.
    pub fn contents(&self) -> Result<Cow<'a, [u8]>, ImageError> {
        Ok(match self.storage {
            Storage::Plain => Cow::Borrowed(self.payload),
            Storage::Lz4 => Cow::Owned(lz4::unpack(self.payload, unpack::checked(self.payload, self.unpacked)?)?),
            Storage::Zstd => Cow::Owned(unpack::zstd(self.payload, unpack::checked(self.payload, self.unpacked)?)?),
        })
    }

    /// The PTX of the image: of machine code, what its compiler put beside it. There may be none, and of a linked cubin
    /// there are several.
    ///
    /// # Errors
    ///
    /// The image cannot be unpacked, or is machine code whose sections make no sense.
    pub fn ptx(&self) -> Result<Vec<Ptx>, ImageError> {
        match self.kind {
            Kind::Ptx => {
                let contents = self.contents()?;
                let text = text::without_zeros(&contents);
                let about = text::About::of(text);
                let target = if self.sm == 0 { about.target } else { self.sm };
                Ok(vec![Ptx { text: crate::field::text(text), target, name: self.name.clone() }])
            }
            Kind::Cubin => {
                let contents = self.contents()?;
                if !elf::is(&contents) {
                    return Ok(Vec::new());
                }
                let texts = elf::Elf::read(&contents)?.ptx();
                Ok(texts.into_iter().map(|text| self.beside(text)).collect())
            }
            Kind::Other(_) => Ok(Vec::new()),
        }
    }

    /// A text that lay beside machine code.
    fn beside(&self, text: String) -> Ptx {
        let about = text::About::of(text.as_bytes());
        let target = if about.target == 0 { self.sm } else { about.target };
        Ptx { text, target, name: self.name.clone() }
    }
}

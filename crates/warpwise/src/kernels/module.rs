//! Modules of kernels.

use super::packed::Packed;
use super::source::Source;
use std::borrow::Cow;
use warpwise_gpu::ModuleSource;

/// A module of kernels: CUDA C++ and the PTX compiled from it. Every kernel can be extracted alone.
///
/// ```
/// let module: &warpwise::KernelModule = warpwise::kernel_module("hello").expect("it is there");
/// assert_eq!(module.entries().collect::<Vec<_>>(), ["hello"]);
/// ```
#[derive(Debug)]
pub struct KernelModule {
    pub(super) name: &'static str,
    pub(super) primitive: &'static str,
    pub(super) sources: &'static [&'static Source],
    pub(super) text: Text,
}

/// The PTX of a module.
#[derive(Debug)]
pub(super) enum Text {
    /// Uncompressed.
    Plain(&'static str),
    /// Cut into functions and compressed.
    Pieces(&'static [Piece]),
}

/// A piece of PTX: whole lines.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    /// Its number of lines.
    pub(super) lines: usize,
    pub(super) text: Packed,
}

/// What is in a piece.
#[derive(Debug)]
pub(super) enum Kind {
    /// What all functions may use: version, variables, declarations, file names.
    Shared,
    /// A function that others call.
    #[allow(dead_code, reason = "no kernel of today calls one: the compiler inlines them")]
    Function,
    /// A kernel, with the numbers of the functions that it needs.
    Entry { name: &'static str, needs: &'static [usize] },
}

impl KernelModule {
    /// A module for a test, with uncompressed text.
    pub(crate) const fn plain(name: &'static str, ptx: &'static str) -> Self {
        Self { name, primitive: name, sources: &[], text: Text::Plain(ptx) }
    }

    /// Its name, as launches use it: the primitive's, with a second part if the primitive has several modules.
    ///
    /// ```
    /// assert_eq!(warpwise::kernels("heat").last().expect("it has kernels").name(), "heat-resident");
    /// ```
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The primitive that the kernels belong to.
    ///
    /// ```
    /// assert_eq!(warpwise::kernel_module("heat-resident").expect("it is there").primitive(), "heat");
    /// ```
    pub fn primitive(&self) -> &'static str {
        self.primitive
    }

    /// The sources, as named in the PTX's line information: the kernels, then the files they include.
    ///
    /// ```
    /// let scan = warpwise::kernel_module("scan").expect("it is there");
    /// assert!(scan.sources().last().expect("it has headers").path().ends_with("kernels.cuh"));
    /// ```
    pub fn sources(&self) -> &'static [&'static Source] {
        self.sources
    }

    /// The names of its kernels.
    ///
    /// ```
    /// let vecadd = warpwise::kernel_module("vecadd").expect("it is there");
    /// assert!(vecadd.entries().all(|entry| entry.starts_with("vecadd_")));
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.pieces().iter().filter_map(|piece| match piece.kind {
            Kind::Entry { name, .. } => Some(name),
            _ => None,
        })
    }

    /// The PTX of one kernel: a module by itself, with the functions it calls and all variables. Lines keep the numbers
    /// they have in the [whole](Self::whole); lines of other kernels are empty. `None` if there is no such kernel.
    ///
    /// ```
    /// let vecadd = warpwise::kernel_module("vecadd").expect("it is there");
    /// let entry = vecadd.entries().last().expect("it has kernels");
    /// let (text, whole) = (vecadd.text(entry).expect("it is its kernel"), vecadd.whole());
    /// assert_eq!(text.matches(".entry").count(), 1);
    /// assert!(text.lines().zip(whole.lines()).all(|(a, b)| a == b || a.is_empty()));
    /// assert_eq!(vecadd.text("subtract"), None);
    /// ```
    pub fn text(&self, entry: &str) -> Option<String> {
        self.text_of(&[entry])
    }

    /// Like [`text`](Self::text), but for several kernels.
    ///
    /// ```
    /// let vecadd = warpwise::kernel_module("vecadd").expect("it is there");
    /// let first: Vec<&str> = vecadd.entries().take(2).collect();
    /// assert_eq!(vecadd.text_of(&first).map(|text| text.matches(".entry").count()), Some(2));
    /// ```
    pub fn text_of(&self, entries: &[&str]) -> Option<String> {
        if let Text::Plain(text) = self.text {
            return Some(text.to_owned());
        }
        let pieces = self.pieces();
        let mut needed: Vec<bool> = pieces.iter().map(|piece| matches!(piece.kind, Kind::Shared)).collect();
        for entry in entries {
            let is_it = |piece: &Piece| matches!(piece.kind, Kind::Entry { name, .. } if name == *entry);
            let at = pieces.iter().position(is_it)?;
            needed[at] = true;
            if let Kind::Entry { needs, .. } = pieces[at].kind {
                needs.iter().for_each(|&function| needed[function] = true);
            }
        }
        Some(join(pieces.iter().zip(needed)))
    }

    /// The PTX of all kernels.
    ///
    /// ```
    /// let hello = warpwise::kernel_module("hello").expect("it is there");
    /// assert!(hello.whole().contains(".entry hello("));
    /// ```
    pub fn whole(&self) -> String {
        match self.text {
            Text::Plain(text) => text.to_owned(),
            Text::Pieces(pieces) => join(pieces.iter().map(|piece| (piece, true))),
        }
    }

    fn pieces(&self) -> &'static [Piece] {
        match self.text {
            Text::Plain(_) => &[],
            Text::Pieces(pieces) => pieces,
        }
    }
}

impl ModuleSource for &'static KernelModule {
    fn text_for(&self, entry: &str) -> Option<Cow<'_, str>> {
        self.text(entry).map(Cow::Owned)
    }

    fn declarations(&self) -> Cow<'_, str> {
        self.text_of(&[]).map_or_else(|| KernelModule::whole(self).into(), Cow::Owned)
    }

    fn whole(&self) -> Cow<'_, str> {
        KernelModule::whole(self).into()
    }

    fn file(&self, path: &str) -> Option<Cow<'_, str>> {
        self.sources.iter().find(|source| source.path() == path).map(|source| source.text().into())
    }
}

/// Pieces in order; those not wanted become empty lines.
fn join<'a>(pieces: impl Iterator<Item = (&'a Piece, bool)> + Clone) -> String {
    let length = pieces.clone().map(|(piece, wanted)| if wanted { piece.text.bytes } else { piece.lines }).sum();
    let mut text = String::with_capacity(length);
    for (piece, wanted) in pieces {
        if wanted {
            text.push_str(piece.text.text());
        } else {
            text.extend(std::iter::repeat_n('\n', piece.lines));
        }
    }
    text
}

//! Instructions on textures and surfaces, as data.

use crate::texture::ImageKind;

/// What an instruction does with a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextureVerb {
    /// `tex`.
    Sample,
    /// `tld4` of that channel.
    Gather(usize),
    /// `suld.b`.
    Load,
    /// `sust.b`.
    Store,
    /// `sust.p`: values are converted to the surface's channels.
    StoreFormatted,
    /// `txq`, `suq` of columns, rows or planes.
    Query(usize),
}

/// Which level of a texture an instruction asks for, by slots 32 bits wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LevelSlots {
    /// The largest.
    Base,
    /// `.level`: that one.
    Number(u32),
    /// `.grad`: by how much the coordinates change from one sample to the next, along x and along y.
    Slopes([Vec<u32>; 2]),
}

/// What an access outside a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// It is a mistake.
    Trap,
    /// It goes to the edge.
    Clamp,
    /// It reads zero and writes nothing.
    Zero,
}

/// An instruction on a texture or surface.
#[derive(Clone, Debug)]
pub(crate) struct TextureOp {
    pub(crate) verb: TextureVerb,
    /// The dimensions that it is for; none for a query.
    pub(crate) kind: Option<ImageKind>,
    /// Slot of the handle, 64 bits wide.
    pub(crate) handle: u32,
    /// Slot of the layer.
    pub(crate) layer: Option<u32>,
    pub(crate) level: LevelSlots,
    /// Slots of the coordinates, 32 bits wide.
    pub(crate) coordinates: Vec<u32>,
    /// Whether coordinates are integers.
    pub(crate) whole: bool,
    /// Slots and widths of the values that it gives or takes.
    pub(crate) values: Vec<(u32, u32)>,
    /// Whether these are single-precision numbers.
    pub(crate) float: bool,
    /// Whether these are signed integers.
    pub(crate) signed: bool,
    /// Bytes of each in memory, for surfaces.
    pub(crate) element: u32,
    pub(crate) outside: Outside,
}

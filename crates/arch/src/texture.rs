//! Textures: the shape of images, and how they are sampled.

/// The type of a texel's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Channel {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F16,
    F32,
}

impl Channel {
    /// Bytes of one value.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }

    /// Whether it holds floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::F32)
    }
}

/// The dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// One row.
    Line,
    /// Rows and columns.
    Plane,
    /// Planes on top of each other.
    Volume,
    /// Rows of their own, chosen by a number.
    Lines,
    /// Planes of their own, chosen by a number.
    Planes,
    /// The six faces of a cube, chosen by a direction: +x, -x, +y, -y, +z, -z.
    Cube,
    /// Cubes of their own, chosen by a number.
    Cubes,
}

/// How texels lie in memory: channels of a texel together, then columns, rows, and planes or layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageShape {
    /// Its dimensions.
    pub kind: ImageKind,
    /// Columns.
    pub width: u32,
    /// Rows; 1 for lines.
    pub height: u32,
    /// Planes of a volume, layers, or faces of cubes; 1 for other images.
    pub depth: u32,
    /// Values of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Their type.
    pub channel: Channel,
}

impl ImageShape {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u32 {
        self.channels * self.channel.bytes()
    }

    /// Bytes of the image; `None` if its dimensions, or the channels, are none that an image can have.
    pub fn bytes(&self) -> Option<u64> {
        let texels = u64::from(self.width).checked_mul(self.height.into())?.checked_mul(self.depth.into())?;
        let flat = self.height == 1 || !matches!(self.kind, ImageKind::Line | ImageKind::Lines);
        let single = self.depth == 1 || !matches!(self.kind, ImageKind::Line | ImageKind::Plane);
        let cubic = self.width == self.height
            && match self.kind {
                ImageKind::Cube => self.depth == 6,
                _ => self.depth.is_multiple_of(6),
            };
        let fits = texels > 0 && flat && single && (cubic || !self.is_cubic()) && matches!(self.channels, 1 | 2 | 4);
        fits.then(|| texels.checked_mul(self.texel_bytes().into()))?
    }

    /// Whether a number chooses one of several layers, or a direction one of the faces of a cube.
    pub fn is_layered(&self) -> bool {
        matches!(self.kind, ImageKind::Lines | ImageKind::Planes) || self.is_cubic()
    }

    /// Whether its planes are the faces of cubes.
    ///
    /// ```
    /// use warpwise_arch::{Channel, ImageKind, ImageShape};
    ///
    /// let kind = ImageKind::Cubes;
    /// let shape = ImageShape { kind, width: 8, height: 8, depth: 12, channels: 1, channel: Channel::U8 };
    /// assert!(shape.is_cubic());
    /// assert_eq!(shape.bytes(), Some(8 * 8 * 12));
    /// assert_eq!(ImageShape { depth: 11, ..shape }.bytes(), None);
    /// ```
    pub fn is_cubic(&self) -> bool {
        matches!(self.kind, ImageKind::Cube | ImageKind::Cubes)
    }

    /// Columns, rows and planes, as far as coordinates reach.
    pub fn extent(&self) -> [u32; 3] {
        [self.width, self.height, if self.is_layered() { 1 } else { self.depth }]
    }
}

/// How many texels a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// The nearest one.
    Point,
    /// The two nearest in each dimension, weighted by distance.
    Linear,
}

/// What coordinates outside an image mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// The image again. Only for normalised coordinates; others are clamped.
    Wrap,
    /// The image mirrored, then again. Only for normalised coordinates; others are clamped.
    Mirror,
    /// The texel at the edge.
    Clamp,
    /// A colour of its own.
    Border,
}

/// How an image is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampler {
    /// Point or linear.
    pub filter: Filter,
    /// What coordinates outside the image mean, for each dimension.
    pub addressing: [Addressing; 3],
    /// Whether coordinates go from 0 to 1 instead of to the number of texels.
    pub normalized: bool,
    /// Whether integers of 8 and 16 bits are read as numbers from 0 (or -1) to 1.
    pub reads_fractions: bool,
    /// The colour outside the image.
    pub border: [f32; 4],
    /// Whether linear samples at the edge of a cube's face reach over to the next face.
    pub seamless: bool,
}

/// How one of the levels of an image is chosen, each of which has half the size of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelSampler {
    /// The nearest level, or the two nearest, weighted.
    pub filter: Filter,
    /// What is added to the level that is asked for.
    pub bias: f32,
    /// The least and the greatest that may come out.
    pub clamp: [f32; 2],
}

impl Default for Sampler {
    /// As CUDA has it: the nearest texel, clamped, by the number of texels, as it is.
    fn default() -> Self {
        Self {
            filter: Filter::Point,
            addressing: [Addressing::Clamp; 3],
            normalized: false,
            reads_fractions: false,
            border: [0.0; 4],
            seamless: false,
        }
    }
}

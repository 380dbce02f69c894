//! What decoders return: the samples of a picture in any format.

/// Maximum bytes of memory for the samples of a picture.
pub(super) const LARGEST: usize = 512 << 20;

/// Grey, or red, green and blue side by side, without transparency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raster {
    /// How high it is.
    pub(super) rows: usize,
    /// How wide it is.
    pub(super) columns: usize,
    /// Whether a pixel has three samples instead of one.
    pub(super) colour: bool,
    /// The value of white, or of full colour.
    pub(super) max: u16,
    /// The samples, row after row.
    pub(super) samples: Vec<u16>,
}

/// The luminance of red, green and blue: the primaries of sRGB, with white at x = 0.31272, y = 0.32903.
const LUMINANCE: [f32; 3] = [0.212_647_81, 0.715_179_15, 0.072_173_04];

impl Raster {
    /// From bytes with this many channels: one or three of colour, then possibly one of transparency.
    pub(super) fn of_bytes(rows: usize, columns: usize, channels: usize, bytes: &[u8]) -> Self {
        let samples = bytes.iter().copied().map(u16::from);
        Self::of_samples(rows, columns, channels, 255, samples)
    }

    /// The same, from samples of any depth.
    pub(super) fn of_samples(
        rows: usize,
        columns: usize,
        channels: usize,
        max: u16,
        samples: impl Iterator<Item = u16>,
    ) -> Self {
        let colour = channels >= 3;
        let kept = if colour { 3 } else { 1 };
        let samples = samples.enumerate().filter(|(i, _)| i % channels < kept).map(|(_, sample)| sample).collect();
        Self { rows, columns, colour, max, samples }
    }

    /// One sample per pixel: colours by their luminance.
    pub(super) fn into_grey(self) -> Self {
        if !self.colour {
            return self;
        }
        let (max, part) = (f32::from(self.max), 1.0 / f32::from(self.max));
        let grey = |pixel: &[u16]| {
            let parts = pixel.iter().zip(LUMINANCE).map(|(&sample, weight)| weight * (f32::from(sample) * part));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to max")]
            let luminance = (parts.sum::<f32>().clamp(0.0, 1.0) * max).round() as u16;
            luminance
        };
        let samples = self.samples.chunks_exact(3).map(grey).collect();
        Self { colour: false, samples, ..self }
    }

    /// The samples as 0 to 255, rounded.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let max = u32::from(self.max);
        let byte = |&v: &u16| u8::try_from((u32::from(v) * 255 + max / 2) / max).unwrap_or(u8::MAX);
        self.samples.iter().map(byte).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparency_is_left_out() {
        let grey = Raster::of_bytes(1, 2, 2, &[1, 255, 2, 0]);
        assert_eq!((grey.colour, grey.samples), (false, vec![1, 2]));
        let colour = Raster::of_bytes(1, 2, 4, &[1, 2, 3, 255, 4, 5, 6, 0]);
        assert_eq!((colour.colour, colour.samples), (true, vec![1, 2, 3, 4, 5, 6]));
    }

    #[test]
    fn green_is_the_brightest() {
        let colours = Raster::of_bytes(1, 5, 3, &[255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 7, 7, 7]);
        assert_eq!(colours.into_grey().to_bytes(), [54, 182, 18, 255, 7]);
    }

    #[test]
    fn deep_samples_are_rounded() {
        let deep = Raster::of_samples(1, 3, 1, u16::MAX, [0, 128, 65535].into_iter());
        assert_eq!(deep.to_bytes(), [0, 0, 255]);
        assert_eq!(Raster::of_samples(1, 1, 1, 10, [5].into_iter()).to_bytes(), [128]);
    }
}

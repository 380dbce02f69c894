//! From texels to values.

use super::address::{between, effective, nearest, texel};
use super::cube;
use super::filter::{self, Corners};
use crate::float::{F16, Half16};
use warpwise_arch::{Addressing, Channel, Filter, ImageKind, ImageShape, Sampler};

/// Faces of a cube.
const FACES: u32 = 6;

/// A coordinate, as an instruction gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coordinate {
    Float(f32),
    Integer(i32),
}

/// The texels that a linear sample is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// The first along each axis.
    pub(super) first: [i64; 3],
    /// The weight of the next, in 256ths.
    pub(super) second: [i64; 3],
    pub(super) axes: usize,
}

/// An image in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texels<'a> {
    pub(crate) shape: &'a ImageShape,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    pub(crate) bytes: &'a [u8],
}

impl Texels<'_> {
    /// Four channels at coordinates, as bits: of single-precision numbers where the channels are floating-point or read
    /// as fractions, else of integers. `one` is what a fourth channel holds that the image does not have.
    pub(crate) fn sample(&self, sampler: &Sampler, layer: u32, at: [Coordinate; 3], one: u32) -> [u32; 4] {
        if self.shape.is_cubic() {
            let (sampler, layer, at) = self.on_a_face(sampler, layer, at);
            return self.sample_plane(&sampler, layer, at, one);
        }
        self.sample_plane(sampler, layer, at, one)
    }

    /// The face of a cube that a direction points to, as a layer, and where on it.
    pub(super) fn on_a_face(
        &self,
        sampler: &Sampler,
        cube: u32,
        at: [Coordinate; 3],
    ) -> (Sampler, u32, [Coordinate; 3]) {
        let (face, [x, y]) = cube::face(at.map(|at| match at {
            Coordinate::Float(x) => x,
            Coordinate::Integer(x) => x as f32,
        }));
        let cube = cube.min(self.shape.depth / FACES - 1);
        let sampler = Sampler { normalized: true, ..*sampler };
        (sampler, cube * FACES + face, [Coordinate::Float(x), Coordinate::Float(y), Coordinate::Float(0.0)])
    }

    fn sample_plane(&self, sampler: &Sampler, layer: u32, at: [Coordinate; 3], one: u32) -> [u32; 4] {
        let axes = self.axes();
        let position = self.positions(sampler, at);
        let whole = at[..axes].iter().any(|at| matches!(at, Coordinate::Integer(_)));
        let fractional = self.shape.channel.is_float() || self.is_fraction(sampler);
        if sampler.filter == Filter::Point || whole || !fractional {
            let places = position.map(nearest);
            // An element of linear memory: nothing lies outside it.
            if whole && self.shape.kind == ImageKind::Line && !(0..i64::from(self.shape.width)).contains(&places[0]) {
                return [0; 4];
            }
            return self.read(sampler, layer, places, one);
        }
        self.filter(sampler, layer, position, one)
    }

    /// The values of the texels around a position, mixed.
    fn filter(&self, sampler: &Sampler, layer: u32, position: [f64; 3], one: u32) -> [u32; 4] {
        let around = self.around(sampler, position);
        let mut weights = filter::weights(around.second, around.axes);
        let texels = self.corners(sampler, layer, &around, &mut weights, one);
        self.mixed(sampler, &around, texels, weights, one)
    }

    /// The texels around a position.
    pub(super) fn around(&self, sampler: &Sampler, mut position: [f64; 3]) -> Around {
        let mut axes = self.axes();
        let addressing = self.addressing(sampler);
        // A line is an image of one row, read at its very top: half of a sample comes from outside.
        if axes == 1 && !self.shape.is_layered() && addressing[1] == Addressing::Border {
            (axes, position[1]) = (2, 0.0);
        }
        let mut first = [0; 3];
        let mut second = [0; 3];
        for axis in 0..axes {
            if addressing[axis] == Addressing::Clamp && !self.is_seamless(sampler) {
                // Outside there is nothing between texels.
                position[axis] = position[axis].clamp(0.5, f64::from(self.shape.extent()[axis]) - 0.5);
            }
            (first[axis], second[axis]) = between(position[axis]);
        }
        Around { first, second, axes }
    }

    /// The values of these texels, as far as they have a weight. Where three faces of a cube meet there is no fourth
    /// texel: the others share its weight.
    pub(super) fn corners(
        &self,
        sampler: &Sampler,
        layer: u32,
        around: &Around,
        weights: &mut [i64],
        one: u32,
    ) -> Corners<[u32; 4]> {
        let place = |at: usize| std::array::from_fn(|axis| around.first[axis] + (at >> axis & 1) as i64);
        if self.is_seamless(sampler)
            && let Some(missing) = (0..4).find(|&at| cube::is_beyond_a_corner(place(at), self.shape.width))
        {
            let share = std::mem::take(&mut weights[missing]);
            let third = (share + 1) / 3;
            for (at, part) in [(missing ^ 1, third), (missing ^ 2, third), (missing ^ 3, share - 2 * third)] {
                weights[at] += part;
            }
        }
        std::array::from_fn(|at| match weights.get(at) {
            None | Some(0) => [0; 4],
            Some(_) if self.is_seamless(sampler) => {
                let (layer, [x, y]) = cube::across(layer, place(at), self.shape.width);
                self.read_within(sampler, layer, [x, y, 0], one, around.axes)
            }
            Some(_) => self.read_within(sampler, layer, place(at), one, around.axes),
        })
    }

    /// What texels are together.
    pub(super) fn mixed(
        &self,
        sampler: &Sampler,
        around: &Around,
        texels: Corners<[u32; 4]>,
        weights: Corners<i64>,
        one: u32,
    ) -> [u32; 4] {
        let addressing = self.addressing(sampler);
        std::array::from_fn(|channel| {
            let inside = addressing[..around.axes].iter().all(|a| *a != Addressing::Border);
            if channel >= self.shape.channels as usize && inside {
                return if channel == 3 { one } else { 0 };
            }
            filter::mix(self.shape.channel, texels.map(|texel| f32::from_bits(texel[channel])), weights).to_bits()
        })
    }

    /// Whether samples at the edge of a face reach over to the next.
    fn is_seamless(&self, sampler: &Sampler) -> bool {
        sampler.seamless && self.shape.is_cubic()
    }

    /// One channel of the four texels that a linear sample is made of, from the lower left against the clock.
    pub(crate) fn gather(&self, sampler: &Sampler, at: [Coordinate; 3], channel: usize, one: u32) -> [u32; 4] {
        let position = self.positions(sampler, at);
        let (x, y) = (between(position[0]).0, between(position[1]).0);
        let corners = [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)];
        corners.map(|(x, y)| self.read(sampler, 0, [x, y, 0], one)[channel])
    }

    /// Dimensions that coordinates choose in.
    fn axes(&self) -> usize {
        match self.shape.kind {
            ImageKind::Line | ImageKind::Lines => 1,
            ImageKind::Plane | ImageKind::Planes | ImageKind::Cube | ImageKind::Cubes => 2,
            ImageKind::Volume => 3,
        }
    }

    /// Coordinates in texels.
    pub(super) fn positions(&self, sampler: &Sampler, at: [Coordinate; 3]) -> [f64; 3] {
        let extent = self.shape.extent();
        std::array::from_fn(|axis| match at[axis] {
            Coordinate::Integer(x) => f64::from(x),
            Coordinate::Float(x) if sampler.normalized => f64::from(x) * f64::from(extent[axis]),
            Coordinate::Float(x) => f64::from(x),
        })
    }

    pub(super) fn is_fraction(&self, sampler: &Sampler) -> bool {
        sampler.reads_fractions && self.shape.channel.bytes() < 4 && !self.shape.channel.is_float()
    }

    /// What happens outside the image, along each axis.
    fn addressing(&self, sampler: &Sampler) -> [Addressing; 3] {
        sampler.addressing.map(|addressing| effective(addressing, sampler.normalized))
    }

    /// The texel at a place, or the border.
    pub(super) fn read(&self, sampler: &Sampler, layer: u32, places: [i64; 3], one: u32) -> [u32; 4] {
        let texel = self.read_within(sampler, layer, places, one, self.axes());
        if self.is_fraction(sampler) { texel.map(|bits| f32::from_bits(bits).max(-1.0).to_bits()) } else { texel }
    }

    /// As [`Self::read`], of an image that is taken to have so many axes. The smallest signed integer is less than -1
    /// here: it is mixed as it is.
    fn read_within(&self, sampler: &Sampler, layer: u32, places: [i64; 3], one: u32, axes: usize) -> [u32; 4] {
        let extent = self.shape.extent();
        let mut at = [0u32; 3];
        for (axis, addressing) in self.addressing(sampler).into_iter().enumerate() {
            let addressing = if axis < axes { addressing } else { Addressing::Clamp };
            match texel(places[axis], extent[axis], addressing) {
                Some(place) => at[axis] = place,
                None => return self.border(sampler),
            }
        }
        if self.shape.is_layered() {
            at[2] = layer.min(self.shape.depth - 1);
        }
        let mut bits = [0, 0, 0, one];
        for channel in 0..self.shape.channels {
            bits[channel as usize] = self.channel(sampler, at, channel);
        }
        bits
    }

    /// The border, in the steps of the image's channels.
    fn border(&self, sampler: &Sampler) -> [u32; 4] {
        let steps = match self.shape.channel {
            Channel::U8 => Some((0.0, 255.0)),
            Channel::U16 => Some((0.0, 65535.0)),
            Channel::I8 => Some((-1.0, 127.0)),
            Channel::I16 => Some((-1.0, 32767.0)),
            Channel::U32 | Channel::I32 | Channel::F16 | Channel::F32 => None,
        };
        sampler.border.map(|value| match steps {
            Some((least, steps)) if self.is_fraction(sampler) => {
                ((value.clamp(least, 1.0) * steps).round() / steps).to_bits()
            }
            _ if self.shape.channel.is_float() => value.to_bits(),
            _ => value as i32 as u32,
        })
    }

    fn channel(&self, sampler: &Sampler, at: [u32; 3], channel: u32) -> u32 {
        let ImageShape { height, channel: kind, .. } = *self.shape;
        let row = u64::from(at[2]) * u64::from(height) + u64::from(at[1]);
        let start = row * self.pitch + u64::from(at[0]) * u64::from(self.shape.texel_bytes());
        let start = start as usize + (channel * kind.bytes()) as usize;
        let mut raw = [0; 4];
        let Some(bytes) = self.bytes.get(start..start + kind.bytes() as usize) else { return 0 };
        raw[..bytes.len()].copy_from_slice(bytes);
        let raw = u32::from_le_bytes(raw);
        let fraction = |value: f32, most: f32| (value / most).to_bits();
        let as_fraction = self.is_fraction(sampler);
        match kind {
            Channel::U32 | Channel::I32 | Channel::F32 => raw,
            Channel::F16 => F16::to_f32(raw as u16).to_bits(),
            Channel::U8 if as_fraction => fraction(raw as f32, 255.0),
            Channel::U16 if as_fraction => fraction(raw as f32, 65535.0),
            Channel::I8 if as_fraction => fraction(f32::from(raw as i8), 127.0),
            Channel::I16 if as_fraction => fraction(f32::from(raw as i16), 32767.0),
            Channel::U8 | Channel::U16 => raw,
            Channel::I8 => i32::from(raw as i8) as u32,
            Channel::I16 => i32::from(raw as i16) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Coordinate::{Float, Integer};

    const NOWHERE: Coordinate = Integer(0);

    fn shape(kind: ImageKind, [width, height, depth]: [u32; 3], channel: Channel) -> ImageShape {
        ImageShape { kind, width, height, depth, channels: 1, channel }
    }

    /// An image whose rows follow each other.
    fn image<'a>(shape: &'a ImageShape, bytes: &'a [u8]) -> Texels<'a> {
        Texels { shape, pitch: u64::from(shape.width * shape.texel_bytes()), bytes }
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn a_line_is_interpolated_between_the_middles_of_texels() {
        let shape = shape(ImageKind::Line, [4, 1, 1], Channel::F32);
        let bytes = floats(&[0.0, 10.0, 20.0, 40.0]);
        let texels = image(&shape, &bytes);
        let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
        let at = |x: f32| f32::from_bits(texels.sample(&sampler, 0, [Float(x), NOWHERE, NOWHERE], 0)[0]);
        assert_eq!([0.0, 0.5, 1.0, 1.5, 3.0, 3.5, 9.0].map(at), [0.0, 0.0, 5.0, 10.0, 30.0, 40.0, 40.0]);
        assert_eq!(at(0.5 + 1.0 / 3.0), 10.0 * 85.0 / 256.0, "a weight has eight bits");
        let at = |addressing, x: f32| {
            let border = Sampler { addressing, border: [8.0; 4], ..sampler };
            f32::from_bits(texels.sample(&border, 0, [Float(x), NOWHERE, NOWHERE], 0)[0])
        };
        let along = [Addressing::Border, Addressing::Clamp, Addressing::Clamp];
        assert_eq!([0.0, 0.5, 4.0, -1.0].map(|x| at(along, x)), [4.0, 0.0, 24.0, 8.0]);
        let all = [Addressing::Border; 3];
        assert_eq!([0.0, 0.5, 4.0, -1.0].map(|x| at(all, x)), [6.0, 4.0, 16.0, 8.0], "the row has a border, too");
    }

    #[test]
    fn planes_and_volumes_weigh_all_their_neighbours() {
        let plane = shape(ImageKind::Plane, [2, 2, 1], Channel::F32);
        let bytes = floats(&[0.0, 4.0, 8.0, 16.0]);
        let sampler = Sampler { filter: Filter::Linear, normalized: true, ..Sampler::default() };
        let texels = image(&plane, &bytes);
        let at = |x: f32, y: f32| f32::from_bits(texels.sample(&sampler, 0, [Float(x), Float(y), NOWHERE], 0)[0]);
        assert_eq!([at(0.5, 0.5), at(0.25, 0.25), at(0.75, 0.5), at(0.375, 0.25)], [7.0, 0.0, 10.0, 1.0]);
        let corners = texels.gather(&sampler, [Float(0.5), Float(0.5), NOWHERE], 0, 0).map(f32::from_bits);
        assert_eq!(corners, [8.0, 16.0, 4.0, 0.0]);
        let volume = shape(ImageKind::Volume, [1, 1, 2], Channel::F32);
        let bytes = floats(&[2.0, 6.0]);
        let texels = image(&volume, &bytes);
        let at = |z: f32| f32::from_bits(texels.sample(&sampler, 0, [Float(0.5), Float(0.5), Float(z)], 0)[0]);
        assert_eq!([0.0, 0.25, 0.5, 0.625, 1.0].map(at), [2.0, 2.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn integers_stay_or_become_fractions() {
        let bytes = [0, 127, 128, 255];
        let read = |channel, reads_fractions, x| {
            let shape = shape(ImageKind::Line, [4, 1, 1], channel);
            let sampler = Sampler { reads_fractions, ..Sampler::default() };
            image(&shape, &bytes).sample(&sampler, 0, [Integer(x), NOWHERE, NOWHERE], 1)
        };
        assert_eq!(read(Channel::U8, false, 3), [255, 0, 0, 1]);
        assert_eq!([read(Channel::U8, false, 4), read(Channel::U8, false, -1)], [[0; 4]; 2]);
        assert_eq!(read(Channel::I8, false, 3), [u32::MAX, 0, 0, 1]);
        assert_eq!(
            [1, 2, 3].map(|x| f32::from_bits(read(Channel::U8, true, x)[0])),
            [127.0 / 255.0, 128.0 / 255.0, 1.0]
        );
        assert_eq!([1, 2].map(|x| f32::from_bits(read(Channel::I8, true, x)[0])), [1.0, -1.0]);
    }

    #[test]
    fn repetition_needs_normalised_coordinates() {
        let shape = shape(ImageKind::Line, [4, 1, 1], Channel::U8);
        let bytes = [10, 11, 12, 13];
        let read = |addressing, normalized, x: f32| {
            let sampler = Sampler { addressing: [addressing; 3], normalized, ..Sampler::default() };
            image(&shape, &bytes).sample(&sampler, 0, [Float(x), NOWHERE, NOWHERE], 1)[0]
        };
        assert_eq!([1.0, 1.3, -0.1, 0.99].map(|x| read(Addressing::Wrap, true, x)), [10, 11, 13, 13]);
        assert_eq!([1.0, 1.3, -0.1, 2.0].map(|x| read(Addressing::Mirror, true, x)), [13, 12, 10, 10]);
        assert_eq!([5.0, -1.0].map(|x| read(Addressing::Wrap, false, x)), [13, 10]);
    }

    #[test]
    fn layers_are_apart() {
        let shape = ImageShape { depth: 2, ..shape(ImageKind::Planes, [2, 1, 2], Channel::F32) };
        let bytes = floats(&[1.0, 2.0, 30.0, 40.0]);
        let sampler = Sampler { filter: Filter::Linear, ..Sampler::default() };
        let texels = image(&shape, &bytes);
        let at = |layer| f32::from_bits(texels.sample(&sampler, layer, [Float(1.0), Float(0.5), NOWHERE], 0)[0]);
        assert_eq!([0, 1, 7].map(at), [1.5, 35.0, 35.0]);
    }
}

//! Which of the sizes of an image is read.

use super::address::{ONE, nearest};
use super::filter;
use super::sample::{Coordinate, Texels};
use warpwise_arch::{Channel, Filter, ImageShape, LevelSampler, Sampler};

/// No image has that many levels.
const FAR: f32 = 1e6;

/// One or two levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) first: usize,
    /// The weight of the next one, in 256ths.
    pub(crate) weight: i64,
}

/// The levels, of that many, that make up the one that is asked for.
pub(crate) fn choose(asked: f32, sampler: &LevelSampler, count: usize) -> Levels {
    let [least, greatest] = sampler.clamp;
    let last = (count as i64 - 1) * ONE;
    let asked = if asked.is_nan() { 0.0 } else { asked };
    // Each of them is cut to 256ths before they are added or compared.
    let cut = |level: f32| (f64::from(level.clamp(-FAR, FAR)) * ONE as f64).floor() as i64;
    let fixed = (cut(asked) + cut(sampler.bias)).max(cut(least)).min(cut(greatest)).clamp(0, last);
    match sampler.filter {
        Filter::Linear => Levels { first: (fixed / ONE) as usize, weight: fixed % ONE },
        Filter::Point => Levels { first: ((fixed + ONE / 2) / ONE).min(count as i64 - 1) as usize, weight: 0 },
    }
}

/// The level whose texels are as far apart as samples are: by how much the coordinates change from one to the next along
/// x and along y decides. Lengths, and where the two changes add up, are estimated as an H200 seems to: what comes out
/// differed by at most one 256th.
pub(crate) fn asked_by_slopes(slopes: [[f32; 3]; 2], shape: &ImageShape, normalized: bool) -> f32 {
    let extent = shape.extent().map(|n| if normalized { n as f32 } else { 1.0 });
    let [x, y]: [[f32; 3]; 2] = slopes.map(|slope| std::array::from_fn(|axis| slope[axis] * extent[axis]));
    let sum = std::array::from_fn(|axis| x[axis] + y[axis]);
    let difference = std::array::from_fn(|axis| x[axis] - y[axis]);
    let diagonal = length(sum).max(length(difference)) * (11.0 / 16.0);
    let longest = length(x).max(length(y)).max(diagonal);
    (longest.log2() * ONE as f32).round() / ONE as f32
}

/// About how long a vector is.
fn length(of: [f32; 3]) -> f32 {
    let [x, y, z] = of.map(f32::abs);
    let most = x.max(y).max(z);
    most + (x + y + z - most) * (11.0 / 32.0)
}

impl Texels<'_> {
    /// As [`Texels::sample`], of a mixture with the next smaller image, which has that weight in 256ths. The two are
    /// like two planes of a volume.
    pub(crate) fn sample_between(
        &self,
        next: &Texels<'_>,
        weight: i64,
        sampler: &Sampler,
        layer: u32,
        at: [Coordinate; 3],
        one: u32,
    ) -> [u32; 4] {
        if !self.shape.channel.is_float() && !self.is_fraction(sampler) {
            return self.sample(sampler, layer, at, one);
        }
        let (sampler, layer, at) = match self.shape.is_cubic() {
            true => self.on_a_face(sampler, layer, at),
            false => (*sampler, layer, at),
        };
        let images = [self, next];
        let around = images.map(|image| image.around(&sampler, image.positions(&sampler, at)));
        if sampler.filter == Filter::Point {
            let values =
                images.map(|image| image.read(&sampler, layer, image.positions(&sampler, at).map(nearest), one));
            return self.blend(values, weight, &sampler, one);
        }
        if around[0].axes > 2 {
            let values = images.map(|image| image.sample(&sampler, layer, at, one));
            return self.blend(values, weight, &sampler, one);
        }
        let mut weights = filter::weights_of_planes(around.map(|around| [around.second[0], around.second[1]]), weight);
        let mut texels = [[0; 4]; 8];
        for (plane, image) in images.into_iter().enumerate() {
            let of_plane = plane * 4..plane * 4 + 4;
            let corners = image.corners(&sampler, layer, &around[plane], &mut weights[of_plane.clone()], one);
            texels[of_plane].copy_from_slice(&corners[..4]);
        }
        self.mixed(&sampler, &around[0], texels, weights, one)
    }

    /// Two values, of which the second has that weight.
    fn blend(&self, values: [[u32; 4]; 2], weight: i64, sampler: &Sampler, one: u32) -> [u32; 4] {
        let weights = [ONE - weight, 0, 0, 0, weight, 0, 0, 0];
        let channel = if self.is_fraction(sampler) { self.shape.channel } else { Channel::F32 };
        std::array::from_fn(|at| {
            let [first, second] = values.map(|value| f32::from_bits(value[at]));
            match at {
                3 if self.shape.channels < 4 => one,
                _ => filter::mix(channel, [first, 0.0, 0.0, 0.0, second, 0.0, 0.0, 0.0], weights).to_bits(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_arch::{Channel, ImageKind};

    const LINEAR: LevelSampler = LevelSampler { filter: Filter::Linear, bias: 0.0, clamp: [0.0, 99.0] };

    #[test]
    fn a_level_lies_between_two() {
        let levels = |asked| choose(asked, &LINEAR, 5);
        assert_eq!(levels(0.0), Levels { first: 0, weight: 0 });
        assert_eq!(levels(1.25), Levels { first: 1, weight: 64 });
        assert_eq!(levels(-3.0), Levels { first: 0, weight: 0 });
        assert_eq!(levels(7.5), Levels { first: 4, weight: 0 });
        assert_eq!(levels(f32::NAN), Levels { first: 0, weight: 0 });
        assert_eq!(levels(f32::INFINITY), Levels { first: 4, weight: 0 });
    }

    #[test]
    fn the_nearest_level_is_one() {
        let point = LevelSampler { filter: Filter::Point, ..LINEAR };
        let levels = [0.0, 0.49, 0.51, 1.4, 1.6, 9.0].map(|asked| choose(asked, &point, 3));
        assert_eq!(levels.map(|levels| levels.first), [0, 0, 1, 1, 2, 2]);
        assert!(levels.iter().all(|levels| levels.weight == 0));
    }

    #[test]
    fn what_is_asked_for_is_moved_and_limited() {
        let sampler = LevelSampler { bias: 0.5, clamp: [0.25, 2.0], ..LINEAR };
        assert_eq!(choose(-1.0, &sampler, 5), Levels { first: 0, weight: 64 });
        assert_eq!(choose(1.0, &sampler, 5), Levels { first: 1, weight: 128 });
        assert_eq!(choose(3.0, &sampler, 5), Levels { first: 2, weight: 0 });
    }

    #[test]
    fn samples_that_are_far_apart_want_small_images() {
        let (kind, channel) = (ImageKind::Plane, Channel::F32);
        let shape = ImageShape { kind, width: 16, height: 16, depth: 1, channels: 1, channel };
        let slopes = |x: f32, y: f32| [[x, 0.0, 0.0], [0.0, y, 0.0]];
        assert_eq!(asked_by_slopes(slopes(1.0 / 16.0, 1.0 / 64.0), &shape, true), 0.0);
        assert_eq!(asked_by_slopes(slopes(1.0 / 16.0, 0.25), &shape, true), 2.0);
        assert_eq!(asked_by_slopes(slopes(8.0, 1.0), &shape, false), 3.0);
        // Along one line, changes add up.
        let parallel = [[8.0, 0.0, 0.0], [8.0, 0.0, 0.0]];
        assert_eq!(asked_by_slopes(parallel, &shape, false), 3.0 + 118.0 / 256.0);
        assert_eq!(choose(asked_by_slopes(slopes(0.0, 0.0), &shape, true), &LINEAR, 5).first, 0);
    }
}

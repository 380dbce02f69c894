//! The pictures of a tour: generated here, so that no file is needed.

use std::f64::consts::TAU;
use warpwise::random;

/// A number in [0, 1) from the position of a pixel, the same every time (a hash, so that neighbours differ).
fn grain(x: usize, y: usize) -> f64 {
    (random::mix((x as u64) << 32 | y as u64) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Hills under a sun, with the grain of a poor camera.
pub(super) fn landscape(rows: usize, columns: usize) -> Vec<u8> {
    let pixel = |i: usize| {
        let (x, y) = (i % columns, i / columns);
        let (u, v) = (x as f64 / columns as f64, y as f64 / rows as f64);
        let hill = |height: f64, waves: f64, shift: f64| v > height + 0.08 * (TAU * (waves * u + shift)).sin();
        let sun = (u - 0.72).hypot((v - 0.26) * rows as f64 / columns as f64) < 0.1;
        let light = match () {
            () if hill(0.8, 1.3, 0.1) => 0.18,
            () if hill(0.66, 1.9, 0.55) => 0.34,
            () if hill(0.54, 1.1, 0.8) => 0.5,
            () if sun => 0.95,
            () => 0.6 + 0.25 * v,
        };
        let noisy = 255.0 * (light + 0.24 * (grain(x, y) - 0.5));
        noisy.round().clamp(0.0, 255.0) as u8
    };
    (0..rows * columns).map(pixel).collect()
}

/// Temperatures of a cylinder with hot discs and a hot ring on a cold background, and how slowly each cell changes: a
/// wall that keeps its heat is in the middle.
pub(super) fn cylinder(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let place = |i: usize| ((i % columns) as f64, (i / columns) as f64);
    let (w, h) = (columns as f64, rows as f64);
    let hot = |i: usize| {
        let (x, y) = place(i);
        let ring = ((x - 0.25 * w).hypot(y - 0.5 * h) - 0.3 * h).abs() < 0.05 * h;
        let disc = (x - 0.72 * w).hypot(y - 0.32 * h) < 0.16 * h || (x - 0.84 * w).hypot(y - 0.72 * h) < 0.1 * h;
        if ring || disc { 100.0 } else { 0.0 }
    };
    let inert = |i: usize| if (place(i).0 - 0.5 * w).abs() < 0.02 * w { 0.99 } else { 0.05 };
    ((0..rows * columns).map(hot).collect(), (0..rows * columns).map(inert).collect())
}

/// A temperature from 0 to 1 as red, green and blue: black, violet, red, orange, pale yellow, each lighter than the
/// one before, so that the picture also works in grey.
pub(super) fn glow(t: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 5] =
        [[10.0, 8.0, 30.0], [92.0, 22.0, 110.0], [200.0, 58.0, 70.0], [245.0, 150.0, 40.0], [253.0, 245.0, 180.0]];
    let at = t.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let low = (at as usize).min(STOPS.len() - 2);
    let part = at - low as f64;
    std::array::from_fn(|c| (STOPS[low][c] + part * (STOPS[low + 1][c] - STOPS[low][c])).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hotter_is_lighter() {
        let light = |t: f64| glow(t).iter().map(|&c| u32::from(c)).sum::<u32>();
        let all: Vec<u32> = (0..=20).map(|i| light(f64::from(i) / 20.0)).collect();
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{all:?}");
        assert_eq!((glow(-1.0), glow(9.0)), ([10, 8, 30], [253, 245, 180]));
    }

    #[test]
    fn scenes_have_something_in_them() {
        let picture = landscape(60, 80);
        assert!(picture.iter().any(|&p| p > 230) && picture.iter().any(|&p| p < 40));
        let (hot, inert) = cylinder(40, 60);
        assert!(hot.contains(&100.0) && hot.contains(&0.0) && inert.contains(&0.99));
    }
}

//! The applications as pictures.

use super::scene::{cylinder, glow, landscape};
use super::{Frame, HeatRun, Shot, Smoothing};
use crate::files::{Picture, base64};
use warpwise::convolve2d::{self, Edge, Filter, Image};
use warpwise::heat::{Cylinder, Limits, Simulation};
use warpwise::{Border, Device, histogram};

const HEAT: (usize, usize) = (120, 180);
/// The numbers of steps after which a picture is made.
const MOMENTS: [usize; 4] = [0, 20, 100, 400];
const PHOTO: (usize, usize) = (180, 240);

/// Heat that spreads on a cylinder.
pub(super) fn heat(interrupted: &dyn Fn() -> bool) -> Result<HeatRun, String> {
    let (rows, columns) = HEAT;
    let device = Device::best();
    let (temperature, inert) = cylinder(rows, columns);
    let start = Cylinder::new(rows, columns, &temperature, &inert).map_err(text)?;
    let mut simulation = Simulation::new(&device, start).map_err(text)?;
    let mut run = HeatRun { device: device.name(), rows, columns, frames: Vec::new() };
    let mut steps = 0;
    for moment in MOMENTS {
        if interrupted() {
            break;
        }
        let outcome = simulation.run(Limits { iterations: moment - steps, threshold: 0.0 }).map_err(text)?;
        steps = moment;
        let cells = simulation.temperatures().map_err(text)?;
        let extreme = |f: fn(f64, f64) -> f64| cells.iter().copied().reduce(f).unwrap_or(0.0);
        let pixels: Vec<[u8; 3]> = cells.iter().map(|t| glow(t / 100.0)).collect();
        let planes = (0..3).map(|c| pixels.iter().map(|pixel| pixel[c]).collect()).collect();
        run.frames.push(Frame {
            id: format!("h{}", run.frames.len() + 1),
            iterations: steps,
            lowest: extreme(f64::min),
            highest: extreme(f64::max),
            max_difference: Some(outcome.max_difference).filter(|difference| difference.is_finite()),
            png: png(rows, columns, planes)?,
        });
    }
    Ok(run)
}

/// A picture that is smoothed, with its grey levels before and after.
pub(super) fn smoothing() -> Result<Smoothing, String> {
    let (rows, columns) = PHOTO;
    let device = Device::best();
    let pixels = landscape(rows, columns);
    let filter = Filter::default();
    let edge = Edge::Border(Border::Replicate);
    let image = || Image::new(&pixels, rows, columns).map_err(text);
    let smooth = convolve2d::filter(&device, &filter, edge, &pixels, (rows, columns)).map_err(text)?;
    let mut expected = vec![0; smooth.len()];
    convolve2d::cpu::seq(&filter, edge, image()?, &mut expected).map_err(text)?;
    let shot = |id: &str, pixels: Vec<u8>| -> Result<Shot, String> {
        let counts = histogram::by_value(&device, &pixels[..]).map_err(text)?;
        Ok(Shot {
            id: id.into(),
            levels: counts.iter().filter(|count| **count > 0).count() as u64,
            commonest: counts.iter().copied().max().unwrap_or(0),
            counts,
            png: png(rows, columns, vec![pixels])?,
        })
    };
    // A sum in another order may round the other way.
    let ok = smooth.iter().zip(&expected).all(|(a, b)| a.abs_diff(*b) <= 1);
    let before = shot("s1", pixels.clone())?;
    Ok(Smoothing { device: device.name(), ok, rows, columns, before, after: shot("s2", smooth)? })
}

fn png(rows: usize, columns: usize, planes: Vec<Vec<u8>>) -> Result<String, String> {
    Picture { rows, columns, planes }.to_png().map(|bytes| base64::encode(&bytes))
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_is_right_and_narrows_the_grey_levels() {
        let smoothing = smoothing().unwrap();
        assert!(smoothing.ok);
        let pixels = (PHOTO.0 * PHOTO.1) as u64;
        assert_eq!(smoothing.before.counts.iter().sum::<u64>(), pixels);
        assert_eq!(smoothing.after.counts.iter().sum::<u64>(), pixels);
        assert!(smoothing.after.commonest > smoothing.before.commonest);
    }

    #[test]
    fn heat_spreads() {
        let run = heat(&|| false).unwrap();
        assert_eq!(run.frames.iter().map(|f| f.iterations).collect::<Vec<_>>(), MOMENTS);
        assert!(run.frames[3].highest < run.frames[0].highest && run.frames[3].lowest > run.frames[0].lowest);
        assert!(heat(&|| true).unwrap().frames.is_empty(), "an interrupt is heard");
    }
}

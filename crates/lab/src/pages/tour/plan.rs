//! What a tour does, in which order, and roughly how long each part takes.

use super::{Request, published};
use crate::Place;
use crate::measure::bench::{self, Selection};
use crate::measure::figures::Figure;
use crate::measure::stats::Rule;
use warpwise::primitive::Extents;
use warpwise::{PRIMITIVES, Primitive, RunsOn};

/// A part of the tour.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// All variants of a primitive at a place.
    Ladder(Box<bench::Request>),
    /// Counters and estimates for every published row.
    Estimates,
    /// Threads that say hello.
    Hello,
    /// A kernel, line by line.
    Kernel { primitive: &'static str, variant: &'static str, n: u64 },
    /// Heat on a cylinder.
    Heat,
    /// A picture that is smoothed.
    Smoothing,
    /// Published times, and the same experiments here.
    Figure(&'static str),
}

impl Part {
    /// A short name for the progress bar.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Ladder(request) => match request.places.first() {
                Some(Place::Emulator) => format!("{} on the emulator", request.primitive),
                Some(Place::Cuda) => format!("{} on the GPU", request.primitive),
                _ => format!("{} on the CPU", request.primitive),
            },
            Self::Estimates => "estimates for published figures".into(),
            Self::Hello => "hello".into(),
            Self::Kernel { primitive, variant, .. } => format!("{primitive} {variant}, line by line"),
            Self::Heat => "heat, in pictures".into(),
            Self::Smoothing => "smoothing, in pictures".into(),
            Self::Figure(name) => format!("the published figure {name}"),
        }
    }
}

/// Seconds that a configuration takes beside its samples: memory, data, and the comparison with the reference.
const BESIDE: f64 = 0.025;

/// Parts with their expected seconds.
pub(super) fn parts(request: Request, cuda: bool) -> Vec<(Part, f64)> {
    let mut all = Vec::new();
    for primitive in PRIMITIVES.iter().filter(|p| p.computes()) {
        let places: &[Place] =
            if cuda { &[Place::Cpu, Place::Emulator, Place::Cuda] } else { &[Place::Cpu, Place::Emulator] };
        for &place in places {
            let ladder = ladder(request, primitive, place);
            let variants = primitive.variants.iter().filter(|v| (v.runs_on == RunsOn::Cpu) == (place == Place::Cpu));
            let sizes = ladder.lengths.len();
            let each = match place {
                Place::Emulator if request.quick => 0.15,
                Place::Emulator => 1.0,
                _ => BESIDE + 1.2 * (ladder.rule.time_limit + ladder.rule.warm_up),
            };
            let expected = each * primitive.slowness * (variants.count() * sizes) as f64;
            all.push((Part::Ladder(Box::new(ladder)), expected));
        }
        if !all.iter().any(|(part, _)| matches!(part, Part::Estimates)) {
            all.extend(small(request));
        }
    }
    let figures = crate::measure::figures::all();
    let each = BESIDE + rule(request).time_limit + rule(request).warm_up;
    let seconds = |figure: &Figure| 0.1 + 1.5 * each * published::runs(figure, request, cuda) as f64;
    all.extend(figures.iter().map(|figure| (Part::Figure(figure.name), seconds(figure))));
    all
}

/// What a slow machine has, too: there, sizes of ladders are left out.
fn small(request: Request) -> Vec<(Part, f64)> {
    let mut all = vec![(Part::Estimates, 10.0), (Part::Hello, 0.1)];
    for primitive in PRIMITIVES {
        let shown = primitive.variants.iter().filter_map(|v| v.shown.map(|sizes| (v.name, sizes)));
        for (variant, (quick, full)) in shown {
            let n = if request.quick { quick } else { full };
            all.push((Part::Kernel { primitive: primitive.name, variant, n }, 0.5));
        }
    }
    all.extend([(Part::Heat, 0.5), (Part::Smoothing, 0.2)]);
    all
}

/// When there are enough samples.
pub(super) fn rule(request: Request) -> Rule {
    if request.quick {
        Rule { warm_up: 0.01, least_samples: 5, time_limit: 0.03, ..Rule::default() }
    } else {
        Rule::default()
    }
}

/// All variants of a primitive at a place, over sizes that suit both: the largest first, because tables show it, and
/// if time is short the others are skipped.
fn ladder(request: Request, primitive: &Primitive, place: Place) -> bench::Request {
    let powers = |list: &[u32]| list.iter().map(|&power| 1_usize << power).collect::<Vec<_>>();
    let pick = |few: &'static [u32], many: &'static [u32]| powers(if request.quick { few } else { many });
    // Some rungs use only one block.
    let one_block = primitive.variants.iter().any(|v| v.one_block.is_some());
    // Plain loops of slow primitives take most of a quick tour if there is much for them to do.
    let slow = request.quick && primitive.slowness > 1.0;
    let mut lengths = match (primitive.extents, place) {
        (Extents::Square, Place::Emulator) => pick(&[7], &[8]),
        (Extents::Square, Place::Cuda) => pick(&[8, 9, 10], &[7, 8, 9, 10, 11, 12]),
        (Extents::Square, _) => pick(&[6, 7, 8, 9], &[5, 6, 7, 8, 9, 10]),
        (Extents::Plane, Place::Emulator) => pick(&[8], &[9]),
        (Extents::Plane, Place::Cuda) => pick(&[8, 10, 11], &[7, 8, 9, 10, 11, 12]),
        (Extents::Plane, _) if slow => powers(&[6, 8, 9]),
        (Extents::Plane, _) => pick(&[6, 8, 10], &[6, 7, 8, 9, 10, 11]),
        (_, Place::Emulator) if one_block => pick(&[10, 20], &[10, 22]),
        (_, Place::Cuda) if one_block => pick(&[10, 20, 24], &[10, 12, 14, 16, 18, 20, 22, 24, 26]),
        (_, Place::Emulator) if slow => powers(&[16]),
        (_, Place::Emulator) => pick(&[20], &[22]),
        (_, Place::Cuda) => pick(&[16, 20, 24], &[12, 14, 16, 18, 20, 22, 24, 26]),
        _ if slow => powers(&[12, 16, 20, 22]),
        _ => pick(&[12, 16, 20, 24], &[12, 14, 16, 18, 20, 22, 24]),
    };
    lengths.reverse();
    bench::Request {
        variants: Selection::All,
        places: vec![place],
        lengths,
        rule: rule(request),
        ..bench::Request::new(primitive.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_is_in_it() {
        for quick in [true, false] {
            let all = parts(Request { quick, budget: None }, true);
            for primitive in PRIMITIVES.iter().filter(|p| p.computes()) {
                let places = all
                    .iter()
                    .filter(|(part, _)| matches!(part, Part::Ladder(request) if request.primitive == primitive.name));
                assert_eq!(places.count(), 3, "{}", primitive.name);
            }
            for (part, _) in &all {
                let Part::Ladder(request) = part else { continue };
                assert!(!request.lengths.is_empty() && request.lengths.is_sorted_by(|a, b| a > b));
            }
            assert!(all.iter().all(|(part, seconds)| *seconds > 0.0 && !part.name().is_empty()));
        }
    }
}

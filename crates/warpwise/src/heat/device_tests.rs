//! Every rung against the reference, on the emulator.

use super::{Cylinder, Heat, Limits, Rung, Temperature, reference};
use crate::agreement::{Random, Sample, assert_agree, bits, tolerance};
use crate::{Buffer, Device, Error, Geometry};

fn with(rung: Rung, block: u32) -> Heat {
    Heat::new().variant(rung).geometry(Geometry { block: Some(block), ..Geometry::default() })
}

fn cells<T: Sample>(n: usize, seed: u64) -> (Vec<T>, Vec<T>) {
    let mut random = Random::new(seed);
    let temperature = (0..n).map(|_| T::of(50.0 + 50.0 * random.unit())).collect();
    (temperature, (0..n).map(|_| T::of(0.5 + 0.5 * random.unit())).collect())
}

fn agrees<T: Sample + Temperature<Exact = f64>>() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    for (rows, columns) in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 2), (2, 1), (31, 33), (32, 32), (7, 65), (257, 3)] {
        let (temperature, conductivity) = cells::<T>(rows * columns, 32);
        let cylinder = Cylinder::new(rows, columns, &temperature, &conductivity).unwrap();
        for iterations in [0, 1, 6] {
            let limits = Limits { iterations, threshold: 0.0 };
            let (truth, expected) = reference::simulate(cylinder, limits);
            for &rung in Rung::ALL {
                let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                let what = format!("{rung} {rows} x {columns} after {iterations}");
                let (end, outcome) = Heat::new().variant(rung).run(device, cylinder, limits).unwrap();
                let mut room = Buffer::zeros(device, end.len()).unwrap();
                assert_eq!(Heat::new().variant(rung).run_into(device, cylinder, limits, &mut room).unwrap(), outcome);
                assert_eq!(bits(&room.to_vec().unwrap()), bits(&end), "{what}");
                assert_agree(&what, &end, &truth, 9 * iterations);
                assert_eq!(outcome.iterations, expected.iterations, "{what}");
                let same = Heat::new().variant(Rung::CpuSeq).run(&cpu, cylinder, limits).unwrap();
                assert_eq!((bits(&end), outcome), (bits(&same.0), same.1), "{what}: not the bits of cpu-seq");
                let (found, truth) = (outcome.max_difference, expected.max_difference);
                // A difference is as exact as the temperatures, which are around 50.
                let allowed = 100.0 * tolerance::<T>(9 * iterations);
                assert!(found == truth || (found - truth).abs() <= allowed, "{what}: {found}, not {truth}");
            }
        }
    }
}

#[test]
fn every_rung_agrees() {
    agrees::<f64>();
    agrees::<f32>();
}

#[test]
fn steps_add_up_and_blocks_are_free() {
    let (temperature, conductivity) = cells::<f64>(20 * 37, 33);
    let cylinder = Cylinder::new(20, 37, &temperature, &conductivity).unwrap();
    let (truth, _) = reference::simulate(cylinder, Limits { iterations: 4, threshold: 0.0 });
    let gpu = Device::emulator();
    let blocks = [(Rung::SeparateMirror, 7), (Rung::SharedMaxdiff, 100), (Rung::Fused, 1024)];
    let later = [(Rung::Passes, 32), (Rung::Passes, 96), (Rung::Resident, 64), (Rung::Resident, 512)];
    for (rung, block) in blocks.into_iter().chain(later) {
        let mut simulation = with(rung, block).start(&gpu, cylinder).unwrap();
        simulation.step().unwrap();
        simulation.run(Limits { iterations: 3, threshold: 0.0 }).unwrap();
        assert_agree(rung.name(), &simulation.temperatures().unwrap(), &truth, 36);
    }
    let refused = |block| with(Rung::Fused, block).start(&gpu, cylinder);
    assert!(matches!(refused(0), Err(Error::Block { .. })));
    assert!(matches!(refused(2048), Err(Error::Launch(_))));
    for block in [0, 33, 160] {
        let refused = with(Rung::Passes, block).start(&gpu, cylinder);
        assert!(matches!(refused, Err(Error::Block { .. })), "{block}");
    }
    for block in [0, 33, 544] {
        let refused = with(Rung::Resident, block).start(&gpu, cylinder);
        assert!(matches!(refused, Err(Error::Block { .. })), "{block}");
    }
    let geometry = Geometry { items: Some(3), ..Geometry::default() };
    let refused = Heat::new().variant(Rung::Resident).geometry(geometry).start(&gpu, cylinder);
    assert!(matches!(refused, Err(Error::Choice { .. })));
}

/// Strips or tiles side by side, bands or tiles below each other, and ends at every step of a pass or between
/// exchanges, and of a series of passes or launches.
#[test]
fn many_steps_at_a_time_end_at_any_step_with_the_bits_of_single_steps() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let (temperature, conductivity) = cells::<f64>(40 * 110, 34);
    let cylinder = Cylinder::new(40, 110, &temperature, &conductivity).unwrap();
    let mut single = Heat::new().variant(Rung::CpuSeq).start(&cpu, cylinder).unwrap();
    // Blocks with few rows, so that there are many.
    let tiles = Geometry { block: Some(64), items: Some(8), ..Geometry::default() };
    let [passes, resident] = [Rung::Passes, Rung::Resident].map(|rung| Heat::new().variant(rung));
    let rungs = [passes, resident.clone(), resident.geometry(tiles)];
    for steps in 1..=14 {
        let difference = single.step().unwrap();
        let end = bits(&single.temperatures().unwrap());
        // The first time that a difference is below a little more than itself, and at most that many steps.
        for limits in [
            Limits { iterations: 1000, threshold: difference * (1.0 + 1e-12) },
            Limits { iterations: steps, threshold: 0.0 },
        ] {
            for how in &rungs {
                let (found, outcome) = how.run(&gpu, cylinder, limits).unwrap();
                assert_eq!((outcome.iterations, outcome.max_difference), (steps, difference), "{limits:?} {how:?}");
                assert_eq!(bits(&found), end, "after {steps} steps: {how:?}");
            }
        }
    }
}

#[test]
fn it_ends_at_the_threshold_and_not_at_nan() {
    let mut temperature: Vec<f64> = (0..60).map(|cell| if cell < 10 { 100.0 } else { 0.0 }).collect();
    let conductivity = vec![0.1; 60];
    let limits = Limits { iterations: 10_000, threshold: 1e-2 };
    let cylinder = Cylinder::new(6, 10, &temperature, &conductivity).unwrap();
    let (_, expected) = reference::simulate(cylinder, limits);
    assert!(expected.iterations < 1000);
    for &rung in &Rung::ALL[2..] {
        let (_, outcome) = Heat::new().variant(rung).run(&Device::emulator(), cylinder, limits).unwrap();
        assert_eq!(outcome.iterations, expected.iterations, "{rung}");
    }
    temperature[35] = f64::NAN;
    let cylinder = Cylinder::new(6, 10, &temperature, &conductivity).unwrap();
    for &rung in &Rung::ALL[2..] {
        let limits = Limits { iterations: 7, threshold: 1e9 };
        let (_, outcome) = Heat::new().variant(rung).run(&Device::emulator(), cylinder, limits).unwrap();
        assert_eq!(outcome.iterations, 7, "{rung}");
    }
}

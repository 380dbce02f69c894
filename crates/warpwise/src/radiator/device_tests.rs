//! Every rung against the reference, on the emulator.

use super::{Preset, Radiate, Radiator, Rung, Temperature, reference};
use crate::agreement::{Sample, assert_agree};
use crate::{Buffer, Device, Error, Geometry};

fn agrees<T: Sample + Temperature<Exact = f64>>() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let sizes = [(0, 3), (3, 0), (1, 1), (2, 3), (3, 5), (2, 31), (33, 32), (5, 33), (1, 257), (2, 1025)];
    for (number, (rows, columns)) in sizes.into_iter().enumerate() {
        let radiator = Radiator::new(Preset::ALL[number % 3], rows, columns).unwrap();
        for iterations in [0, 1, 8] {
            let truth = reference::simulate(&radiator, iterations);
            let averages = reference::averages(&radiator, &truth);
            for &rung in Rung::ALL {
                let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                let what = format!("{rung} {rows} x {columns} after {iterations}");
                let how = Radiate::new().variant(rung);
                let mut room = Buffer::<T>::zeros(device, rows * columns).unwrap();
                how.run_into(device, radiator, iterations, &mut room).unwrap();
                assert_agree(&what, &room.to_vec().unwrap(), &truth, 5 * iterations);
                let mut simulation = how.start::<T>(device, radiator).unwrap();
                simulation.run(iterations / 2).unwrap();
                simulation.run(iterations - iterations / 2).unwrap();
                assert_agree(&what, &simulation.values().unwrap(), &truth, 5 * iterations);
                if columns > 0 {
                    assert_agree(&what, &simulation.averages().unwrap(), &averages, columns + 5 * iterations);
                }
            }
        }
    }
}

#[test]
fn every_rung_agrees() {
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn blocks_and_items_are_free() {
    let gpu = Device::emulator();
    let radiator = Radiator::new(Preset::Year2025, 3, 300).unwrap();
    let truth = reference::simulate(&radiator, 5);
    for (rung, block, items) in [
        (Rung::Naive, 33, None),
        (Rung::Registers, 7, Some(1)),
        (Rung::Registers, 1024, Some(9)),
        (Rung::Resident, 256, Some(4)),
        (Rung::Resident, 256, Some(8)),
        (Rung::Resident, 256, Some(16)),
        (Rung::Resident, 256, Some(32)),
    ]
    .into_iter()
    .chain([4, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32].map(|items| (Rung::Shuffled, 256, Some(items))))
    {
        let geometry = Geometry { block: Some(block), grid: None, items };
        let mut simulation = Radiate::new().variant(rung).geometry(geometry).start::<f32>(&gpu, radiator).unwrap();
        simulation.run(5).unwrap();
        assert_agree(rung.name(), &simulation.values().unwrap(), &truth, 25);
    }
}

#[test]
fn wrong_choices_are_refused() {
    let gpu = Device::emulator();
    let refused = |rung, columns, items| {
        let geometry = Geometry { items, ..Geometry::default() };
        let radiator = Radiator::new(Preset::Year2019, 1, columns).unwrap();
        Radiate::new().variant(rung).geometry(geometry).start::<f64>(&gpu, radiator).unwrap_err()
    };
    assert!(matches!(refused(Rung::Resident, 16_385, None), Error::OneBlock { limit: 16_384, .. }));
    assert!(matches!(refused(Rung::Resident, 100, Some(32)), Error::Choice { .. }));
    assert!(matches!(refused(Rung::Resident, 16_384, Some(8)), Error::Choice { .. }));
    assert!(matches!(refused(Rung::Registers, 100, Some(0)), Error::Choice { .. }));
    assert!(matches!(refused(Rung::Shuffled, 100, Some(32)), Error::Choice { .. }));
    assert!(matches!(refused(Rung::Shuffled, 7, Some(8)), Error::Choice { .. }));
}

/// A row in one block for many exchanges, and rows cut into windows for several launches.
#[test]
fn warps_and_windows_meet() {
    let gpu = Device::emulator();
    for (number, (columns, items, steps)) in [
        (1, 4, 9),
        (3, 4, 9),
        (119, 4, 9),
        (121, 8, 13),
        (121, 6, 13),
        (203, 7, 13),
        (271, 9, 13),
        (500, 9, 13),
        (290, 10, 21),
        (1919, 4, 7),
        (3840, 4, 7),
        (1921, 4, 20),
        (8001, 4, 40),
        (1500, 32, 70),
    ]
    .into_iter()
    .enumerate()
    {
        let radiator = Radiator::new(Preset::ALL[number % 3], 2, columns).unwrap();
        let truth = reference::simulate(&radiator, steps);
        let geometry = Geometry { items: Some(items), ..Geometry::default() };
        let mut simulation =
            Radiate::new().variant(Rung::Shuffled).geometry(geometry).start::<f32>(&gpu, radiator).unwrap();
        simulation.run(steps).unwrap();
        assert_agree(&format!("{columns} columns, {steps} steps"), &simulation.values().unwrap(), &truth, 5 * steps);
    }
}

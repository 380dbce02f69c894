//! Every rung against the reference, on the emulator.

use super::{Rung, Summand, VecAdd, reference};
use crate::agreement::{Random, Sample, assert_agree};
use crate::{Buffer, Device, Error, Geometry};

fn agrees<T: Summand + Sample>() {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(21);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1024, 1025] {
        let (a, b) = (random.elements::<T>(n), random.elements::<T>(n));
        let mut truth = vec![T::Exact::default(); n];
        reference::add(&a, &b, &mut truth).unwrap();
        for &rung in Rung::ALL {
            let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
            let how = VecAdd::new().variant(rung);
            let out = how.run(device, &a, &b);
            if rung == Rung::OneBlock && n > 1024 {
                assert!(matches!(out, Err(Error::Launch(_))), "{out:?}");
                continue;
            }
            assert_agree(&format!("{rung} {n}"), &out.unwrap(), &truth, 1);
            // Into part of a buffer that begins anywhere.
            let mut room = Buffer::from_slice(device, &vec![T::ONE; n + 2]).unwrap();
            how.run_into(device, &a, &b, &mut room.view_mut(1..=n).unwrap()).unwrap();
            let room = room.to_vec().unwrap();
            assert_agree(&format!("{rung} {n}"), &room[1..=n], &truth, 1);
            assert!([room[0], room[n + 1]] == [T::ONE; 2], "{rung} {n}: nothing beside it is written");
        }
        // Few threads, so that each has several vectors.
        let geometry = Geometry { block: Some(33), grid: Some(2), ..Geometry::default() };
        let out = VecAdd::new().geometry(geometry).run(&gpu, &a, &b).unwrap();
        assert_agree("two blocks", &out, &truth, 1);
    }
}

#[test]
fn every_rung_agrees() {
    agrees::<i32>();
    agrees::<f32>();
    agrees::<f64>();
}

#[test]
fn wrong_calls_are_refused() {
    let gpu = Device::emulator();
    let (grid, sequential) = (VecAdd::new().variant(Rung::Grid), VecAdd::new().variant(Rung::CpuSeq));
    assert!(matches!(grid.run(&gpu, &[1, 2], &[1]), Err(Error::Length { .. })));
    assert!(matches!(sequential.run(&gpu, &[1], &[1]), Err(Error::UnknownVariant { .. })));
    assert!(matches!(grid.run(&Device::cpu(), &[1], &[1]), Err(Error::UnknownVariant { .. })));
    assert!(matches!(grid.run_into(&gpu, &[1], &[1], &mut [0; 2]), Err(Error::Length { .. })));
    let elsewhere = Buffer::from_slice(&Device::emulator(), &[1]).unwrap();
    assert!(matches!(grid.run(&gpu, &[1], &elsewhere), Err(Error::OtherDevice { .. })));
}

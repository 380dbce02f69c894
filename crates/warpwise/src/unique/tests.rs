//! Runs and different elements against plain loops.

use super::{run_lengths, unique};
use crate::agreement::Random;
use crate::sort::{Key, reference};
use crate::{Buffer, Device};

fn runs<K: Key>(xs: &[K]) -> (Vec<K>, Vec<u64>) {
    let (mut elements, mut lengths) = (Vec::<K>::new(), Vec::<u64>::new());
    for &x in xs {
        match elements.last() {
            Some(&last) if last == x || (last.is_nan() && x.is_nan()) => *lengths.last_mut().unwrap() += 1,
            _ => {
                elements.push(x);
                lengths.push(1);
            }
        }
    }
    (elements, lengths)
}

fn bytes<K: Key>(xs: &[K]) -> &[u8] {
    bytemuck::cast_slice(xs)
}

fn agrees<K: Key>(devices: &[Device], choices: &[K]) {
    let mut random = Random::new(97);
    for n in [0, 1, 2, 33, 2048, 2049, 9000] {
        for often in [1, 20] {
            let mut xs: Vec<K> = Vec::new();
            while xs.len() < n {
                let x = choices[random.below(choices.len())];
                xs.extend((0..1 + random.below(often)).map(|_| x));
            }
            xs.truncate(n);
            let expected = runs(&xs);
            let mut sorted = xs.clone();
            sorted.sort_by(reference::compare);
            let different = runs(&sorted).0;
            for device in devices {
                let found = run_lengths(device, &xs).unwrap();
                assert!(bytes(&found.0) == bytes(&expected.0) && found.1 == expected.1, "{} of {n}", K::NAME);
                let found = unique(device, &Buffer::from_slice(device, &xs).unwrap()).unwrap();
                assert!(bytes(&found) == bytes(&different), "{} of {n}: unique", K::NAME);
            }
        }
    }
}

#[test]
fn every_type_has_its_runs() {
    let devices = [Device::cpu(), Device::emulator()];
    agrees::<u8>(&devices, &[0, 1, 200, 255]);
    agrees::<u16>(&devices, &[0, 1, 0x8000]);
    agrees::<i32>(&devices, &[-5, 0, 7]);
    agrees::<u64>(&devices, &[0, 1, u64::MAX]);
    agrees::<f32>(&devices, &[-1.5, 0.0, -0.0, 2.5, f32::INFINITY, f32::NAN, -f32::NAN]);
    agrees::<f64>(&devices, &[-1.5, 0.0, -0.0, 2.5, f64::NEG_INFINITY, f64::NAN]);
}

#[test]
fn long_vectors_are_cut_into_tasks() {
    let xs: Vec<i32> = (0..300_000).map(|i| i / 7).collect();
    let (elements, lengths) = run_lengths(&Device::cpu(), &xs).unwrap();
    assert!(elements.iter().copied().eq(0..=299_999 / 7));
    assert_eq!(lengths.iter().sum::<u64>(), 300_000);
}

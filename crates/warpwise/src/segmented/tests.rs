use super::*;
use crate::random::Random;
use crate::trace::Watch;

/// Offsets of that many segments of random lengths, some of which are empty.
fn offsets_of(random: &mut Random, n: usize, segments: usize) -> Vec<u64> {
    let mut offsets: Vec<u64> = (0..=segments).map(|_| random.below(n + 1) as u64).collect();
    offsets.sort_unstable();
    offsets
}

fn holds<T: Scannable>(device: &Device, value: impl Fn(usize) -> T) {
    for (n, segments) in [(0, 3), (1, 1), (100, 7), (5000, 0), (5000, 300), (60_000, 5), (60_000, 1)] {
        let mut random = Random::new(n as u64);
        let xs: Vec<T> = (0..n).map(|_| value(random.below(1000))).collect();
        let offsets = offsets_of(&mut random, n, segments);
        for operator in [Operator::Sum, Operator::Min, Operator::Max] {
            let right: Vec<T> = offsets
                .windows(2)
                .map(|pair| {
                    let of = &xs[pair[0] as usize..pair[1] as usize];
                    of.iter().fold(operator.identity(), |all, &x| operator.apply(all, x))
                })
                .collect();
            assert_eq!(reduce(device, operator, &xs, &offsets).unwrap(), right, "{operator:?} {} {n}", T::NAME);
        }
    }
}

#[test]
fn every_type_is_combined() {
    for device in [Device::cpu(), Device::emulator()] {
        holds(&device, |x| x as i32 - 500);
        holds(&device, |x| x as f32 - 500.0);
        holds(&device, |x| x as f64 - 500.0);
        holds(&device, |x| (x as u64) << 40);
    }
}

#[test]
fn every_segment_is_sorted() {
    for device in [Device::cpu(), Device::emulator()] {
        for (n, segments) in [(0, 0), (100, 7), (3000, 40), (40_000, 1)] {
            let mut random = Random::new(n as u64 + 1);
            let xs: Vec<f32> = (0..n).map(|_| random.below(100) as f32 - 50.0).collect();
            let offsets = offsets_of(&mut random, n, segments);
            let mut right = xs.clone();
            for pair in offsets.windows(2) {
                right[pair[0] as usize..pair[1] as usize].sort_by(f32::total_cmp);
            }
            assert_eq!(sort(&device, &xs, &offsets).unwrap(), right, "{n} in {segments}");
        }
        assert_eq!(sort(&device, &[2, 1], &[0_u64; 0]).unwrap(), [2, 1]);
    }
}

#[test]
fn offsets_that_make_no_sense_are_refused() {
    for device in [Device::cpu(), Device::emulator()] {
        for offsets in [[0, 2, 1], [0, 2, 4], [5, 5, 5], [0, u64::MAX, u64::MAX]] {
            let error = reduce(&device, Operator::Sum, &[1, 2, 3], &offsets).unwrap_err();
            assert!(matches!(error, Error::Offsets { n: 3, .. }), "{error}");
            assert!(matches!(sort(&device, &[1, 2, 3], &offsets), Err(Error::Offsets { .. })));
        }
    }
    // Those of a buffer on a GPU reach nothing that is not there.
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let offsets = Buffer::from_slice(&device, &[0, 2, 1, u64::MAX]).unwrap();
    device.start_trace();
    assert_eq!(reduce(&device, Operator::Sum, &[1, 2, 3], &offsets).unwrap(), [3, 0, 5]);
    assert!(device.take_trace().unwrap().launches.iter().all(|launch| launch.findings.is_empty()));
}

#[test]
fn nothing_is_found_under_all_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    device.start_trace();
    let sums = reduce(&device, Operator::Sum, &vec![1_u32; 40_000], &[1, 5, 5, 20_000, 39_999]).unwrap();
    assert_eq!(sums, [4, 0, 19_995, 19_999]);
    let launches = device.take_trace().unwrap().launches;
    assert!(launches.len() == 2 && launches.iter().all(|launch| launch.findings.is_empty()));
}

use super::*;
use crate::random::Random;
use crate::trace::Watch;
use crate::unique::cpu::same;

/// Keys in runs of about that length.
fn keys_of<K: Key>(random: &mut Random, n: usize, length: usize, key: impl Fn(u32) -> K) -> Vec<K> {
    let mut current = 0;
    let mut next = || {
        if random.below(length) == 0 {
            current = random.below(200) as u32;
        }
        key(current)
    };
    (0..n).map(|_| next()).collect()
}

fn plain_reduce<K: Key, T: Scannable>(operator: Operator, keys: &[K], values: &[T]) -> (Vec<K>, Vec<T>) {
    let (mut found, mut all) = (Vec::<K>::new(), Vec::<T>::new());
    for (i, (&key, &value)) in keys.iter().zip(values).enumerate() {
        if i > 0 && same(keys[i - 1], key) {
            let last = all.last_mut().unwrap();
            *last = operator.apply(*last, value);
        } else {
            found.push(key);
            all.push(value);
        }
    }
    (found, all)
}

fn plain_scan<K: Key, T: Scannable>(operator: Operator, kind: Kind, keys: &[K], values: &[T]) -> Vec<T> {
    let mut all = operator.identity::<T>();
    let step = |i: usize| {
        let begins = i == 0 || !same(keys[i - 1], keys[i]);
        let before = if begins { operator.identity() } else { all };
        all = if begins { values[i] } else { operator.apply(all, values[i]) };
        if kind == Kind::Exclusive { before } else { all }
    };
    (0..keys.len()).map(step).collect()
}

/// Whole numbers, whose sums are exact whatever the order.
fn holds<K: Key, T: Scannable>(device: &Device, keys: &[K], values: &[T]) {
    for operator in [Operator::Sum, Operator::Min, Operator::Max] {
        let how = ByKey::new().operator(operator);
        let (found, all) = how.reduce(device, keys, values).unwrap();
        let (wanted, right) = plain_reduce(operator, keys, values);
        assert_eq!(all, right, "{operator:?} {} {} of {}", K::NAME, T::NAME, keys.len());
        assert!(found.len() == wanted.len() && found.iter().zip(&wanted).all(|(&a, &b)| same(a, b)));
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let scanned = how.kind(kind).scan(device, keys, values).unwrap();
            assert_eq!(scanned, plain_scan(operator, kind, keys, values), "{operator:?} {kind:?} {}", keys.len());
        }
    }
}

const SIZES: [usize; 10] = [0, 1, 2, 31, 255, 2047, 4096, 4097, 8193, 70_001];

fn all_of<T: Scannable>(device: &Device, value: impl Fn(u32) -> T) {
    for (turn, n) in SIZES.into_iter().enumerate() {
        let mut random = Random::new(n as u64 + 7);
        let values: Vec<T> = (0..n).map(|_| value(random.below(1000) as u32)).collect();
        // From runs of one element to one run.
        let length = [1, 3, 37, 5000, usize::MAX][turn % 5];
        holds(device, &keys_of(&mut random, n, length, |key| key as i32 - 100), &values);
        holds(device, &keys_of(&mut random, n, 37, |key| key as f64 / 4.0), &values);
    }
}

#[test]
fn every_type_on_the_cpu() {
    let device = Device::cpu();
    all_of(&device, |x| x as i32 - 500);
    all_of(&device, |x| x as f32 - 500.0);
    all_of(&device, |x| u64::from(x) << 40);
}

#[test]
fn every_type_on_the_emulator() {
    let device = Device::emulator();
    all_of(&device, |x| x as i32 - 500);
    all_of(&device, |x| x as f32 - 500.0);
    all_of(&device, |x| u64::from(x) << 40);
    all_of(&device, |x| f64::from(x) - 500.0);
}

#[test]
fn keys_of_every_width() {
    for device in [Device::cpu(), Device::emulator()] {
        let mut random = Random::new(3);
        let values: Vec<u32> = (0..9000).collect();
        holds(&device, &keys_of(&mut random, 9000, 20, |key| key as u8), &values);
        holds(&device, &keys_of(&mut random, 9000, 20, |key| key as u16), &values);
        holds(&device, &keys_of(&mut random, 9000, 20, |key| u64::from(key) << 35), &values);
    }
}

#[test]
fn zeros_are_equal_and_so_are_nans() {
    for device in [Device::cpu(), Device::emulator()] {
        let keys = [0.0_f32, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::INFINITY];
        let (found, sums) = sum(&device, &keys, &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!((found.len(), sums), (3, vec![3, 7, 11]));
        let (_, largest) =
            ByKey::new().operator(Operator::Max).reduce(&device, &[1, 1, 2], &[0.5, f64::NAN, 1.5]).unwrap();
        assert!(largest[0].is_nan() && largest[1] == 1.5);
    }
}

#[test]
fn a_view_that_begins_anywhere() {
    let device = Device::emulator();
    let keys: Vec<i32> = (0..9001).map(|i| i / 37).collect();
    let values: Vec<f32> = (0..9001).map(|i| (i % 11) as f32).collect();
    let (on_device, along) =
        (Buffer::from_slice(&device, &keys).unwrap(), Buffer::from_slice(&device, &values).unwrap());
    let found = sum(&device, &on_device.view(1..).unwrap(), &along.view(3..9000).unwrap());
    assert!(matches!(found, Err(Error::Length { .. })));
    let found = sum(&device, &on_device.view(1..).unwrap(), &along.view(1..).unwrap()).unwrap();
    assert_eq!(found, plain_reduce(Operator::Sum, &keys[1..], &values[1..]));
}

#[test]
fn nothing_is_found_under_all_checks() {
    let device = Device::emulator_watching("h200", Watch::ALL).unwrap();
    let mut random = Random::new(11);
    let keys = keys_of(&mut random, 9000, 37, |key| key);
    let values = vec![1_i32; 9000];
    device.start_trace();
    sum(&device, &keys, &values).unwrap();
    ByKey::new().scan(&device, &keys, &values).unwrap();
    let trace = device.take_trace().unwrap();
    assert!(trace.launches.len() >= 5);
    for launch in &trace.launches {
        assert!(launch.findings.is_empty(), "{}: {:?}", launch.kernel, launch.findings);
    }
}

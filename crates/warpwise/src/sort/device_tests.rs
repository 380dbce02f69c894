//! Every rung against the reference, on the emulator.

use super::conformance::made;
use super::gpu::Job;
use super::workload::bits;
use super::{Key, Rung, Sort, Value, reference};
use crate::agreement::Random;
use crate::{Buffer, Device, Error, RunsOn};

fn rungs() -> impl Iterator<Item = Rung> {
    let on_gpu = |rung: &Rung| super::PRIMITIVE.variant(rung.name()).unwrap().runs_on == RunsOn::Gpu;
    Rung::ALL.iter().copied().filter(on_gpu)
}

fn agrees<K: Key, V: Value>(gpu: &Device, kind: &str) {
    let mut random = Random::new(95);
    for n in [0, 1, 33, 1025, 9000] {
        let keys = made::<K>(&mut random, kind, n);
        let values: Vec<V> = random.elements(n);
        for rung in rungs() {
            for descending in [false, true] {
                let what = format!("{rung} {kind} {} of {n}, descending {descending}", K::NAME);
                let sort = Sort::new().variant(rung).descending(descending);
                let places = reference::places(&keys, descending);
                let expected: Vec<K> = places.iter().map(|&place| keys[place]).collect();
                assert!(bits(&sort.run(gpu, &keys).unwrap()) == bits(&expected), "{what}");
                let (found, moved) = sort.run_pairs(gpu, &keys, &values).unwrap();
                assert!(bits(&found) == bits(&expected), "{what}: keys of pairs");
                let expected: Vec<V> = places.iter().map(|&place| values[place]).collect();
                assert!(bits(&moved) == bits(&expected), "{what}: values");
                let numbers = sort.argsort(gpu, &keys).unwrap();
                assert!(numbers.iter().map(|&place| place as usize).eq(places), "{what}: numbers");
            }
        }
    }
}

#[test]
fn every_rung_agrees() {
    let gpu = Device::emulator();
    agrees::<u32, u32>(&gpu, "random");
    agrees::<f64, f64>(&gpu, "special");
    agrees::<i32, u64>(&gpu, "few");
    agrees::<u8, f32>(&gpu, "random");
    agrees::<u16, i64>(&gpu, "sorted");
    agrees::<i64, i32>(&gpu, "equal");
    agrees::<f32, i32>(&gpu, "special");
    agrees::<u64, i64>(&gpu, "reversed");
}

/// More keys than a launch takes: launches go on where others ended.
#[test]
fn keys_are_swept_in_portions() {
    let (gpu, n) = (Device::emulator(), 40_000);
    let mut random = Random::new(96);
    let keys: Vec<u32> = (0..n).map(|_| random.bits() as u32 >> 8).collect();
    let session = gpu.session().unwrap();
    let from = session.allocate_copy(&keys).unwrap();
    let places = reference::places(&keys, false);
    // Of one tile each, and of two, but for the last one.
    for portion in [13_000, 17_000] {
        let [to, numbers] = [(); 2].map(|()| session.allocate(4 * n as u64).unwrap());
        let new = Job::new(&gpu, session, "gpu-5-one-sweep", crate::Geometry::default());
        let job = Job { bytes: 4, n: n as u64, portion, ..new };
        let along = super::gpu::Along { from: crate::device::Argument::NULL, to: numbers.argument(), bytes: 4 };
        job.run(from.argument(), to.argument(), Some(along)).unwrap();
        let found: Vec<u32> = session.download_vec(to.ptr(), n).unwrap();
        assert!(found.iter().eq(places.iter().map(|&place| &keys[place])), "{portion}");
        let found: Vec<u32> = session.download_vec(numbers.ptr(), n).unwrap();
        assert!(found.iter().map(|&place| place as usize).eq(places.iter().copied()), "{portion}");
    }
}

#[test]
fn buffers_and_views_are_sorted_on_the_device() {
    let gpu = Device::emulator();
    let keys = Buffer::from_slice(&gpu, &[9_u32, 5, 3, 8, 1, 7]).unwrap();
    for rung in rungs() {
        let sort = Sort::new().variant(rung);
        let mut sorted = Buffer::uninit(&gpu, 3).unwrap();
        sort.run_into(&gpu, &keys.view(1..4).unwrap(), &mut sorted).unwrap();
        assert_eq!(sorted.to_vec().unwrap(), [3, 5, 8], "{rung}");
        assert_eq!(keys.to_vec().unwrap(), [9, 5, 3, 8, 1, 7], "{rung}: keys stay as they are");
        let places = sort.argsort_buffer(&gpu, &keys.view(3..).unwrap()).unwrap();
        assert_eq!(places.to_vec().unwrap(), [1, 2, 0], "{rung}");
    }
}

/// A GPU with little shared memory has no room for large tiles.
#[test]
fn small_gpus_sort_too() {
    let mut random = Random::new(98);
    let keys = made::<i32>(&mut random, "random", 200_000);
    let mut expected = keys.clone();
    expected.sort_unstable();
    for name in ["h200", "rtx-2080-ti"] {
        let gpu = Device::emulator_of(name).unwrap();
        assert!(super::sort(&gpu, &keys).unwrap() == expected, "{name}");
    }
}

#[test]
fn wrong_calls_are_refused() {
    for device in [Device::cpu(), Device::emulator()] {
        let mut short = [0; 2];
        assert!(matches!(super::sort_into(&device, &[3, 1, 2], &mut short), Err(Error::Length { .. })));
        assert!(matches!(super::pairs(&device, &[3, 1, 2], &[1.0]), Err(Error::Length { .. })));
    }
    let gpu = Device::emulator();
    let cpu = Sort::new().variant(Rung::CpuPar).run(&gpu, &[2, 1]);
    assert!(matches!(cpu, Err(Error::UnknownVariant { .. })));
    let many = vec![0_u8; 132 * 4096 + 1];
    let together = Sort::new().variant(Rung::Together).run(&gpu, &many).unwrap_err();
    assert!(together.to_string().contains("use gpu-5-one-sweep"), "{together}");
}

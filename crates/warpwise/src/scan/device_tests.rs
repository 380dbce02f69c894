//! Every rung against the reference, on the emulator.

use super::run::overlapped;
use super::{Kind, Rung, Scan, Scannable, gpu, inclusive_buffer, reference};
use crate::agreement::{Random, Sample, assert_agree};
use crate::device::Session;
use crate::{Buffer, Device, Error, Geometry, Operator};

fn with_block(rung: Rung, block: u32) -> Scan {
    Scan::new().variant(rung).geometry(Geometry { block: Some(block), ..Geometry::default() })
}

/// Factors near 1, so that products neither vanish nor overflow.
fn sample<T: Sample>(operator: Operator, n: usize, random: &mut Random) -> Vec<T> {
    let near_one = |x: T| if T::IS_FLOAT { T::of(1.0 + 0.001 * x.to_f64()) } else { x };
    let xs = random.elements::<T>(n);
    if operator == Operator::Product { xs.into_iter().map(near_one).collect() } else { xs }
}

/// The most elements that the one-block rungs take.
fn limit(rung: Rung) -> usize {
    match rung {
        Rung::HillisSteele | Rung::DoubleBuffer => 1024,
        Rung::Blelloch | Rung::BlellochPadded => 2048,
        _ => usize::MAX,
    }
}

fn agrees<T: Scannable + Sample>(gpu: &Device, operators: &[Operator]) {
    let cpu = Device::cpu();
    let mut random = Random::new(22);
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 1025, 5000] {
        for &operator in operators {
            let xs = sample::<T>(operator, n, &mut random);
            for kind in Kind::ALL {
                let mut truth = vec![T::Exact::default(); n];
                reference::scan(operator, kind, &xs, &mut truth).unwrap();
                let scan = Scan::new().operator(operator).kind(kind);
                for &rung in Rung::ALL.iter().filter(|&&rung| n <= limit(rung)) {
                    let device = if rung.name().starts_with("cpu") { &cpu } else { gpu };
                    let what = format!("{rung} {} {} {n}", operator.name(), kind.name());
                    let scan = scan.clone().variant(rung);
                    assert_agree(&what, &scan.run(device, &xs).unwrap(), &truth, n);
                    // Into part of a buffer that begins anywhere.
                    let mut room = Buffer::from_slice(device, &vec![T::ONE; n + 2]).unwrap();
                    scan.run_into(device, &xs, &mut room.view_mut(1..=n).unwrap()).unwrap();
                    let room = room.to_vec().unwrap();
                    assert_agree(&what, &room[1..=n], &truth, n);
                    assert!([room[0], room[n + 1]] == [T::ONE; 2], "{what}: nothing beside it is written");
                }
                let out = scan.run(gpu, &xs).unwrap();
                assert_agree(&format!("auto {n}"), &out, &truth, n);
            }
        }
    }
}

#[test]
fn every_rung_agrees_on_integers() {
    // Reading the kernels takes a while, so one device is shared.
    let gpu = Device::emulator();
    agrees::<i32>(&gpu, &[Operator::Sum]);
    agrees::<u32>(&gpu, &[Operator::Min]);
    agrees::<i64>(&gpu, &[Operator::Max]);
    agrees::<u64>(&gpu, &[Operator::Product]);
}

#[test]
fn every_rung_agrees_on_floats() {
    let gpu = Device::emulator();
    agrees::<f32>(&gpu, &[Operator::Sum, Operator::Max]);
    agrees::<f64>(&gpu, &[Operator::Product]);
}

#[test]
fn totals_of_totals_are_scanned_too() {
    let xs: Vec<i32> = Random::new(23).elements(5000);
    let mut truth = vec![0; xs.len()];
    reference::scan(Operator::Sum, Kind::Exclusive, &xs, &mut truth).unwrap();
    for (rung, block) in [(Rung::ThreePhase, 4), (Rung::WarpShuffle, 32), (Rung::LookBack, 32), (Rung::Gather, 32)] {
        let scan = with_block(rung, block).kind(Kind::Exclusive);
        assert_eq!(scan.run(&Device::emulator(), &xs).unwrap(), truth);
    }
}

/// Persistent blocks take several tiles, in turn and in consecutive launches; with an unaligned input, so that rows of
/// the output have no 16-byte boundary.
#[test]
fn tiles_are_gathered_from_any_address() {
    fn agrees<T: Scannable + Sample>(session: &Session, operator: Operator) {
        for (n, block, grid) in [(1, 32, 2), (5000, 32, 3), (20_001, 64, 1), (70_000, 64, 7), (40_000, 256, 2)] {
            let geometry = Geometry { block: Some(block), grid: Some(grid), items: None };
            let xs = sample::<T>(operator, n + 1, &mut Random::new(29));
            let on_device = session.allocate_copy(&xs).unwrap();
            for skipped in [0, 1] {
                let input = on_device.argument().plus((skipped * size_of::<T>()) as u64);
                for kind in Kind::ALL {
                    let mut truth = vec![T::Exact::default(); n];
                    reference::scan(operator, kind, &xs[skipped..n + skipped], &mut truth).unwrap();
                    let (out, what) = (session.allocate_copy(&xs).unwrap(), (operator, kind));
                    let data = [input, out.argument()];
                    gpu::scan_into::<T>(session, "gpu-8-gather", what, data, n, geometry).unwrap();
                    let out: Vec<T> = session.download_vec(out.ptr(), n).unwrap();
                    assert_agree(&format!("{} {} {n} {block} {skipped}", T::NAME, kind.name()), &out, &truth, n);
                }
            }
        }
    }
    let gpu = Device::emulator();
    let session = gpu.session().unwrap();
    agrees::<i32>(session, Operator::Sum);
    agrees::<f64>(session, Operator::Sum);
    agrees::<f32>(session, Operator::Max);
}

/// What one block takes at once; from any address to any other.
#[test]
fn a_block_alone_begins_anywhere() {
    fn agrees<T: Scannable + Sample>(session: &Session, operator: Operator) {
        let size = size_of::<T>();
        for n in [1, 5, 512, 1025, 64 * 1024 / size - 3] {
            let xs = sample::<T>(operator, n + 1, &mut Random::new(30));
            let on_device = session.allocate_copy(&xs).unwrap();
            for (skipped, kind) in [(0, Kind::Inclusive), (1, Kind::Exclusive), (1, Kind::Inclusive)] {
                let unwritten = sample::<T>(operator, n + 2, &mut Random::new(31));
                let out = session.allocate_copy(&unwritten).unwrap();
                let data = [(&on_device, skipped), (&out, 1 - skipped)]
                    .map(|(memory, first)| memory.argument().plus((first * size) as u64));
                let geometry = Geometry::default();
                gpu::scan_into::<T>(session, "gpu-8-gather", (operator, kind), data, n, geometry).unwrap();
                let mut truth = vec![T::Exact::default(); n];
                reference::scan(operator, kind, &xs[skipped..n + skipped], &mut truth).unwrap();
                let out: Vec<T> = session.download_vec(out.ptr(), n + 2).unwrap();
                let (first, end) = (1 - skipped, n + 1 - skipped);
                assert_agree(&format!("{} {} {n} {skipped}", T::NAME, kind.name()), &out[first..end], &truth, n);
                let beside = [0, n + 1].map(|i| if (first..end).contains(&i) { true } else { out[i] == unwritten[i] });
                assert_eq!(beside, [true; 2], "nothing beside the result is written");
            }
        }
    }
    let gpu = Device::emulator();
    let session = gpu.session().unwrap();
    agrees::<i32>(session, Operator::Sum);
    agrees::<f64>(session, Operator::Max);
    agrees::<f32>(session, Operator::Sum);
}

#[test]
fn one_block_takes_so_many() {
    let gpu = Device::emulator();
    let scan = |n: usize, how: Scan| how.run(&gpu, &vec![1_i32; n]);
    for &rung in &Rung::ALL[2..6] {
        let most = limit(rung);
        assert_eq!(scan(most, Scan::new().variant(rung)).unwrap()[most - 1], most as i32);
        let error = scan(most + 1, Scan::new().variant(rung)).unwrap_err();
        let expected = format!("takes at most {most} elements here, not {}: use gpu-5-three-phase or one", most + 1);
        assert!(error.to_string().contains(&expected) && error.to_string().starts_with(rung.name()), "{error}");
        assert!(matches!(scan(129, with_block(rung, 64)), Err(Error::OneBlock { .. })));
    }
    assert!(matches!(scan(9, with_block(Rung::Blelloch, 48)), Err(Error::Block { .. })));
    assert!(matches!(scan(9, with_block(Rung::ThreePhase, 48)), Err(Error::Block { .. })));
    assert!(matches!(scan(9, with_block(Rung::LookBack, 48)), Err(Error::Block { .. })));
    assert!(matches!(scan(9, with_block(Rung::Gather, 512)), Err(Error::Block { .. })));
    assert!(matches!(scan(9, with_block(Rung::WarpShuffle, 2048)), Err(Error::Launch(_))));
}

#[test]
fn buffers_chain() {
    let gpu = Device::emulator();
    let xs = Buffer::from_slice(&gpu, &[1_u64; 300]).unwrap();
    let twice = inclusive_buffer(&gpu, &inclusive_buffer(&gpu, &xs).unwrap()).unwrap();
    assert_eq!(twice.to_vec().unwrap()[299], 300 * 301 / 2);
    let mut sums = vec![0; 300];
    super::inclusive_into(&gpu, &twice, &mut sums).unwrap();
    assert_eq!(sums[..4], [1, 4, 10, 20]);
    // A buffer of another device is refused, on either side.
    let cpu = Device::cpu();
    assert!(matches!(inclusive_buffer(&cpu, &twice), Err(Error::OtherDevice { .. })));
    let (mut there, mut here) = (Buffer::zeros(&gpu, 300).unwrap(), Buffer::zeros(&cpu, 300).unwrap());
    assert!(matches!(super::inclusive_into(&cpu, &sums, &mut there), Err(Error::OtherDevice { .. })));
    assert!(matches!(super::inclusive_into(&gpu, &sums, &mut here), Err(Error::OtherDevice { .. })));
}

#[test]
fn parts_go_on_where_the_one_before_ended() {
    fn agree<T: Scannable + Sample>(session: &Session, operator: Operator, random: &mut Random) {
        for n in [1, 64, 65, 1000] {
            let xs = sample::<T>(operator, n, random);
            for kind in Kind::ALL {
                let mut truth = vec![T::Exact::default(); n];
                reference::scan(operator, kind, &xs, &mut truth).unwrap();
                let mut out = sample::<T>(operator, n, random);
                assert!(
                    overlapped(session, (operator, kind), &xs, &mut out, Geometry::default(), |_| Some(100)).unwrap()
                );
                assert_agree(&format!("{} {} {n}", operator.name(), kind.name()), &out, &truth, n);
            }
        }
    }
    let device = Device::emulator();
    let session = device.session().unwrap();
    let mut random = Random::new(29);
    agree::<i32>(session, Operator::Sum, &mut random);
    agree::<u64>(session, Operator::Max, &mut random);
    agree::<f32>(session, Operator::Sum, &mut random);
    agree::<f64>(session, Operator::Product, &mut random);
    let sum = (Operator::Sum, Kind::Inclusive);
    assert!(!overlapped(session, sum, &[1, 2, 3], &mut [0; 3], Geometry::default(), |_| None).unwrap());
}

/// Blocks of this rung wait for each other, and not every GPU holds two of them per multiprocessor.
#[test]
fn no_more_blocks_gather_than_run_at_once() {
    let mut random = Random::new(229);
    let usual = Geometry::default();
    let small = Geometry { block: Some(64), grid: Some(100), ..usual };
    let long = ["gtx-650", "rtx-2080-ti", "a100"].map(|gpu| (gpu, usual, 1 << 22));
    for (gpu, geometry, n) in long.into_iter().chain([("gtx-650", small, 100_000)]) {
        let xs = random.elements::<i32>(n);
        let mut truth = vec![0; n];
        reference::scan(Operator::Sum, Kind::Inclusive, &xs, &mut truth).unwrap();
        let scan = Scan::new().variant(Rung::Gather).geometry(geometry);
        let found = scan.run(&Device::emulator_of(gpu).unwrap(), &xs).unwrap();
        assert!(found.iter().map(|&x| i64::from(x)).eq(truth.iter().map(|&x| i64::from(x))), "{gpu}");
    }
}

//! Every rung against the reference, on the emulator.

use super::{Convolve2d, Edge, Filter, Image, PRIMITIVE, Pixel, Rung, filter_buffer, parts, reference};
use crate::agreement::{Random, Sample, bits};
use crate::device::Rows;
use crate::{Border, Buffer, Device, Error, Geometry};

fn with(filter: &Filter, edge: Edge, rung: Rung, block: Option<u32>) -> Convolve2d<'_> {
    Convolve2d::new(filter).edge(edge).variant(rung).geometry(Geometry { block, ..Geometry::default() })
}

/// Sums may be rounded differently, so a byte may be off by one if the exact sum is near a half.
fn assert_near<T: Pixel>(what: &str, out: &[T], truth: &[f64]) {
    assert_eq!(out.len(), truth.len(), "{what}");
    for (i, (x, sum)) in out.iter().zip(truth).enumerate() {
        let (x, target) = if T::IS_FLOAT { (x.to_f64(), *sum) } else { (x.to_f64(), sum.clamp(0.0, 255.0)) };
        let allowed = if T::IS_FLOAT { 1e-4 * sum.abs().max(1.0) } else { 0.5001 };
        assert!((x - target).abs() <= allowed, "{what}: pixel {i} is {x}, not {target}");
    }
}

fn agrees<T: Pixel + Sample>(sizes: &[(usize, usize)], filters: &[(usize, usize)]) {
    let (gpu, cpu) = (Device::emulator(), Device::cpu());
    let mut random = Random::new(30);
    for &(rows, columns) in sizes {
        let pixels = random.elements::<T>(rows * columns);
        let image = Image::new(&pixels, rows, columns).unwrap();
        for &(height, width) in filters {
            let weights: Vec<f32> = (0..height * width).map(|_| random.unit() as f32 / 4.0).collect();
            let filter = Filter::new(&weights, height, width).unwrap();
            for edge in Edge::ALL {
                let (out_rows, out_columns) = edge.result(&filter, rows, columns);
                let mut truth = vec![0.0; out_rows * out_columns];
                reference::convolve(&filter, edge, image, &mut truth).unwrap();
                for &rung in Rung::ALL {
                    let device = if rung.name().starts_with("cpu") { &cpu } else { &gpu };
                    let how = with(&filter, edge, rung, None);
                    let what = format!("{rung} {rows} x {columns}, {height} x {width} {}", edge.name());
                    assert_near(&what, &how.run(device, &pixels, (rows, columns)).unwrap(), &truth);
                    // Into part of a buffer that begins anywhere.
                    let mut room = Buffer::from_slice(device, &vec![T::ONE; truth.len() + 2]).unwrap();
                    let mut inner = room.view_mut(1..=truth.len()).unwrap();
                    how.run_into(device, &pixels, (rows, columns), &mut inner).unwrap();
                    let room = room.to_vec().unwrap();
                    assert_near(&what, &room[1..=truth.len()], &truth);
                    assert!(room[0] == T::ONE && room[truth.len() + 1] == T::ONE, "{what}: nothing else is written");
                }
            }
        }
    }
}

const SIZES: [(usize, usize); 6] = [(0, 4), (1, 1), (1, 33), (31, 2), (33, 40), (9, 65)];

#[test]
fn every_rung_agrees_on_bytes() {
    agrees::<u8>(&SIZES, &[(1, 1), (5, 5), (3, 7)]);
}

#[test]
fn every_rung_agrees_on_floats() {
    agrees::<f32>(&SIZES, &[(5, 5), (1, 3)]);
    agrees::<f32>(&[(3, 5), (34, 33)], &[(31, 31)]);
}

/// Strips inside the image and at its edges, rows that begin anywhere, and every structure of filters.
#[test]
fn streams_agree() {
    fn streamed<T: Pixel + Sample>(columns: usize) {
        let gpu = Device::emulator();
        let mut random = Random::new(32);
        let rows = 37;
        let pixels = random.elements::<T>(rows * columns);
        let image = Image::new(&pixels, rows, columns).unwrap();
        for side in [3_usize, 5, 7] {
            // One of them is the unit of the others, so that bytes have factors without rounding errors.
            let line: Vec<f32> = (0..side).map(|i| if i == 1 { 0.125 } else { random.below(9) as f32 / 8.0 }).collect();
            let any: Vec<f32> = (0..side * side).map(|_| random.unit() as f32 / 4.0).collect();
            let product = line.iter().flat_map(|a| line.iter().map(move |b| a * b)).collect();
            let ring = |i: usize| i.min(side - 1 - i);
            let rings = (0..side * side).map(|i| any[ring(i / side).min(ring(i % side))]).collect();
            for (edge, weights) in Edge::ALL.into_iter().flat_map(|edge| [&any, &product, &rings].map(|w| (edge, w))) {
                let filter = Filter::new(weights, side, side).unwrap();
                let (out_rows, out_columns) = edge.result(&filter, rows, columns);
                let mut truth = vec![0.0; out_rows * out_columns];
                reference::convolve(&filter, edge, image, &mut truth).unwrap();
                let [naive, streamed, structured]: [Vec<T>; 3] = [Rung::Naive, Rung::Streamed, Rung::Structured]
                    .map(|rung| with(&filter, edge, rung, None).run(&gpu, &pixels, (rows, columns)).unwrap());
                let what = format!("{} {rows} x {columns}, side {side}, {}", T::NAME, edge.name());
                assert_eq!(bits(&streamed), bits(&naive), "{what}");
                assert_near(&what, &structured, &truth);
            }
        }
    }
    for columns in [400, 389] {
        streamed::<u8>(columns);
        streamed::<f32>(columns);
    }
}

#[test]
fn blocks_are_free() {
    let pixels: Vec<u8> = Random::new(31).elements(37 * 50);
    let image = Image::new(&pixels, 37, 50).unwrap();
    let edge = Edge::Border(Border::Reflect);
    let mut truth = vec![0.0; pixels.len()];
    reference::convolve(&Filter::default(), edge, image, &mut truth).unwrap();
    let gpu = Device::emulator();
    let filter = Filter::default();
    let run = |rung, block| with(&filter, edge, rung, Some(block)).run(&gpu, &pixels, (37, 50));
    let blocks = [(Rung::Naive, 1), (Rung::Constant, 100), (Rung::Tiled, 33), (Rung::Register, 1024)];
    for (rung, block) in blocks.into_iter().chain([(Rung::Streamed, 32), (Rung::Structured, 96)]) {
        assert_near(rung.name(), &run(rung, block).unwrap(), &truth);
    }
    assert!(matches!(run(Rung::Tiled, 2048), Err(Error::Launch(_))));
    assert!(matches!(run(Rung::Tiled, 0), Err(Error::Block { .. })));
    for block in [0, 48, 160] {
        let refused = run(Rung::Structured, block);
        assert!(matches!(refused, Err(Error::Block { .. })), "{block}");
    }
}

#[test]
fn filters_change() {
    let gpu = Device::emulator();
    for weight in [1.0, 2.0, 1.0] {
        let filter = Filter::new(&[weight], 1, 1).unwrap();
        let out = filter_buffer(&gpu, &filter, Edge::Valid, &[3.0_f32; 4], (2, 2)).unwrap();
        assert_eq!(out.to_vec().unwrap(), [3.0 * weight; 4]);
    }
    let wrong = filter_buffer(&gpu, &Filter::default(), Edge::Valid, &[3.0_f32; 4], (2, 3));
    assert!(matches!(wrong, Err(Error::Length { .. })));
}

/// In parts, as on a device that copies while it computes: the same bits as in one piece.
#[test]
fn rows_in_parts_are_the_rows_of_the_whole() {
    fn same<T: Pixel + Sample>(device: &Device, (rows, columns): (usize, usize), side: usize, part: usize) {
        let mut random = Random::new(33);
        let pixels = random.elements::<T>(rows * columns);
        let image = Image::new(&pixels, rows, columns).unwrap();
        let weights: Vec<f32> = (0..side * side).map(|_| random.unit() as f32 / 4.0).collect();
        let filter = Filter::new(&weights, side, side).unwrap();
        for (edge, &rung) in Edge::ALL.into_iter().flat_map(|edge| Rung::ALL[2..].iter().map(move |v| (edge, v))) {
            let (session, variant) = (device.session().unwrap(), PRIMITIVE.rung(rung.name()).unwrap());
            let mut out = random.elements::<T>(rows * columns);
            let (geometry, cut) = (Geometry::default(), |_: &Rows<'_>| Some(part));
            if !parts::filter(session, variant, (&filter, edge), image, &mut out, geometry, cut).unwrap() {
                assert!(matches!(edge, Edge::Valid | Edge::Border(Border::Wrap)), "{}", edge.name());
                continue;
            }
            let whole = with(&filter, edge, rung, None).run(device, &pixels, (rows, columns)).unwrap();
            assert!(out == whole, "{} {} {rows} x {columns} in {part}", variant.name, edge.name());
        }
    }
    let device = Device::emulator();
    for (size, side, part) in [((50, 33), 5, 16), ((33, 7), 7, 8), ((9, 130), 3, 4), ((4, 5), 3, 100)] {
        same::<f32>(&device, size, side, part);
        same::<u8>(&device, size, side, part);
    }
}

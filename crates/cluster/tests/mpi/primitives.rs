//! Every primitive on several numbers of ranks.

use warpwise::heat::{Cylinder, Limits};
use warpwise::random::Random;
use warpwise::scan::Kind;
use warpwise::{Device, Operator};

use crate::launch::{self, folder, json, names, npy, read};

const RANKS: [usize; 4] = [1, 2, 3, 8];

#[test]
fn reduce_gives_the_bits_of_one_machine() {
    let _turn = launch::turn();
    let folder = folder("reduce");
    let (floats, whole) = (folder.join("floats.npy"), folder.join("whole.npy"));
    let xs: Vec<f32> = Random::new(1).elements(100_003);
    let is: Vec<i32> = Random::new(2).elements(1003);
    npy(&floats, &[xs.len()], &xs);
    npy(&whole, &[17, 59], &is);
    let sum = warpwise::reduce::cpu::par(Operator::Sum, &xs).unwrap();
    for ranks in [1, 2, 3, 7, 8] {
        let found = json(ranks, &format!("reduce {}", floats.display()));
        assert_eq!((found["value"].as_f64().unwrap() as f32).to_bits(), sum.to_bits(), "{ranks}");
        assert_eq!((found["primitive"].as_str(), found["op"].as_str()), (Some("reduce"), Some("sum")));
    }
    let found = json(4, &format!("reduce {} --op argmax", whole.display()));
    assert_eq!(found["value"], warpwise::reduce::argmax(&Device::cpu(), &is).unwrap() as u64);
    let found = json(3, &format!("reduce {} {}", whole.display(), whole.display()));
    assert_eq!(found["value"], 2 * is.iter().map(|&x| i64::from(x)).sum::<i64>(), "two files are one array");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn scan_histogram_compact_and_sort_agree_with_one_machine() {
    let _turn = launch::turn();
    let folder = folder("arrays");
    let (input, small, out) = (folder.join("in.npy"), folder.join("small.npy"), folder.join("out.npy"));
    let xs: Vec<f64> = Random::new(3).elements(150_001);
    npy(&input, &[xs.len()], &xs);
    npy(&small, &[3], &[5_i32, -7, 2]);
    let (input, small, out_name) = (input.display(), small.display(), out.display());
    let mut sums = xs.clone();
    warpwise::scan::cpu::par(Operator::Sum, Kind::Inclusive, &xs, &mut sums).unwrap();
    let sorted = warpwise::sort::sort(&Device::cpu(), &xs).unwrap();
    let kept: Vec<f64> = xs.iter().copied().filter(|&x| x > 0.25).collect();
    let even = warpwise::histogram::Binning::Even { bins: 9, lo: -1.0, hi: 1.0 };
    let counts = warpwise::histogram::cpu::seq(even, &xs).unwrap();
    for ranks in RANKS {
        json(ranks, &format!("scan {input} --out {out_name}"));
        assert_eq!(read::<f64>(&out), (vec![xs.len()], sums.clone()), "{ranks}");
        let found = json(ranks, &format!("sort {input} --out {out_name}"));
        assert_eq!(read::<f64>(&out).1, sorted, "{ranks}");
        let even_part = xs.len() as f64 / ranks as f64;
        for length in found["lengths"].as_array().unwrap() {
            assert!((length.as_f64().unwrap() - even_part).abs() <= 0.1 * even_part);
        }
        let found = json(ranks, &format!("compact {input} --greater 0.25 --out {out_name}"));
        assert_eq!((found["kept"].as_u64().unwrap() as usize, read::<f64>(&out).1), (kept.len(), kept.clone()));
        let found = json(ranks, &format!("histogram {input} --even 9:-1:1"));
        let found: Vec<u64> =
            found["counts"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
        assert_eq!(found, counts, "{ranks}");
    }
    // Fewer numbers than ranks.
    json(8, &format!("sort {small} --descending --out {out_name}"));
    assert_eq!(read::<i32>(&out).1, [5, 2, -7]);
    json(8, &format!("scan {small} --exclusive --out {out_name}"));
    assert_eq!(read::<i32>(&out).1, [0, 5, -2]);
    assert_eq!(names(&folder), ["in.npy", "out.npy", "small.npy"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn matrices_agree_with_one_machine() {
    let _turn = launch::turn();
    let folder = folder("matrices");
    let (a, b, out) = (folder.join("a.npy"), folder.join("b.npy"), folder.join("out.npy"));
    let (m, k, n) = (37, 53, 29);
    let whole = |seed: u64, length| -> Vec<f32> {
        let mut random = Random::new(seed);
        (0..length).map(|_| random.below(5) as f32 - 2.0).collect()
    };
    let (xs, ys) = (whole(1, m * k), whole(2, k * n));
    npy(&a, &[m, k], &xs);
    npy(&b, &[k, n], &ys);
    let product: Vec<f32> =
        (0..m * n).map(|at| (0..k).map(|l| xs[at / n * k + l] * ys[l * n + at % n]).sum()).collect();
    let turned: Vec<f32> = (0..k * m).map(|at| xs[at % m * k + at / m]).collect();
    for ranks in RANKS {
        json(ranks, &format!("matmul {} {} --out {}", a.display(), b.display(), out.display()));
        assert_eq!(read::<f32>(&out), (vec![m, n], product.clone()), "{ranks}");
        json(ranks, &format!("transpose {} --out {}", a.display(), out.display()));
        assert_eq!(read::<f32>(&out), (vec![k, m], turned.clone()), "{ranks}");
    }
    let made = json(6, "matmul 50 70 40 --type f64");
    assert_eq!(made["grid"].as_array().unwrap().len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn heat_and_radiator_give_the_bits_of_one_machine() {
    let _turn = launch::turn();
    let folder = folder("stencils");
    let (rows, columns) = (61, 40);
    let start: Vec<f64> = (0..rows * columns).map(|i| if i / columns < 31 { 100.0 } else { -100.0 }).collect();
    let w: Vec<f64> = (0..rows * columns).map(|i| 0.1 + 0.8 * (i % columns) as f64 / 39.0).collect();
    let limits = Limits { iterations: 400, threshold: 0.4 };
    let cylinder = Cylinder::new(rows, columns, &start, &w).unwrap();
    let (end, outcome) = warpwise::heat::cpu::par(cylinder, limits);
    let radiator = warpwise::radiator::Radiator::new(warpwise::radiator::Preset::Year2025, 37, 50).unwrap();
    let mut warm = radiator.start::<f32>();
    warpwise::radiator::cpu::par(&radiator, 30, &mut warm).unwrap();
    for (ranks, halo) in [(1, ""), (2, "--halo 1"), (3, ""), (4, "--halo 5"), (7, "--halo 3"), (8, "")] {
        let words = format!("heat --size {rows}x{columns} -i 400 -e 0.4 {halo} --out {}", folder.display());
        let found = json(ranks, &words);
        assert_eq!(found["iterations"], outcome.iterations, "{ranks}");
        assert_eq!(found["max_difference"].as_f64().unwrap().to_bits(), outcome.max_difference.to_bits());
        let bits = |xs: &[f64]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read::<f64>(&folder.join("temperature.npy")).1), bits(&end), "{ranks}");
    }
    for ranks in RANKS {
        json(ranks, &format!("radiator --size 37x50 -i 30 --preset 2025 --out {}", folder.display()));
        assert_eq!(read::<f32>(&folder.join("radiator.npy")), (vec![37, 50], warm.clone()), "{ranks}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

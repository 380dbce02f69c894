//! The primitives that data-parallel programs are made of.

use crate::rig::{every_build, numbers};

fn block_sums(values: &[i32]) -> Vec<i32> {
    values.chunks(256).map(|block| block.iter().sum()).collect()
}

#[test]
fn reduction_in_a_tree() {
    every_build("reduction", |rig| {
        let values: Vec<i32> = numbers(1000).map(|x| x as i32 % 1000).collect();
        let input = rig.upload(&values);
        for kernel in ["reduce_tree", "reduce_interleaved"] {
            let out = rig.room::<i32>(4);
            rig.launch(kernel, [4, 1, 1], [256, 1, 1], &[&input, &out, &1000_u32]);
            assert_eq!(rig.download::<i32>(out, 4), block_sums(&values), "{kernel}");
        }
    });
}

#[test]
fn reduction_by_shuffles_and_atomics() {
    every_build("reduction", |rig| {
        let values: Vec<f32> = numbers(5000).map(|x| (x % 100) as f32).collect();
        let (input, out) = (rig.upload(&values), rig.upload(&[0.0_f32]));
        rig.launch("reduce_shuffle", [6, 1, 1], [256, 1, 1], &[&input, &out, &5000_u32]);
        assert_eq!(rig.download::<f32>(out, 1), [values.iter().sum::<f32>()]);
    });
}

#[test]
fn reduction_finished_by_the_last_block() {
    every_build("reduction", |rig| {
        let values: Vec<i32> = numbers(4000).map(|x| x as i32 % 1000).collect();
        let (input, partial, out) = (rig.upload(&values), rig.room::<i32>(16), rig.room::<i32>(1));
        for round in 0..2 {
            // There is no fence after the ticket: volatile reads see what is there, but nothing orders them after the
            // plain writes of the other blocks.
            let shape = ([16, 1, 1], [256, 1, 1]);
            rig.launch_despite("race", "reduce_last_block", shape, &[&input, &partial, &out, &4000_u32]);
            assert_eq!(rig.download::<i32>(out, 1), [values.iter().sum::<i32>()], "round {round}");
        }
    });
}

#[test]
fn scans_of_a_block() {
    every_build("scan", |rig| {
        let values: Vec<i32> = numbers(256).map(|x| x as i32 % 50).collect();
        let mut sum = 0;
        let inclusive: Vec<i32> = values
            .iter()
            .map(|value| {
                sum += value;
                sum
            })
            .collect();
        let exclusive: Vec<i32> = inclusive.iter().zip(&values).map(|(sum, value)| sum - value).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i32>(256));
        rig.shared = 2 * 256 * 4;
        rig.launch("scan_hillis_steele", [1; 3], [256, 1, 1], &[&input, &out]);
        assert_eq!(rig.download::<i32>(out, 256), inclusive);
        rig.shared = 256 * 4;
        rig.launch("scan_blelloch", [1; 3], [128, 1, 1], &[&input, &out]);
        assert_eq!(rig.download::<i32>(out, 256), exclusive);
    });
}

#[test]
fn matrices_multiplied_in_tiles() {
    every_build("matmul", |rig| {
        let (m, n, k) = (40, 24, 36);
        let a: Vec<f32> = numbers(m * k).map(|x| (x % 3) as f32).collect();
        let b: Vec<f32> = numbers(k * n).map(|x| (x / 7 % 2) as f32).collect();
        let product = |row: usize, column: usize| (0..k).map(|i| a[row * k + i] * b[i * n + column]).sum::<f32>();
        let expected: Vec<f32> = (0..m * n).map(|at| product(at / n, at % n)).collect();
        let sizes = (m as i32, n as i32, k as i32);
        let (left, right, out) = (rig.upload(&a), rig.upload(&b), rig.room::<f32>(m * n));
        rig.launch("matmul_tiled", [2, 3, 1], [16, 16, 1], &[&left, &right, &out, &sizes.0, &sizes.1, &sizes.2]);
        assert_eq!(rig.download::<f32>(out, m * n), expected);

        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value) / 4.0).collect::<Vec<_>>();
        let (left, right, out) = (rig.upload(&wide(&a)), rig.upload(&wide(&b)), rig.room::<f64>(m * n));
        rig.launch("matmul_double", [3, 5, 1], [8, 8, 1], &[&left, &right, &out, &sizes.0, &sizes.1, &sizes.2]);
        let expected: Vec<f64> = expected.iter().map(|&value| f64::from(value) / 16.0).collect();
        assert_eq!(rig.download::<f64>(out, m * n), expected);
    });
}

#[test]
fn histograms_of_bytes() {
    every_build("histogram", |rig| {
        let bytes: Vec<u8> = numbers(3000).map(|x| (x % 97) as u8 * (x >> 20 & 1) as u8).collect();
        let mut expected = [0; 256];
        bytes.iter().for_each(|&byte| expected[usize::from(byte)] += 1);
        let input = rig.upload(&bytes);
        for kernel in ["histogram_global", "histogram_shared"] {
            let bins = rig.upload(&[0_u32; 256]);
            rig.launch(kernel, [4, 1, 1], [96, 1, 1], &[&input, &3000_u32, &bins]);
            assert_eq!(rig.download::<u32>(bins, 256), expected, "{kernel}");
        }
    });
}

#[test]
fn stencils_with_a_halo() {
    every_build("stencil", |rig| {
        let line: Vec<f32> = numbers(300).map(|x| (x % 64) as f32).collect();
        let at = |i: i32| usize::try_from(i).ok().and_then(|i| line.get(i)).copied().unwrap_or(0.0);
        let expected: Vec<f32> = (0..300).map(|i| 0.25 * at(i - 1) + 0.5 * at(i) + 0.25 * at(i + 1)).collect();
        let (input, out) = (rig.upload(&line), rig.room::<f32>(300));
        rig.launch("stencil_3", [3, 1, 1], [128, 1, 1], &[&input, &out, &300_i32]);
        assert_eq!(rig.download::<f32>(out, 300), expected);

        let (width, height) = (37_i32, 19_i32);
        let cells: Vec<i32> = numbers(37 * 19).map(|x| x as i32 % 1000).collect();
        let at = |x: i32, y: i32| cells[(y.clamp(0, height - 1) * width + x.clamp(0, width - 1)) as usize];
        let laplace = |x, y| 4 * at(x, y) - at(x - 1, y) - at(x + 1, y) - at(x, y - 1) - at(x, y + 1);
        let expected: Vec<i32> = (0..width * height).map(|i| laplace(i % width, i / width)).collect();
        let (input, out) = (rig.upload(&cells), rig.room::<i32>(cells.len()));
        rig.launch("stencil_5", [3, 3, 1], [16, 8, 1], &[&input, &out, &width, &height]);
        assert_eq!(rig.download::<i32>(out, cells.len()), expected);
    });
}

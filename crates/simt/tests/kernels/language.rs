//! What the language offers: functions, structs, switches, local arrays, printf.

use crate::rig::{Argument, every_build, numbers};

#[test]
fn recursion_of_one_function_and_of_two() {
    fn fibonacci(n: i32) -> i32 {
        if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
    }
    fn ackermann(m: i32, n: i32) -> i32 {
        match (m, n) {
            (0, _) => n + 1,
            (_, 0) => ackermann(m - 1, 1),
            _ => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    every_build("recursion", |rig| {
        let out = rig.room::<i32>(32);
        rig.launch("recursion_fibonacci", [1; 3], [32, 1, 1], &[&out]);
        assert_eq!(rig.download::<i32>(out, 32), (0..32).map(|i| fibonacci(i % 16)).collect::<Vec<_>>());
        rig.launch("recursion_ackermann", [1; 3], [32, 1, 1], &[&out]);
        assert_eq!(rig.download::<i32>(out, 32), (0..32).map(|i| ackermann(i % 3, i / 3)).collect::<Vec<_>>());
        rig.launch("recursion_mutual", [1; 3], [32, 1, 1], &[&out]);
        assert_eq!(rig.download::<i32>(out, 32), (0..32).map(|i| 2 + i % 2).collect::<Vec<_>>());
    });
}

#[test]
fn recursion_with_an_array_in_each_frame() {
    fn descend(depth: i32, above: [i32; 4]) -> i32 {
        let own = [1, 2, 3, 0].map(|i| above[i] + depth);
        if depth == 0 { own.iter().sum() } else { descend(depth - 1, own) + own[depth as usize % 4] }
    }
    every_build("recursion", |rig| {
        let out = rig.room::<i32>(32);
        rig.launch("recursion_frames", [1; 3], [32, 1, 1], &[&out]);
        let expected: Vec<i32> = (0..32).map(|i| descend(i % 10, [1, 2, 3, i])).collect();
        assert_eq!(rig.download::<i32>(out, 32), expected);
    });
}

#[test]
fn printf_formats() {
    every_build("printf", |rig| {
        let report = rig.launch("printf_formats", [1; 3], [1; 3], &[&42_i32, &std::f64::consts::PI]);
        let expected = "plain\n\
            42 -42 4000000000 beef BEEF 10\n\
            [   42] [42   ] [00042] [+42] [   ab] [cd   ]\n\
            -9000000000 18000000000000000000 123456789abc 7\n\
            3.141593  3.14 2 1.234568e+04 0.0001 1e+20\n\
            abc text 100%\n\
            1.500000 -0.250000\n";
        assert_eq!(report.printed, expected);
        let report = rig.launch("printf_threads", [2, 1, 1], [4, 1, 1], &[]);
        let line = |(block, thread)| format!("block {block} thread {thread}\n");
        assert_eq!(report.printed, [(0, 0), (0, 2), (1, 0), (1, 2)].map(line).concat());
    });
}

#[test]
fn local_arrays() {
    every_build("local_array", |rig| {
        let values: Vec<i32> = numbers(32 * 16).map(|x| x as i32 % 100).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i32>(values.len()));
        rig.launch("local_sort", [1; 3], [32, 1, 1], &[&input, &out]);
        let mut expected = values;
        expected.chunks_mut(16).for_each(<[i32]>::sort_unstable);
        assert_eq!(rig.download::<i32>(out, expected.len()), expected);

        let bytes: Vec<u8> = numbers(32 * 30).map(|x| x as u8).collect();
        let (input, out) = (rig.upload(&bytes), rig.room::<u32>(32));
        rig.launch("local_histogram", [1; 3], [32, 1, 1], &[&input, &out, &30_i32]);
        let pack = |own: &[u8]| {
            let count = |digit| own.iter().filter(|&&byte| u32::from(byte) % 10 == digit).count() as u32;
            (0..10).rev().fold(0, |packed: u32, digit| packed.wrapping_mul(8).wrapping_add(count(digit) % 8))
        };
        assert_eq!(rig.download::<u32>(out, 32), bytes.chunks(30).map(pack).collect::<Vec<_>>());
    });
}

#[test]
fn switches() {
    let dense = |x: i32| match x {
        0 => 11,
        1 => 4,
        2 => 2 ^ 0x55,
        3 => 64,
        4 => -4,
        5 => 125,
        6 => !6,
        7 => 93,
        8 => 72,
        9 => 12345,
        10 => 0x10a,
        11 => 9,
        _ => -1000 - x,
    };
    let sparse = |x: i32| [-5, 17, 1000, 70000].iter().position(|&case| case == x).map_or(0, |at| at as i32 + 1);
    every_build("switch", |rig| {
        let values: Vec<i32> = (0..32).map(|i| i * 7 % 16 - 2).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i32>(32));
        rig.launch("switch_dense", [1; 3], [32, 1, 1], &[&input, &out]);
        assert_eq!(rig.download::<i32>(out, 32), values.iter().map(|&x| dense(x)).collect::<Vec<_>>());
        let values: Vec<i32> = [-5, 17, 1000, 70000, 0, 18, -6, 70001].repeat(4);
        let input = rig.upload(&values);
        rig.launch("switch_sparse", [1; 3], [32, 1, 1], &[&input, &out]);
        assert_eq!(rig.download::<i32>(out, 32), values.iter().map(|&x| sparse(x)).collect::<Vec<_>>());
    });
}

#[test]
fn a_switch_in_a_loop() {
    fn run(thread: i32, code: &[u8]) -> i32 {
        let mut top = thread;
        for step in code {
            match step {
                0 => top = top.wrapping_add(1),
                1 => top = top.wrapping_mul(3),
                2 => top = top.wrapping_sub(7),
                3 => top ^= top << 3,
                4 => top = 100_i32.wrapping_sub(top),
                5 => top = top.wrapping_add(100),
                6 => return top,
                _ => top >>= 1,
            }
        }
        top
    }
    every_build("switch", |rig| {
        let code: Vec<u8> = numbers(32 * 12).map(|x| (x % 9) as u8).collect();
        let (input, out) = (rig.upload(&code), rig.room::<i32>(32));
        rig.launch("switch_machine", [1; 3], [32, 1, 1], &[&input, &12_i32, &out]);
        let expected: Vec<i32> = code.chunks(12).enumerate().map(|(thread, code)| run(thread as i32, code)).collect();
        assert_eq!(rig.download::<i32>(out, 32), expected);
    });
}

#[test]
fn calls_by_address() {
    every_build("function_pointer", |rig| {
        let out = rig.room::<i32>(32);
        rig.launch("call_table", [1; 3], [32, 1, 1], &[&out]);
        let expected: Vec<i32> = (0..32).map(|i| [2 * i, i * i, -i][i as usize % 3]).collect();
        assert_eq!(rig.download::<i32>(out, 32), expected);
        rig.launch("call_picked", [1; 3], [32, 1, 1], &[&out, &10_i32]);
        assert_eq!(rig.download::<i32>(out, 32), (0..32).map(|i| if i < 10 { i * i } else { -i }).collect::<Vec<_>>());
        rig.launch("call_virtual", [1; 3], [32, 1, 1], &[&out]);
        let expected: Vec<i32> = (0..32).map(|i| [i * i, 2 * i][i as usize % 2] + 1).collect();
        assert_eq!(rig.download::<i32>(out, 32), expected);
    });
}

#[test]
fn structs_by_value() {
    every_build("structs", |rig| {
        let out = rig.room::<f32>(8);
        // char, int[3], { short, double }, pointer: with C's padding
        let mut record = vec![0; 40];
        record[0] = 7;
        record[4..16].copy_from_slice(&[10_i32, 20, 30].map(i32::to_le_bytes).concat());
        record[16..18].copy_from_slice(&(-3_i16).to_le_bytes());
        record[24..32].copy_from_slice(&0.5_f64.to_le_bytes());
        record[32..40].copy_from_slice(&out.bytes());
        rig.launch("struct_parameter", [1; 3], [8, 1, 1], &[&record, &2_i32]);
        assert_eq!(rig.download::<f32>(out, 8), (0..8).map(|i| 64.5 * 2.0 + i as f32).collect::<Vec<_>>());
        rig.launch("struct_indexed", [1; 3], [8, 1, 1], &[&record]);
        assert_eq!(rig.download::<f32>(out, 8), (0..8).map(|i| [10.0, 20.0, 30.0][i % 3]).collect::<Vec<_>>());

        let values: Vec<i64> = numbers(64).map(|x| i64::from(x as i32) << 20).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i64>(64));
        rig.launch("struct_returned", [1; 3], [32, 1, 1], &[&input, &out]);
        let mut expected = values;
        expected.chunks_mut(2).for_each(<[i64]>::sort_unstable);
        assert_eq!(rig.download::<i64>(out, 64), expected);
    });
}

#[test]
fn templates() {
    every_build("templates", |rig| {
        let values: Vec<f64> = numbers(32).map(|x| f64::from(x % 1000)).collect();
        let (input, out) = (rig.upload(&values), rig.room::<f64>(8));
        rig.launch("fold_sum_double", [1; 3], [8, 1, 1], &[&input, &out]);
        assert_eq!(rig.download::<f64>(out, 8), values.chunks(4).map(|x| x.iter().sum()).collect::<Vec<f64>>());

        let values: Vec<i8> = numbers(64).map(|x| x as i8).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i8>(8));
        rig.launch("fold_max_byte", [1; 3], [8, 1, 1], &[&input, &out]);
        let largest = |x: &[i8]| *x.iter().max().expect("eight values");
        assert_eq!(rig.download::<i8>(out, 8), values.chunks(8).map(largest).collect::<Vec<_>>());

        let values: Vec<u16> = numbers(24).map(|x| x as u16).collect();
        let (input, out) = (rig.upload(&values), rig.room::<u16>(8));
        rig.launch("fold_sum_short", [1; 3], [8, 1, 1], &[&input, &out]);
        let sum = |x: &[u16]| x.iter().fold(0, |sum: u16, &value| sum.wrapping_add(value));
        assert_eq!(rig.download::<u16>(out, 8), values.chunks(3).map(sum).collect::<Vec<_>>());

        let out = rig.room::<f32>(8);
        rig.launch("_Z4fillIfEvPT_S0_", [1; 3], [8, 1, 1], &[&out, &0.5_f32]);
        assert_eq!(rig.download::<f32>(out, 8), (0..8).map(|i| i as f32 + 0.5).collect::<Vec<_>>());
        let out = rig.room::<u64>(8);
        rig.launch("_Z4fillIyEvPT_S0_", [1; 3], [8, 1, 1], &[&out, &(1_u64 << 40)]);
        assert_eq!(rig.download::<u64>(out, 8), (0..8).map(|i| (1 << 40) + i).collect::<Vec<_>>());
    });
}

#[test]
fn constants_given_and_filled() {
    every_build("constants", |rig| {
        let out = rig.room::<i32>(16);
        rig.launch("constant_given", [1; 3], [16, 1, 1], &[&out]);
        let given = |offset: i32| {
            let primes = [2, 3, 5, 7, 11, 13, 17, 19];
            (0..16).map(|i| primes[i % 8] + offset + i32::from(b"warpwise"[i % 8])).collect::<Vec<_>>()
        };
        assert_eq!(rig.download::<i32>(out, 16), given(1000));
        rig.set_variable("offset", &[-50_i32]);
        rig.launch("constant_given", [1; 3], [16, 1, 1], &[&out]);
        assert_eq!(rig.download::<i32>(out, 16), given(-50));

        rig.set_variable("weights", &[0.5_f32, 1.0, 2.0, -4.0]);
        let values: Vec<f32> = numbers(35).map(|x| (x % 100) as f32).collect();
        let (input, out) = (rig.upload(&values), rig.room::<f32>(32));
        rig.launch("constant_filled", [1; 3], [32, 1, 1], &[&input, &out]);
        let expected: Vec<f32> = values.windows(4).map(|x| 0.5 * x[0] + x[1] + 2.0 * x[2] - 4.0 * x[3]).collect();
        assert_eq!(rig.download::<f32>(out, 32), expected);
    });
}

#[test]
fn shuffles_and_votes() {
    every_build("shuffle", |rig| {
        let values: Vec<i32> = numbers(64).map(|x| x as i32 % 100).collect();
        let (input, out) = (rig.upload(&values), rig.room::<i32>(64));
        rig.launch("shuffle_scan", [1; 3], [64, 1, 1], &[&input, &out]);
        let sum = |i: usize| values[i / 32 * 32..=i].iter().sum();
        assert_eq!(rig.download::<i32>(out, 64), (0..64).map(sum).collect::<Vec<i32>>());

        let values: Vec<f64> = numbers(32).map(|x| f64::from(x % 100)).collect();
        let (input, out) = (rig.upload(&values), rig.room::<f64>(32));
        rig.launch("shuffle_segments", [1; 3], [32, 1, 1], &[&input, &out]);
        let sum = |i: usize| values[(i + 8) % 32 / 8 * 8..][..8].iter().sum();
        assert_eq!(rig.download::<f64>(out, 32), (0..32).map(sum).collect::<Vec<f64>>());

        let values: Vec<i32> = (0..32).map(|i| if i % 3 == 0 { i + 1 } else { 0 }).collect();
        let (input, out, kept) = (rig.upload(&values), rig.upload(&[0_i32; 32]), rig.room::<i32>(1));
        rig.launch("shuffle_compact", [1; 3], [32, 1, 1], &[&input, &out, &kept]);
        let mut expected: Vec<i32> = values.into_iter().filter(|&value| value != 0).collect();
        assert_eq!(rig.download::<i32>(kept, 1), [expected.len() as i32]);
        expected.resize(32, 0);
        expected[31] = -1;
        assert_eq!(rig.download::<i32>(out, 32), expected);
    });
}

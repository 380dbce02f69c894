//! Ranks that are killed at random moments: a restart, on another number of ranks, ends in the right bits.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use warpwise::heat::{Cylinder, Limits};
use warpwise::random::Random;

use crate::launch::{self, command, folder, json, names, read};

const ROWS: usize = 210;
const COLUMNS: usize = 160;
const ITERATIONS: usize = 2400;

/// The processes of ranks that work in a folder.
fn ranks_in(folder: &Path) -> Vec<i32> {
    let name = folder.display().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_string_lossy().parse::<i32>().ok());
    let ours = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> =
            line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        words.first().is_some_and(|program| program.ends_with("warpwise-cluster")) && words.contains(&name)
    };
    numbers.filter(ours).collect()
}

/// Runs until killed, at a random moment of the time that it is thought to take, or done; whether it was killed. If it
/// was done before, it takes less.
fn interrupted(ranks: usize, words: &str, folder: &Path, takes: &mut Duration, random: &mut Random) -> bool {
    let mut command = command(ranks, words);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    // From the start of the program on.
    for _ in 0..2000 {
        if ranks_in(folder).len() >= ranks || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let (begin, moment) = (Instant::now(), Duration::from_micros(random.below(takes.as_micros() as usize) as u64));
    while begin.elapsed() < moment {
        if child.try_wait().unwrap().is_some() {
            *takes = begin.elapsed();
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let there = ranks_in(folder);
    let victim = there.get(random.below(there.len().max(1)));
    if let Some(&pid) = victim {
        // SAFETY: it is a process of this test.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    victim.is_some() && !ended(&mut child, folder)
}

/// Waits for the end; whether it was a good one. When a rank is killed while it starts, the starter of Open MPI 4.1
/// sometimes waits for ever for ranks that are gone: then it is ended here.
fn ended(child: &mut Child, folder: &Path) -> bool {
    let mut without = 0;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        without = if ranks_in(folder).is_empty() { without + 1 } else { 0 };
        if without > 1000 {
            eprintln!("all ranks have ended, but not their starter");
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Kills that many runs.
fn kills(count: usize) {
    let start: Vec<f64> = (0..ROWS * COLUMNS).map(|i| if i / COLUMNS < ROWS / 2 { 100.0 } else { -100.0 }).collect();
    let last = (COLUMNS - 1) as f64;
    let w: Vec<f64> = (0..ROWS * COLUMNS).map(|i| 0.1 + 0.8 * (i % COLUMNS) as f64 / last).collect();
    let cylinder = Cylinder::new(ROWS, COLUMNS, &start, &w).unwrap();
    let (end, _) = warpwise::heat::cpu::par(cylinder, Limits { iterations: ITERATIONS, threshold: 0.0 });
    let mut random = Random::new(7);
    let mut takes = Duration::from_millis(1500);
    let (mut killed, mut resumed, mut attempt) = (0, 0, 0);
    while killed < count {
        assert!(attempt < 10 * count + 10, "only {killed} of {attempt} runs could be killed");
        let folder = folder(&format!("kill-{attempt}"));
        let words =
            format!("heat --size {ROWS}x{COLUMNS} -i {ITERATIONS} -e 0 --checkpoint 60 --out {}", folder.display());
        killed += usize::from(interrupted(2 + attempt % 3, &words, &folder, &mut takes, &mut random));
        let broken = folder.join("temperature.npy");
        assert!(!broken.exists() || read::<f64>(&broken).1 == end, "what has the name is whole");
        let found = json([3, 1, 4, 2][attempt % 4], &words);
        resumed += usize::from(found["resumed_from"].as_u64() > Some(0));
        let bits = |xs: &[f64]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&read::<f64>(&folder.join("temperature.npy")).1) == bits(&end), "attempt {attempt}");
        assert_eq!(names(&folder), ["temperature.npy"], "attempt {attempt}");
        std::fs::remove_dir_all(folder).unwrap();
        attempt += 1;
    }
    eprintln!("{killed} of {attempt} runs were killed, {resumed} went on from a checkpoint");
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let _turn = launch::turn();
    kills(4);
}

/// Takes some minutes: `cargo xtask cluster --kills`.
#[test]
#[ignore = "takes some minutes"]
fn a_hundred_killed_runs_go_on_to_the_same_bits() {
    let _turn = launch::turn();
    kills(100);
}

#[test]
fn other_runs_go_on_from_their_checkpoints_too() {
    let _turn = launch::turn();
    // Checkpoints of a run that stopped early are those of one with the same parameters and more iterations: here a
    // sort and a radiator that are stopped as soon as their checkpoint is there.
    let folder = folder("runs");
    let (sorted, kept) = (folder.join("sorted.npy"), folder.join("kept"));
    let words = format!("sort -n 400000 --type u32 --checkpoint {} --out {}", kept.display(), sorted.display());
    let mut child = command(3, &words).stdout(std::process::Stdio::null()).spawn().unwrap();
    for _ in 0..4000 {
        let there = kept.join("sort-000000000001.checkpoint").exists();
        if there {
            for pid in ranks_in(&kept) {
                // SAFETY: it is a process of this test.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
        }
        if there || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    ended(&mut child, &kept);
    json(2, &words);
    let mut expected: Vec<u32> = (0..400_000).map(|i| warpwise::random::element(warpwise::random::at(24, i))).collect();
    expected.sort_unstable();
    assert!(read::<u32>(&sorted).1 == expected);
    assert!(names(&kept).is_empty(), "{:?}", names(&kept));
    std::fs::remove_dir_all(folder).unwrap();
}

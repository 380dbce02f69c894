//! Bad input, broken files and full disks end all ranks with one message.

use crate::launch::{self, folder, names, npy, run};

/// The program must fail with status 2, say this once, and print no result.
fn refuses(ranks: usize, words: &str, message: &str) {
    let out = run(ranks, words);
    let errors = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{words}: {errors}");
    assert_eq!(errors.matches("error: ").count(), 1, "{words}: {errors}");
    assert!(errors.contains(message), "{words}: {errors}");
    assert!(out.stdout.iter().all(u8::is_ascii_whitespace) || !errors.is_empty());
}

#[test]
fn bad_input_ends_all_ranks_with_one_message() {
    let _turn = launch::turn();
    let folder = folder("faults");
    let (cut, flat) = (folder.join("cut.npy"), folder.join("flat.npy"));
    npy(&flat, &[100], &[1.5_f32; 100]);
    let whole = std::fs::read(&flat).unwrap();
    std::fs::write(&cut, &whole[..300]).unwrap();
    refuses(3, "reduce no-such-file.npy", "no-such-file.npy: cannot be read");
    refuses(2, &format!("sort {}", cut.display()), "the file is cut off");
    refuses(2, &format!("transpose {}", flat.display()), "rows and columns are needed");
    refuses(2, "reduce", "FILE");
    refuses(2, "heat --size 10", "4096x4096");
    refuses(2, "heat --size 10x10 --halo 99", "--halo: use a number from 1 to 32");
    refuses(3, &format!("scan {} --out {}/none/out.npy", flat.display(), folder.display()), "make its folder first");
    refuses(2, &format!("histogram {} --modulo 3", flat.display()), "--modulo");
    assert_eq!(names(&folder), ["cut.npy", "flat.npy"]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_full_disk_leaves_no_broken_file() {
    let _turn = launch::turn();
    let folder = folder("full");
    let mount = |words: &[&str]| {
        let done = std::process::Command::new(words[0]).args(&words[1..]).output();
        done.is_ok_and(|out| out.status.success())
    };
    let there = folder.display().to_string();
    if !mount(&["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", &there]) {
        eprintln!("no small disk can be mounted here: nothing was checked");
        return;
    }
    let sort = run(3, &format!("sort -n 100000 --type f64 --out {there}/out.npy"));
    let heat = run(3, &format!("heat --size 300x300 -i 40 -e 0 --checkpoint 10 --out {there}/run"));
    let left = (names(&folder), names(&folder.join("run")));
    assert!(mount(&["umount", &there]));
    for out in [sort, heat] {
        let errors = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{errors}");
        assert_eq!(errors.matches("error: ").count(), 1, "{errors}");
        assert!(errors.contains("free some, or write to another disk"), "{errors}");
    }
    assert_eq!(left, (vec!["run".to_owned()], vec![]));
    std::fs::remove_dir_all(folder).unwrap();
}

//! `histogram` and `smooth` on pictures and texts.

use super::{ends_with, folder, json, names, write};

#[test]
fn grey_levels_are_drawn() {
    let here = folder("grey");
    let picture = write(&here, "a.pgm", b"P5 4 2 255\n\x00\x00\x00\x07\x08\xff\xff\xff");
    let report = json(0, &["histogram", &picture, "--json"]);
    assert_eq!((&report["binning"], &report["elements"]), (&"value".into(), &8.into()));
    let counts = report["counts"].as_array().unwrap();
    assert_eq!(counts.len(), 256);
    assert_eq!([&counts[0], &counts[7], &counts[8], &counts[255]], [3, 1, 1, 3]);
    let (stdout, _) = ends_with(0, &["histogram", &picture]);
    assert_eq!(stdout.lines().filter(|l| l.contains('-')).count(), 32, "{stdout}");
    assert!(stdout.starts_with("  0-7    4  ████"), "{stdout}");
    assert!(stdout.contains("\n  8-15   1  ████"), "{stdout}");
}

#[test]
fn letters_are_counted_on_every_device() {
    let here = folder("letters");
    let text = write(&here, "a.txt", "a bee, Zebra! zz\n");
    let cpu = json(0, &["histogram", &text, "--json"]);
    assert_eq!(cpu["labels"][6], "y-z");
    // Lower-case letters only: a, b e e, e b r a, z z.
    assert_eq!(cpu["counts"], serde_json::json!([4, 3, 0, 0, 1, 0, 2]));
    assert_eq!(cpu["counted"], 10);
    for variant in ["cpu-seq", "gpu-1-partitioned", "gpu-5-replicated"] {
        assert_eq!(
            json(0, &["histogram", &text, "--variant", variant, "--json"])["counts"],
            cpu["counts"],
            "{variant}"
        );
    }
}

#[test]
fn a_point_becomes_the_filter() {
    let here = folder("smooth");
    let mut pixels = [0; 49];
    pixels[24] = 245;
    let picture = write(&here, "a.pgm", [b"P5 7 7 255\n", &pixels[..]].concat());
    let out = here.join("b.pgm").display().to_string();
    for more in [&["--device", "cpu"][..], &["--device", "emulator"], &["--variant", "gpu-1-naive"]] {
        ends_with(0, &[&["smooth", &picture, &out], more].concat());
        let smooth = std::fs::read(&out).unwrap();
        let middle = &smooth[smooth.len() - 49..][21..28];
        assert_eq!(middle, [0, 7, 14, 21, 14, 7, 0], "245 / 35 times 1, 2, 3");
    }
    let report = json(0, &["smooth", &picture, &out, "--border", "valid", "--filter", "3", "--json"]);
    assert_eq!((&report["rows"], &report["cols"], &report["border"]), (&5.into(), &5.into(), &"valid".into()));
    // Through other formats.
    let path = |name: &str| here.join(name).display().to_string();
    ends_with(0, &["smooth", &picture, &path("c.png"), "--filter", "1"]);
    ends_with(0, &["smooth", &path("c.png"), &path("d.pgm"), "--filter", "1"]);
    assert_eq!(std::fs::read(path("d.pgm")).unwrap()[11..], std::fs::read(&picture).unwrap()[11..]);
    ends_with(0, &["smooth", &path("c.png"), &path("e.jpg")]);
    assert_eq!(names(&here), ["a.pgm", "b.pgm", "c.png", "d.pgm", "e.jpg"]);
}

#[test]
fn colours_are_kept() {
    let here = folder("colour");
    let picture = write(&here, "a.ppm", b"P6 2 1 255\n\xff\x00\x00\xff\x00\x00");
    let out = here.join("b.ppm").display().to_string();
    ends_with(0, &["smooth", &picture, &out]);
    assert_eq!(std::fs::read(&out).unwrap(), b"P6\n2 1\n255\n\xff\x00\x00\xff\x00\x00");
}

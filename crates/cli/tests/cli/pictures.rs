//! `histogram` and `smooth` on pictures and texts.

use super::{ends_with, folder, json, mistake, names, write};

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
fn sixteen_bits_stay_and_width_comes_first() {
    let here = folder("smooth-deep");
    let values: Vec<u8> = (0..15_u16).flat_map(|i| (i * 4000).to_be_bytes()).collect();
    let picture = write(&here, "a.pgm", [b"P5 5 3 65535\n", &values[..]].concat());
    let out = here.join("b.pgm").display().to_string();
    for variant in ["cpu-par", "gpu-4-tiled"] {
        let (stdout, _) = ends_with(0, &["smooth", &picture, &out, "--filter", "3", "--variant", variant]);
        assert!(stdout.contains(": 5 x 3 pixels of grey, 16 bits per value, "), "{stdout}");
        assert!(stdout.contains("verified: 15 values agree with the reference, rounded exactly"), "{stdout}");
        let smooth = std::fs::read(&out).unwrap();
        assert!(smooth.starts_with(b"P5\n5 3\n65535\n"), "{variant}");
        // The middle of a plane is its own average.
        assert_eq!(smooth[smooth.len() - 16..][..2], 28000_u16.to_be_bytes());
    }
    let report = json(0, &["smooth", &picture, &here.join("c.png").display().to_string(), "--json"]);
    assert_eq!((&report["rows"], &report["cols"], &report["bits"]), (&3.into(), &5.into(), &16.into()));
    assert_eq!((&report["verified"]["ok"], &report["verified"]["values"]), (&true.into(), &15.into()));
    let bare = json(0, &["smooth", &picture, &out, "--no-verify", "--json"]);
    assert!(bare.get("verified").is_none());
}

#[test]
fn differences_from_the_reference_are_drawn() {
    let here = folder("smooth-difference");
    let pixels: Vec<u8> = (0..64).map(|i| i * 3).collect();
    let picture = write(&here, "a.pgm", [b"P5 8 8 255\n", &pixels[..]].concat());
    let [out, difference] = ["b.png", "d.png"].map(|name| here.join(name).display().to_string());
    let report = json(0, &["smooth", &picture, &out, "--difference", &difference, "--json"]);
    assert!(report["amplified"].as_f64().unwrap() >= 255.0, "rounding is at most half a level: {report}");
    let levels = json(0, &["histogram", &difference, "--json"]);
    assert!(levels["counts"][255].as_u64() >= Some(1), "the largest difference is white");
}

#[test]
fn differences_of_a_simulation_are_drawn() {
    let here = folder("heat-difference");
    let difference = here.join("d.png").display().to_string();
    let heat = ["heat", "-n", "9", "-m", "14", "--variant", "gpu-4-fused", "--no-verify", "--difference"];
    let report = json(0, &[&heat[..], &[&difference, "--json"]].concat());
    assert_eq!((&report["difference"], &report["verified"]["ok"]), (&difference.as_str().into(), &true.into()));
    assert!(report["amplified"].as_f64() >= Some(1.0), "{report}");
    let levels = json(0, &["histogram", &difference, "--json"]);
    let counts: Vec<u64> = levels["counts"].as_array().unwrap().iter().filter_map(serde_json::Value::as_u64).collect();
    assert_eq!(counts.iter().sum::<u64>(), 9 * 14, "a pixel for every cell");
    assert!(mistake(&[&heat[..], &["d.txt"]].concat()).contains("d.txt"));
}

#[test]
fn a_broken_picture_is_told_in_a_sentence() {
    let here = folder("smooth-broken");
    let picture = write(&here, "a.pgm", [b"P5 8 8 255\n", &[7; 64][..]].concat());
    let good = here.join("b.png").display().to_string();
    ends_with(0, &["smooth", &picture, &good]);
    let mut bytes = std::fs::read(&good).unwrap();
    let data = bytes.windows(4).position(|name| name == b"IDAT").unwrap();
    bytes[data + 5] ^= 0xff;
    let broken = write(&here, "c.png", bytes);
    let error = mistake(&["smooth", &broken, &good]);
    assert!(error.contains("the picture is damaged or cut off: ") && !error.contains("ChunkType"), "{error}");
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

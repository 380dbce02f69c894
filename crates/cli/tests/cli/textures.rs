//! Textures and surfaces as arguments.

use super::{data, folder, json, mistake, npy, write};
use serde_json::json;

#[test]
fn a_texture_is_filtered() {
    let (file, out) = (data("textures.ptx"), folder("textures"));
    let floats: Vec<u8> = [0f32, 8.0, 16.0, 24.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let image = write(&out, "image.npy", npy("<f4", "(2, 2)", &floats));
    let run = |verb: &str, options: &str| {
        let argument = format!("tex2d={image}{options}");
        let given = ["--entry", "sample", "--grid", "1", "--block", "2,1", "--arg", &argument, "--arg", "f32[2]:zeros"];
        json(0, &[&[verb, &file, "--json"], &given[..]].concat())
    };
    assert_eq!(run("run", "")["buffers"][0]["head"], json!([24.0, 24.0]), "the nearest texel, clamped");
    assert_eq!(run("run", ",filter=linear")["buffers"][0]["head"], json!([12.0, 16.0]));
    assert_eq!(run("run", ",address=wrap,normalized")["buffers"][0]["head"], json!([0.0, 0.0]));
    assert_eq!(run("check", ",filter=linear")["findings"], json!([]));
    let picture = write(&out, "image.pgm", b"P5 2 2 255\n\x00\xff\xff\x33");
    let argument = format!("tex2d={picture},read=float");
    let given = ["--entry", "sample", "--grid", "1", "--block", "1", "--arg", &argument, "--arg", "f32[1]:zeros"];
    let report = json(0, &[&["run", &file, "--json"], &given[..]].concat());
    assert!((report["buffers"][0]["head"][0].as_f64().unwrap() - 0.2).abs() < 1e-6);
}

#[test]
fn a_surface_is_shown_like_a_buffer() {
    let (file, out) = (data("textures.ptx"), folder("surfaces"));
    let image = write(&out, "image.npy", npy("|u1", "(2, 3)", &[0, 1, 2, 253, 254, 255]));
    let argument = format!("surf2d={image}");
    let given = ["--entry", "invert", "--grid", "1", "--block", "3,2", "--arg", &argument];
    let report = json(0, &[&["run", &file, "--json"], &given[..]].concat());
    let head = json!([255, 254, 253, 2, 1, 0]);
    assert_eq!(report["buffers"][0], json!({"arg": 0, "type": "u8", "len": 6, "head": head, "last": 0}));
    let given = ["--entry", "invert", "--grid", "1", "--block", "4,2", "--arg", &argument];
    let report = json(1, &[&["run", &file, "--json"], &given[..]].concat());
    assert_eq!(report["findings"][0]["kind"], "out_of_bounds");
}

#[test]
fn mistakes_are_named() {
    let (file, out) = (data("textures.ptx"), folder("texture-mistakes"));
    let image = write(&out, "image.npy", npy("|u1", "(2, 3)", &[0; 6]));
    let given = |argument: &str| {
        mistake(&["run", &file, "--entry", "invert", "--grid", "1", "--block", "1", "--arg", argument])
    };
    for (argument, text) in [
        (format!("tex2d={image},filter=cubic"), "`filter=cubic` is not an option of a texture"),
        (format!("surf3d={image}"), "3 dimensions are needed"),
        ("surf2d=missing.png".to_owned(), "missing.png"),
    ] {
        let message = given(&argument);
        assert!(message.contains("--arg") && message.contains(text), "{message}");
    }
    let report =
        json(1, &["run", &file, "--entry", "invert", "--grid", "1", "--block", "1", "--json", "--arg", "u64=7"]);
    let message = report["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("0x7 is not the handle of a surface object"), "{message}");
}

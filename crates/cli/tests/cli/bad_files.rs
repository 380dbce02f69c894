//! Files that cannot be used: one sentence that names the file, exit status 2, nothing half-written.

use super::{ends_with, folder, mistake, names, npy, write};

#[track_caller]
fn says(arguments: &[&str], parts: &[&str]) {
    let error = mistake(arguments);
    assert_eq!(error.trim_end().lines().count(), 1, "one sentence: {error}");
    for part in parts {
        assert!(error.contains(part), "`{part}` in: {error}");
    }
}

#[test]
fn pictures() {
    let here = folder("bad-pictures");
    let good = write(&here, "good.pgm", [&b"P5 20 20 255\n"[..], &[9; 400]].concat());
    let png = here.join("good.png").display().to_string();
    let jpeg = here.join("good.jpg").display().to_string();
    ends_with(0, &["smooth", &good, &png]);
    ends_with(0, &["smooth", &good, &jpeg]);
    let out = here.join("out.png").display().to_string();
    for (name, from) in [("cut.png", &png), ("cut.jpg", &jpeg), ("cut.pgm", &good)] {
        let whole = std::fs::read(from).unwrap();
        let cut = write(&here, name, &whole[..whole.len() - 14]);
        says(&["histogram", &cut], &[name, "cut off"]);
        says(&["smooth", &cut, &out], &[name, "cut off"]);
        says(&["heat", "-t", &cut], &[name, "cut off"]);
    }
    let text = write(&here, "text.png", "hello");
    says(&["histogram", &text], &["text.png", "PNG, PGM or JPEG"]);
    says(&["smooth", &text, &out], &["text.png", "PNG, PGM or JPEG"]);
    let empty = write(&here, "empty.png", "");
    says(&["histogram", &empty], &["empty.png: the file is empty"]);
    says(&["smooth", &empty, &out], &["the file is empty"]);
    says(&["histogram", "missing.png"], &["cannot read missing.png"]);
    says(&["smooth", &good, &out, "--filter", "4"], &["--filter: a filter width of 4", "odd number from 1 to 31"]);
    says(&["smooth", &good, &out, "--filter", "99"], &["--filter", "from 1 to 31"]);
    says(&["smooth", &good, &out, "--filter", "21", "--border", "valid"], &["20 x 20", "--filter", "--border"]);
    says(&["smooth", &good, &here.join("out.bmp").display().to_string()], &["out.bmp", ".png, .jpg or .pgm"]);
    says(&["smooth", &good, &here.join("no/out.png").display().to_string()], &["there is no folder"]);
    says(
        &["smooth", &good, &out, "--variant", "gpu-6"],
        &["--variant: convolve2d has no variant gpu-6", "gpu-5-register"],
    );
    let error = mistake(&["smooth", &good, &out, "--border", "mirror"]);
    assert!(error.contains("--border") && error.contains("zero, replicate, reflect, wrap, valid"), "{error}");
    let expected = ["cut.jpg", "cut.pgm", "cut.png", "empty.png", "good.jpg", "good.pgm", "good.png", "text.png"];
    assert_eq!(names(&here), expected, "nothing else was written");
}

#[test]
fn arrays() {
    let here = folder("bad-arrays");
    let good = write(&here, "good.csv", "1,2\n3,4\n");
    let cases: [(&str, Vec<u8>, &[&str]); 10] = [
        ("word.csv", b"1,2\n3,x4\n".to_vec(), &["word.csv", "line 2, column 2", "`x4` is not a number"]),
        ("hole.csv", b"1,,2\n".to_vec(), &["line 1, column 2", "nothing is not a number"]),
        ("ragged.csv", b"1,2\n3\n".to_vec(), &["line 2 has 1 columns"]),
        ("empty.csv", vec![], &["empty.csv: the file is empty"]),
        ("empty.npy", vec![], &["empty.npy: the file is empty"]),
        ("text.npy", b"hello".to_vec(), &["not a .npy file"]),
        ("complex.npy", npy("<c8", "(1,)", &[0; 8]), &["complex.npy", "type <c8", "<f4"]),
        ("big-endian.npy", npy(">f4", "(1,)", &[0; 4]), &["type >f4"]),
        ("cut.npy", npy("<f4", "(3,)", &[0; 11]), &["cut off", "12 bytes", "there are 11"]),
        ("data.txt", b"1".to_vec(), &["data.txt: give a .npy or .csv file"]),
    ];
    for (name, bytes, parts) in &cases {
        let file = write(&here, name, bytes);
        let out = here.join("out.npy").display().to_string();
        says(&["reduce", &file, "--out", &out], parts);
        says(&["scan", &file, "--out", &out], parts);
        says(&["matmul", &good, &file, "--out", &out], parts);
    }
    assert_eq!(names(&here).len(), cases.len() + 1, "nothing else was written");
    says(&["reduce", "missing.npy"], &["cannot read missing.npy"]);
    let line = write(&here, "line.npy", npy("<f4", "(2,)", &[0; 8]));
    says(&["matmul", &line, &good], &["line.npy", "not a matrix", "1 dimensions"]);
    let wide = write(&here, "wide.csv", "1,2,3\n");
    says(
        &["matmul", &wide, &good],
        &["wide.csv", "1 x 3", "2 x 2", "the columns of A must be as many as the rows of B"],
    );
    let none = write(&here, "none.npy", npy("<f4", "(0,)", &[]));
    assert_eq!(ends_with(0, &["reduce", &none]).0, "0\n");
    says(&["reduce", &none, "--op", "max", "--device", "cpu"], &["max of no elements is undefined"]);
    says(
        &["reduce", &good, "--variant", "fast"],
        &["--variant: reduce has no variant fast", "cpu-par", "gpu-9-single-pass"],
    );
    says(
        &["scan", &good, "--device", "cpu", "--variant", "gpu-7-look-back"],
        &["on the cpu: use one of cpu-seq, cpu-par"],
    );
    says(&["scan", &good, "--out", "sums.txt"], &["sums.txt", ".npy or .csv"]);
    let error = mistake(&["reduce", &good, "--op", "mean"]);
    assert!(error.contains("--op") && error.contains("sum, product, min, max, argmin, argmax"), "{error}");
}

//! `tour` and `report`.

use super::{ends_with, folder, mistake, warpwise, write};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// A file of results, which is also test data of the laboratory.
fn small() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/src/pages/report/small.json");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_page_from_results_and_again_from_the_page() {
    let here = folder("report");
    let results = write(&here, "r.json", small());
    let (first, second) = (here.join("a.html").display().to_string(), here.join("b.html").display().to_string());
    let (stdout, _) = ends_with(0, &["report", &results, "--out", &first]);
    assert_eq!(stdout, format!("the page is {first}\n"));
    ends_with(0, &["report", &first, "--out", &second]);
    let pages = [&first, &second].map(|page| std::fs::read_to_string(page).unwrap());
    assert!(pages[0].starts_with("<!doctype html>") && pages[0] == pages[1]);
}

#[test]
fn what_is_not_results_is_refused() {
    let here = folder("report-mistakes");
    let page = here.join("page.html").display().to_string();
    let report = |name: &str, text: &str| mistake(&["report", &write(&here, name, text), "--out", &page]);
    let whole = small();
    assert!(report("cut.json", &whole[..whole.len() / 2]).contains("is not a complete file of a tour"));
    assert!(report("new.json", r#"{"schema":9}"#).contains("has schema 9, and this version reads up to 1"));
    assert!(report("bench.json", r#"{"schema":1,"results":[]}"#).contains("these are other results"));
    assert!(report("page.txt", "<p>hello").contains("the page has no results in it"));
    assert!(mistake(&["report", "no-such-file.json"]).contains("cannot read no-such-file.json"));
    assert!(!Path::new(&page).exists(), "nothing is left behind");
    let nowhere = here.join("no/page.html").display().to_string();
    assert!(mistake(&["tour", "--out", &nowhere]).contains("there is no folder"), "said before the tour begins");
    assert!(mistake(&["tour", "--out", &here.display().to_string()]).contains("this is a folder"));
}

#[test]
fn a_budget_in_which_nothing_fits_is_a_mistake() {
    let page = folder("tour-budget").join("page.html");
    let error = mistake(&["tour", "--quick", "--budget", "0.001s", "--out", &page.display().to_string()]);
    assert!(error.contains("--budget: 0.001 s are too short to run anything"), "{error}");
    assert!(!page.exists(), "nothing is left behind");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_results() {
    let temporary = folder("tour-full");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["tour", "--quick", "--budget", "12s", "--out", "/dev/full"])
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot write /dev/full: No space left"), "{stderr}");
    assert!(
        stderr.contains("the results are in ") && stderr.contains("make the page with: warpwise report"),
        "{stderr}"
    );
    let kept: Vec<_> = std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().path()).collect();
    let results: Value = serde_json::from_slice(&std::fs::read(&kept[0]).unwrap()).unwrap();
    assert!(!results["rows"].as_array().unwrap().is_empty());
}

/// A whole tour takes longer than a test should: it is interrupted, and its results so far are written.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_tour_with_what_it_saw() {
    let here = folder("tour");
    let [page, results] = ["page.html", "r.json"].map(|name| here.join(name).display().to_string());
    let output = super::interrupted(&["tour", "--quick", "--json", &results, "--out", &page], 5000);
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.lines().filter(|line| line.starts_with("warpwise: no CUDA")).count() <= 1, "{stderr}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("The tour was ended early") && page.ends_with("</html>\n"));
    let results: Value = serde_json::from_slice(&std::fs::read(results).unwrap()).unwrap();
    assert_eq!((&results["schema"], &results["interrupted"]), (&Value::from(1), &Value::from(true)));
    for row in results["rows"].as_array().unwrap() {
        assert_eq!(row["ok"], true, "{row}");
    }
}

/// A tour with little time ends early, and says what it skipped. How little is enough to run anything depends on the
/// machine and what else it does.
#[test]
fn a_tour_ends_within_its_budget() {
    let here = folder("tour-budget");
    let [page, results] = ["page.html", "r.json"].map(|name| here.join(name).display().to_string());
    let tour = |seconds: u32| {
        let budget = format!("{seconds}s");
        warpwise(&["tour", "--quick", "--budget", &budget, "--json", &results, "--out", &page])
    };
    let too_short = |out: &Output| String::from_utf8_lossy(&out.stderr).contains("too short to run anything");
    let mut tours = [3, 6, 12, 24].into_iter().map(|seconds| (seconds, tour(seconds)));
    let (seconds, out) = tours.find(|(_, out)| !too_short(out)).expect("24 s are enough");
    let [stdout, stderr] = [&out.stdout, &out.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(out.status.success() && stdout.contains("all agree with the reference"), "{stdout}{stderr}");
    let skipped = format!("skipped, because the tour ends within {seconds} s");
    assert!(stderr.contains(&format!("note: {skipped}: ")), "{stderr}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(&skipped) && page.contains("Published figures"));
    assert!(mistake(&["tour", "--budget", "12"]).contains("write 90s or 5min"));
}

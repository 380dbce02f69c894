//! `tour` and `report`.

use super::{ends_with, folder, mistake, write};
use serde_json::Value;
use std::path::Path;

/// A file of results that is the laboratory's own test data too.
fn small() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/src/report/small.json");
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
    assert!(report("cut.json", &whole[..whole.len() / 2]).contains("is not a whole file of a tour"));
    assert!(report("new.json", r#"{"schema":9}"#).contains("has schema 9, and this version reads up to 1"));
    assert!(report("bench.json", r#"{"schema":1,"results":[]}"#).contains("these are other results"));
    assert!(report("page.txt", "<p>hello").contains("the page has no results in it"));
    assert!(mistake(&["report", "no-such-file.json"]).contains("cannot read no-such-file.json"));
    assert!(!Path::new(&page).exists(), "nothing is left behind");
    let nowhere = here.join("no/page.html").display().to_string();
    assert!(mistake(&["tour", "--out", &nowhere]).contains("there is no folder"), "said before the tour begins");
}

/// A whole tour takes longer than a test should: it is ended, and what it saw is there.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_tour_with_what_it_saw() {
    use std::process::{Command, Stdio};
    let here = folder("tour");
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpwise"))
        .args(["tour", "--quick", "--json", "r.json"])
        .current_dir(&here)
        .env("CUDA_VISIBLE_DEVICES", "")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(5));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let page = std::fs::read_to_string(here.join("warpwise-report.html")).unwrap();
    assert!(page.contains("The tour was ended early") && page.ends_with("</html>\n"));
    let results: Value = serde_json::from_slice(&std::fs::read(here.join("r.json")).unwrap()).unwrap();
    assert_eq!((&results["schema"], &results["interrupted"]), (&Value::from(1), &Value::from(true)));
    for row in results["rows"].as_array().unwrap() {
        assert_eq!(row["ok"], true, "{row}");
    }
}

//! The page of a run.

use crate::launch::{self, folder, json};

#[test]
fn a_run_writes_its_timeline() {
    let _turn = launch::turn();
    let folder = folder("page");
    let page = folder.join("run.html");
    json(3, &format!("heat --size 90x50 -i 50 -e 0 --page {}", page.display()));
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains("warpwise-cluster heat on 3 ranks") && text.contains("rank 2") && text.contains("<rect"));
    std::fs::remove_dir_all(folder).unwrap();
}

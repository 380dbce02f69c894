//! The course: every exercise begins with the mistake it teaches, and ends with a solution.

use super::{ends_with, folder, json, mistake, nvrtc, write};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders of the exercises.
fn exercises() -> Vec<PathBuf> {
    let course = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../course");
    let mut all: Vec<_> = course.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.is_dir());
    all.sort_unstable();
    all
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

fn graded(status: i32, exercise: &Path, file: &Path) -> Value {
    json(status, &["course", "check", &name(exercise), file.to_str().unwrap(), "--json"])
}

#[test]
fn every_exercise_begins_with_its_mistake_and_has_a_solution() {
    if !nvrtc() {
        return;
    }
    for exercise in exercises() {
        let begun = graded(1, &exercise, &exercise.join("exercise.cu"));
        assert!(begun["mistake"].is_string(), "{exercise:?}: {begun}");
        let solved = graded(0, &exercise, &exercise.join("solution.cu"));
        assert_eq!((&solved["passed"], solved.get("says")), (&Value::Bool(true), None), "{exercise:?}");
        let findings = solved["launches"].as_array().unwrap().iter().map(|launch| &launch["findings"]);
        assert!(findings.into_iter().all(|all| all.as_array().unwrap().is_empty()), "{exercise:?}");
    }
}

/// The kernel that a student gets can be watched, with the conflicts that the exercise is about.
#[test]
fn an_answer_at_work() {
    assert!(mistake(&["course", "watch", "15", "x.cu"]).contains("there is no exercise 15"));
    assert!(mistake(&["course", "watch", "7", "nowhere.cu", "--out", "x.html"]).contains("nowhere.cu"));
    if !nvrtc() {
        return;
    }
    let page = folder("course-watch").join("banks.html");
    let exercise = exercises().into_iter().find(|path| name(path) == "07-banks").unwrap().join("exercise.cu");
    let words = ["course", "watch", "banks", exercise.to_str().unwrap(), "--out", page.to_str().unwrap()];
    let (stdout, _) = ends_with(0, &words);
    assert_eq!(stdout, format!("the page is {}: open it in a browser\n", page.display()));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("conflict") && page.ends_with("</html>\n"));
}

/// A wrong answer has the name of its mistake.
#[test]
fn wrong_answers_hear_their_mistake() {
    if !nvrtc() {
        return;
    }
    for exercise in exercises() {
        let wrong: Vec<_> = exercise.join("wrong").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(wrong.len() >= 3, "{exercise:?}");
        for file in wrong {
            let attempt = graded(1, &exercise, &file);
            assert_eq!(attempt["mistake"], name(&file), "{file:?}: {}", attempt["says"]);
        }
    }
}

#[test]
fn the_first_exercise_from_start_to_end() {
    let place = folder("course-first");
    let (out, _) = ends_with(0, &["course"]);
    assert!(out.contains("01-hello") && out.contains("14-matmul") && out.contains("course start 1"), "{out}");
    let (out, err) = ends_with(0, &["course", "start", "1", "--out", place.to_str().unwrap()]);
    assert!(out.trim_end().ends_with("01-hello") && err.contains("TASK.md"), "{out}{err}");
    let (out, _) = ends_with(0, &["course", "show", "hello", "--hints", "1"]);
    assert!(out.contains("Hint 1: ") && out.contains("--hints 2"), "{out}");
    if !nvrtc() {
        return;
    }
    let file = place.join("01-hello/exercise.cu");
    let (out, _) = ends_with(1, &["course", "check", "1", file.to_str().unwrap()]);
    assert!(out.contains("not yet\nThreads of different blocks write to the same place"), "{out}");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("int i = threadIdx.x", "int i = blockIdx.x * blockDim.x + threadIdx.x"))
        .unwrap();
    let (out, _) = ends_with(0, &["course", "check", "1", file.to_str().unwrap()]);
    assert_eq!(out, "Exercise 1, Hello, threads: solved\nNext: warpwise course start 2 (Vector addition)\n");
    // Its folder, and the one with all of them, mean the same.
    for folder in [place.join("01-hello"), place.clone()] {
        ends_with(0, &["course", "check", "1", folder.to_str().unwrap()]);
    }
    let message = mistake(&["course", "check", "2", place.to_str().unwrap()]);
    assert!(message.contains("without an answer to 02-guard: name a file, such as 02-guard/exercise.cu"), "{message}");
}

#[test]
fn a_class_is_a_table() {
    let class = folder("course-class");
    let [hello, tile] =
        ["01-hello", "05-tile"].map(|name| exercises().into_iter().find(|e| e.ends_with(name)).unwrap());
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    for student in ["ada/05-tile", "bob"] {
        std::fs::create_dir_all(class.join(student)).unwrap();
    }
    write(&class.join("ada"), "1.cu", read(hello.join("solution.cu")));
    write(&class.join("ada/05-tile"), "exercise.cu", read(tile.join("wrong/no-barrier.cu")));
    write(&class.join("bob"), "hello.cu", "this is not CUDA");
    write(&class.join("bob"), "notes.cu", "");
    write(&class.join("bob"), "notes.txt", "");
    if !nvrtc() {
        return;
    }
    let class = class.to_str().unwrap();
    let report = json(0, &["course", "grade", class, "--json"]);
    let student = |at: usize| &report["students"][at];
    assert_eq!((&student(0)["name"], &student(0)["passed"]), (&"ada".into(), &1.into()));
    assert_eq!(student(0)["marks"][4]["mistake"], "no-barrier");
    assert_eq!(
        (&student(1)["marks"][0]["outcome"], &student(1)["marks"][1]["outcome"]),
        (&"error".into(), &"missing".into())
    );
    assert!(report["ignored"][0].as_str().unwrap().contains("no exercise is named `notes`"), "{report}");
    let (csv, _) = ends_with(0, &["course", "grade", class, "--format", "csv"]);
    assert!(csv.starts_with("student,passed,01-hello,") && csv.contains("\nada,1,passed,missing,"), "{csv}");
    let (page, _) = ends_with(0, &["course", "grade", class, "--format", "html"]);
    assert!(page.starts_with("<!doctype html>") && page.contains("<td>no-barrier</td>"), "{page}");
    let (text, _) = ends_with(0, &["course", "grade", class]);
    assert!(text.contains("1 of 14"), "{text}");
}

#[test]
fn mistakes_are_told_apart() {
    assert!(mistake(&["course", "check", "15", "x.cu"]).contains("there is no exercise 15: use a number from 1 to 14"));
    assert!(mistake(&["course", "check", "1", "no-such.cu"]).contains("cannot read no-such.cu"));
    assert!(mistake(&["course", "grade", "no-such-folder"]).contains("cannot read no-such-folder"));
    let empty = folder("course-empty");
    assert!(mistake(&["course", "grade", empty.to_str().unwrap()]).contains("needs a folder for each student"));
    if nvrtc() {
        let file = write(&empty, "x.cu", "__global__ void other() {}");
        let (out, _) = ends_with(2, &["course", "check", "1", &file]);
        assert!(out.contains("It does not compile, or the kernel of the exercise is missing"), "{out}");
    }
}

#[test]
fn an_exercise_by_itself_is_shown() {
    for words in [&["7"][..], &["banks", "--hints", "1"]] {
        let (alone, shown) = ([&["course"], words].concat(), [&["course", "show"], words].concat());
        assert_eq!(ends_with(0, &alone), ends_with(0, &shown));
    }
    let said = mistake(&["course", "lst"]);
    assert!(said.contains("there is no exercise lst") && said.contains("list, show, start"), "{said}");
}

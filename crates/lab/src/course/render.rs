//! The course as text and tables.

use super::check::Attempt;
use super::class::{Class, Outcome, Student};
use super::lesson::{Contents, Task, lessons};
use crate::kernels::finding::{Finding, describe};
use crate::output::{Align, Report, Style, Table, View, clean};
use serde_json::{Map, Value};
use std::fmt::Write;

impl Report for Contents {
    const VIEWS: &'static [View<Self>] = &[View::Tables(|contents| vec![table_of_contents(contents)])];

    fn text(&self, _: Style) -> String {
        format!("{}\nBegin with: warpwise course start 1\n", table_of_contents(self).text())
    }
}

fn table_of_contents(contents: &Contents) -> Table {
    let headings = [("exercise", Align::Right), ("name", Align::Left), ("teaches", Align::Left)];
    let row = |entry: &super::lesson::Entry| {
        vec![entry.exercise.to_string(), entry.name.to_owned(), entry.teaches.to_owned()]
    };
    Table::new("course", &headings, contents.exercises.iter().map(row))
}

impl Report for Task {
    fn text(&self, style: Style) -> String {
        let Self { exercise, title, teaches, task, hints, more_hints, .. } = self;
        let mut out = format!("{}\n{teaches}\n\n{task}", style.paint("1", &format!("{exercise}. {title}")));
        for (number, hint) in hints.iter().enumerate() {
            let _ = writeln!(out, "\nHint {}: {hint}", number + 1);
        }
        if *more_hints > 0 {
            let _ = writeln!(out, "\nAnother hint: warpwise course show {exercise} --hints {}", hints.len() + 1);
        }
        out
    }
}

impl Report for Attempt {
    const VIEWS: &'static [View<Self>] = &[];

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        let title = format!("Exercise {}, {}", self.exercise, self.title);
        // What does not compile for one launch does not for the others.
        let shown = if self.error { 1 } else { self.launches.len() };
        for launch in self.launches.iter().take(shown) {
            let mut wrong = launch.findings.iter().filter(|finding| finding.counts()).chain(&launch.broken).peekable();
            if wrong.peek().is_some() {
                let _ = writeln!(out, "{}", style.paint("1", &format!("{}:", clean(&launch.name))));
                wrong.for_each(|finding| describe(&mut out, &in_short(finding), style));
                out.push('\n');
            }
        }
        match &self.says {
            None => {
                let _ = writeln!(out, "{}", style.paint("32", &format!("{title}: solved")));
                if let Some(next) = lessons().get(self.exercise) {
                    let _ = writeln!(out, "Next: warpwise course start {} ({})", next.number, next.title);
                }
            }
            Some(says) => {
                let _ = writeln!(out, "{}\n{says}", style.paint("31;1", &format!("{title}: not yet")));
                let _ = writeln!(out, "A hint: warpwise course show {} --hints 1", self.exercise);
            }
        }
        out
    }
}

/// A finding for someone who begins: the lesson says what to do about it.
fn in_short(finding: &Finding) -> Finding {
    let mut short = finding.clone();
    short.advice.clear();
    if short.file.is_some() {
        (short.ptx_line, short.instruction) = (None, None);
    }
    short
}

impl Report for Class {
    const VIEWS: &'static [View<Self>] =
        &[View::Records(records), View::Tables(|class| vec![table(class), mistakes(class)])];

    fn text(&self, style: Style) -> String {
        let mut out = table(self).text();
        let mistakes = mistakes(self);
        if !mistakes.rows.is_empty() {
            let _ = write!(out, "\n{}\n{}", style.paint("1", "Mistakes:"), mistakes.text());
        }
        for ignored in &self.ignored {
            let _ = writeln!(out, "not graded: {}", clean(ignored));
        }
        out
    }
}

/// A row for each student, with a column for each exercise.
fn records(class: &Class) -> Table {
    let row = |student: &Student| {
        let mut row = Map::new();
        row.insert("student".to_owned(), Value::from(student.name.clone()));
        row.insert("passed".to_owned(), Value::from(student.passed));
        for (mark, lesson) in student.marks.iter().zip(lessons()) {
            row.insert(lesson.folder.to_owned(), Value::from(mark.outcome.name()));
        }
        row
    };
    Table::records("class", class.students.iter().map(row))
}

fn table(class: &Class) -> Table {
    let numbers: Vec<String> = lessons().iter().map(|lesson| lesson.number.to_string()).collect();
    let mut headings = vec![("student", Align::Left), ("solved", Align::Right)];
    headings.extend(numbers.iter().map(|number| (number.as_str(), Align::Right)));
    let sign = |outcome| match outcome {
        Outcome::Passed => "yes",
        Outcome::Failed => "no",
        Outcome::Error => "error",
        Outcome::Missing => "",
    };
    let row = |student: &Student| {
        let facts = [clean(&student.name), format!("{} of {}", student.passed, student.marks.len())];
        facts.into_iter().chain(student.marks.iter().map(|mark| sign(mark.outcome).to_owned())).collect()
    };
    Table::new("class", &headings, class.students.iter().map(row))
}

/// Who made which mistake.
fn mistakes(class: &Class) -> Table {
    let headings = [("student", Align::Left), ("exercise", Align::Left), ("mistake", Align::Left)];
    let of = |student: &Student| -> Vec<Vec<String>> {
        let made = student.marks.iter().zip(lessons()).filter_map(|(mark, lesson)| {
            Some(vec![clean(&student.name), lesson.folder.to_owned(), mark.mistake.clone()?])
        });
        made.collect()
    };
    Table::new("mistakes", &headings, class.students.iter().flat_map(of))
}

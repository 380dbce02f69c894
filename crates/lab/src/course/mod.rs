//! A course in a box: exercises for people who write their first kernels, on a machine without a GPU.
//!
//! An exercise is a folder of `course/`: a file to mend, a launch file that says what a right answer computes, which
//! findings and counters it may have, hints in steps, and the mistakes that people make with what to tell them. All of
//! it is part of the program ([`lessons`]). [`check()`] grades one answer, [`grade`] those of a class, and [`watch()`] shows one at work.

mod answers;
mod check;
mod class;
mod error;
mod files;
mod lesson;
mod mistake;
mod render;
mod start;
mod watch;

pub use check::{Attempt, check};
pub use class::{Class, Mark, Outcome, Student, grade};
pub use error::CourseError;
pub use lesson::{Contents, Lesson, Task, contents, find, lessons};
pub use start::start;
pub use watch::watch;

//! `warpwise course`.

use crate::format::Format;
use crate::verbs::watch::parse_index;
use crate::{format, output, progress};
use anyhow::bail;
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpwise_lab::course::{self, Attempt, Class, Contents, Task};
use warpwise_lab::files;
use warpwise_lab::kernels::watch::WatchReport;

const EXAMPLES: &str = "Exit status of check: 0 solved, 1 not yet, 2 it cannot run.

Examples:
  warpwise course
  warpwise course 7
  warpwise course start 7
  warpwise course show 7 --hints 1
  warpwise course check 7 07-banks/exercise.cu
  warpwise course watch 7 07-banks/exercise.cu --out banks.html
  warpwise course grade class/ --format csv > grades.csv
  warpwise course grade class/ --format html > grades.html";

/// Learn to write kernels: exercises, hints and grades, with no GPU
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Option<Step>,
    #[command(flatten)]
    format: Format<Contents>,
}

#[derive(clap::Subcommand)]
enum Step {
    /// List the exercises
    List {
        #[command(flatten)]
        format: Format<Contents>,
    },
    /// Show what an exercise asks for
    Show {
        /// Its number or name
        exercise: String,
        /// Show that many hints too
        #[arg(long, value_name = "N", default_value_t = 0)]
        hints: usize,
        #[command(flatten)]
        format: Format<Task>,
    },
    /// Write an exercise into a folder of its own: the file to mend, the task, and how it is checked
    Start {
        /// Numbers or names, or all
        #[arg(required = true)]
        exercises: Vec<String>,
        /// Where to write the folder
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
    /// Grade an answer, and say what is wrong with it
    Check {
        /// The number or name of the exercise
        exercise: String,
        /// The answer, or the folder that it is in
        #[arg(value_name = "FILE.cu")]
        file: PathBuf,
        #[command(flatten)]
        format: Format<Attempt>,
    },
    /// Watch an answer at work: a page that steps through the first launch of the exercise
    Watch {
        /// The number or name of the exercise
        exercise: String,
        /// The answer, or the folder that it is in
        #[arg(value_name = "FILE.cu")]
        file: PathBuf,
        /// The page [default: the name of the exercise, with .html]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// A block to record, by its blockIdx; may be given several times [default: where something is found, or 0,0,0]
        #[arg(long, value_name = "X[,Y[,Z]]", value_parser = parse_index)]
        block_of: Vec<[u32; 3]>,
    },
    /// Grade a class: a folder for each student, with answers such as 07-banks.cu or 07-banks/exercise.cu
    Grade {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        format: Format<Class>,
    },
    /// An exercise by itself: shows it
    #[command(external_subcommand)]
    Exercise(Vec<String>),
}

/// A step of the course, given as words.
#[derive(clap::Parser)]
struct Words {
    #[command(subcommand)]
    step: Step,
}

/// Lists, shows, writes or grades exercises.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    take(arguments.step.unwrap_or(Step::List { format: arguments.format }))
}

fn take(step: Step) -> anyhow::Result<ExitCode> {
    match step {
        Step::List { format } => format.print(&course::contents())?,
        Step::Show { exercise, hints, format } => format.print(&course::find(&exercise)?.task(hints))?,
        Step::Start { exercises, out } => start(&exercises, &out)?,
        Step::Check { exercise, file, format } => return check(&exercise, &file, &format),
        Step::Watch { exercise, file, out, block_of } => watch(&exercise, &file, out, block_of)?,
        Step::Grade { folder, format } => {
            let class = progress::bar(|step| course::grade(&folder, step))?;
            format.print(&class)?;
        }
        Step::Exercise(words) => {
            if let Err(error) = course::find(&words[0]) {
                bail!("{error}; or a step of the course: list, show, start, check, watch, grade");
            }
            let words = ["warpwise course", "show"].map(str::to_owned).into_iter().chain(words);
            return take(Words::parse_from(words).step);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn start(exercises: &[String], out: &Path) -> anyhow::Result<()> {
    let all = exercises.iter().any(|name| name == "all");
    let chosen = match all {
        true => course::lessons().iter().collect(),
        false => exercises.iter().map(|name| course::find(name)).collect::<Result<Vec<_>, _>>()?,
    };
    for lesson in &chosen {
        let folder = course::start(lesson, out)?;
        output::result(&format!("{}\n", folder.display()))?;
    }
    if let [lesson] = chosen[..] {
        let (number, folder) = (lesson.number, out.join(lesson.folder));
        output::note(&format!(
            "read {0}/TASK.md, then: warpwise course check {number} {0}/exercise.cu",
            folder.display()
        ));
    }
    Ok(())
}

fn watch(exercise: &str, file: &Path, out: Option<PathBuf>, blocks: Vec<[u32; 3]>) -> anyhow::Result<()> {
    let lesson = course::find(exercise)?;
    let out = &out.unwrap_or_else(|| PathBuf::from(format!("{}.html", lesson.folder)));
    files::check_writable(out)?;
    let record = progress::spin("watching on the emulator", || course::watch(lesson, file, blocks))?;
    format::save(out, "html", &WatchReport::new(record, None))?;
    output::result(&format!("the page is {}: open it in a browser\n", out.display()))
}

fn check(exercise: &str, file: &Path, format: &Format<Attempt>) -> anyhow::Result<ExitCode> {
    let lesson = course::find(exercise)?;
    let attempt = progress::spin("running it on the emulator", || course::check(lesson, file))?;
    attempt.notes.iter().for_each(|note| output::note(note));
    format.print(&attempt)?;
    Ok(match (attempt.passed, attempt.error) {
        (true, _) => ExitCode::SUCCESS,
        (_, true) => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}

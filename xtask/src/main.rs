//! Chores of the repository: `cargo xtask <chore>`.

mod check;
mod cluster;
mod dependencies;
mod kernels;
mod programs;
mod ptx;
mod seal;
mod suites;
mod watch;

use anyhow::{Result, bail};

const USAGE: &str = "\
Usage: cargo xtask <chore>

  check              run all checks: format, clippy, docs, tests
  cluster            build warpwise-cluster for the MPI that is installed, and test it under mpirun
  cluster --mpi NAME the same for openmpi or mpich, if both are installed
  cluster --kills    kill ranks of a hundred runs at random moments, and restart them
  dependencies       check licences and advisories of dependencies
  kernels            compile every .cu of the library to the .ptx beside it
  kernels NAME       compile only those of a primitive
  kernels --check    fail if a .ptx is not up to date with its .cu; with --all, compile those whose seal holds, too
  kernels --list     print the kernels that the checked-in PTX holds
  programs           run the whole programs of tests/programs, compiled by nvcc from Python packages
  programs --install install the packages for them into target
  watch              make the pages of docs/watch and of the course
  watch --check      fail if one is not what the program makes";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["check"] => check::run(),
        ["cluster"] => cluster::check(None, false),
        ["cluster", "--mpi", name] => cluster::check(Some(name), false),
        ["cluster", "--kills"] => cluster::check(None, true),
        ["dependencies"] => dependencies::check(),
        ["kernels"] => kernels::build(None),
        ["kernels", "--check"] => kernels::check(false),
        ["kernels", "--check", "--all"] => kernels::check(true),
        ["kernels", "--list"] => kernels::list(),
        ["kernels", primitive] if !primitive.starts_with('-') => kernels::build(Some(primitive)),
        ["programs"] => programs::check(),
        ["programs", "--install"] => programs::install(),
        ["watch"] => watch::build(),
        ["watch", "--check"] => watch::check(),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("no such chore: {}\n\n{USAGE}", arguments.join(" ")),
    }
}

//! One file per verb: its `Arguments`, whose documentation is the help, and `run`, which carries it out.
//!
//! A new verb is a file here and its name in the list below. (The list declares the modules, so `cargo fmt` does not
//! find their files by itself; `cargo xtask check` passes their names to it.)

use std::process::ExitCode;

macro_rules! verbs {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// What to do, in the order shown by the help.
        #[derive(clap::Subcommand)]
        #[allow(non_camel_case_types, reason = "a verb is called what its module is called")]
        pub(crate) enum Verb {
            $($name(Box<$name::Arguments>),)*
        }

        impl Verb {
            /// Runs the verb.
            pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
                match self {
                    $(Self::$name(arguments) => $name::run(*arguments),)*
                }
            }
        }
    };
}

verbs! {
    tour,
    report,
    exec,
    run,
    check,
    explain,
    watch,
    inspect,
    list,
    selftest,
    bench,
    compare,
    sweep,
    devices,
    doctor,
    histogram,
    smooth,
    convolve,
    transpose,
    compact,
    sort,
    map,
    reduce,
    scan,
    matmul,
    heat,
    radiator,
    hello,
    course,
}

//! One file a verb: its `Arguments`, with the help as their documentation, and `run`, which does it.
//!
//! A new verb is a file here and its name in the list below. (As the list declares the modules, `cargo fmt` does not
//! find their files by itself; `cargo xtask check` names them to it.)

use std::process::ExitCode;

macro_rules! verbs {
    ($($name:ident,)*) => {
        $(mod $name;)*

        /// What to do, in the order in which help shows it.
        #[derive(clap::Subcommand)]
        #[allow(non_camel_case_types, reason = "a verb is called what its module is called")]
        pub(crate) enum Verb {
            $($name(Box<$name::Arguments>),)*
        }

        impl Verb {
            /// Does it.
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
    run,
    check,
    explain,
    list,
    selftest,
    bench,
    compare,
    sweep,
    devices,
    doctor,
    histogram,
    smooth,
    reduce,
    scan,
    matmul,
    heat,
    radiator,
    hello,
}

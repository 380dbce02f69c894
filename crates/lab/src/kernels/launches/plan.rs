//! What a launch file says: the launches, with what is expected of them.

use super::budget::Budget;
use super::buffer::{Expected, beside};
use super::document::{Document, Entry, Keys};
use super::error::LaunchFileError;
use super::nearest::nearest;
use crate::Place;
use crate::files::{self, FileError};
use crate::kernels::checks::parse_checks;
use crate::kernels::finding::kinds;
use crate::kernels::run::{Argument, Request};
use std::path::{Path, PathBuf};
use std::time::Duration;
use warpwise_gpu::Gpu;
use warpwise_simt::Checks;

/// What launches do that do not say otherwise.
#[derive(Clone, Debug)]
pub struct Defaults {
    /// The GPU whose limits apply.
    pub gpu: String,
    /// Warp instructions after which a launch ends.
    pub max_instructions: u64,
    /// Time after which a launch ends.
    pub time_limit: Duration,
    /// Mistakes to look for.
    pub checks: Checks,
    /// Whether CUDA C++ is compiled without optimisation.
    pub debug: bool,
    /// Macros for the compiler, before those of a launch.
    pub defines: Vec<String>,
    /// Folders with headers for the compiler, after those of a launch.
    pub includes: Vec<PathBuf>,
}

/// A launch, with what is expected of it.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) name: String,
    /// Its launch file, as given.
    pub(super) launch_file: PathBuf,
    /// Its line there.
    pub(super) line: u32,
    pub(super) request: Request,
    pub(super) buffers: Vec<Expected>,
    pub(super) findings: Vec<ExpectedFinding>,
    pub(super) counters: Vec<Budget>,
    /// In percent.
    pub(super) occupancy: Option<Budget>,
}

/// A finding that should be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExpectedFinding {
    /// Its line in the launch file.
    pub(super) line: u32,
    pub(super) kind: &'static str,
    /// The line of the kernel's source; any, if it does not say.
    pub(super) at: Option<u32>,
}

const KEYS: [&str; 21] = [
    "name",
    "file",
    "kernel",
    "grid",
    "block",
    "shared",
    "cooperative",
    "cluster",
    "args",
    "symbols",
    "debug",
    "defines",
    "includes",
    "gpu",
    "max_instructions",
    "time_limit",
    "check",
    "expect",
    "findings",
    "counters",
    "occupancy",
];

/// The text of a launch file.
pub(super) fn read(path: &Path) -> Result<String, LaunchFileError> {
    let bad = |_| FileError::Content { path: path.to_owned(), problem: "it is not a text file".to_owned() };
    Ok(String::from_utf8(files::read(path)?).map_err(bad)?)
}

/// The launches of a file.
pub(super) fn parse(document: Document<'_>, defaults: &Defaults) -> Result<Vec<Planned>, LaunchFileError> {
    let whole = document.parse()?;
    let keys = document.keys(whole.get_ref(), 0..0, "a launch file", &["launch"])?;
    let entry = keys.needed("launch")?;
    let items = document.array(entry, "launch", "a list: write [[launch]]")?;
    if items.is_empty() {
        return Err(document.error(entry.span(), "`launch` is an empty list"));
    }
    let mut all: Vec<Planned> = Vec::new();
    for item in items.iter() {
        let keys = document.table(item, "a launch", "a table: write [[launch]]", &KEYS)?;
        let launch = Planned::read(&keys, defaults)?;
        if let Some(other) = all.iter().find(|other| other.name == launch.name) {
            let problem = format!("the launch at line {} is named `{}` too", other.line, launch.name);
            return Err(document.error(keys.needed("name")?.span(), problem));
        }
        all.push(launch);
    }
    Ok(all)
}

impl Planned {
    fn read(keys: &Keys<'_>, defaults: &Defaults) -> Result<Self, LaunchFileError> {
        let document = keys.document;
        let name = document.text_of(keys.needed("name")?, "name")?.trim();
        if name.is_empty() {
            return Err(document.error(keys.needed("name")?.span(), "`name` is empty"));
        }
        let (arguments, texts) = arguments(keys)?;
        let checks = match keys.get("check") {
            None => defaults.checks,
            Some(entry) => parse_checks(document.text_of(entry, "check")?)
                .map_err(|problem| document.error(entry.span(), format!("`check`: {problem}")))?,
        };
        let gpu = match keys.get("gpu") {
            None => defaults.gpu.clone(),
            Some(entry) => {
                let name = document.text_of(entry, "gpu")?;
                let unknown = || {
                    let known = Gpu::names().join(", ");
                    document.error(entry.span(), format!("`{name}` is not a known GPU: use one of {known}"))
                };
                Gpu::named(name).ok_or_else(unknown)?;
                name.to_owned()
            }
        };
        let own = |key: &str| Ok::<_, LaunchFileError>(keys.texts(key)?.into_iter().map(|(text, _)| text));
        let request = Request {
            values: Vec::new(),
            file: beside(document.path, document.text_of(keys.needed("file")?, "file")?),
            entry: keys.text("kernel")?.map(str::to_owned),
            grid: keys.shape("grid")?,
            block: keys.shape("block")?,
            shared_bytes: keys.get("shared").map_or(Ok(0), |entry| document.small_of(entry, "shared"))?,
            cooperative: keys.flag("cooperative")?,
            cluster: keys.get("cluster").map(|_| keys.shape("cluster")).transpose()?,
            arguments: texts,
            symbols: keys.texts("symbols")?.into_iter().map(|(text, _)| with_path(document.path, text)).collect(),
            device: Place::Emulator,
            gpu,
            max_instructions: keys
                .get("max_instructions")
                .map_or(Ok(defaults.max_instructions), |entry| document.count_of(entry, "max_instructions"))?,
            time_limit: Some(match keys.get("time_limit") {
                None => defaults.time_limit,
                Some(entry) => Duration::from_secs(document.count_of(entry, "time_limit")?),
            }),
            checks,
            dump: None,
            debug: defaults.debug || keys.flag("debug")?,
            defines: defaults.defines.iter().cloned().chain(own("defines")?.map(str::to_owned)).collect(),
            includes: own("includes")?
                .map(|folder| beside(document.path, folder))
                .chain(defaults.includes.iter().cloned())
                .collect(),
            record: None,
        };
        Ok(Self {
            name: name.to_owned(),
            launch_file: document.path.to_owned(),
            line: document.line(keys.needed("name")?.span()),
            request,
            buffers: Expected::read_all(keys, &arguments)?,
            findings: expected_findings(keys)?,
            counters: Budget::read_all(keys)?,
            occupancy: Budget::of_occupancy(keys)?,
        })
    }
}

/// An argument whose file, if it has one, is relative to the launch file.
fn with_path(launch_file: &Path, text: &str) -> String {
    match text.split_once("]:file:") {
        Some((start, path)) => format!("{start}]:file:{}", beside(launch_file, path).display()),
        None => text.to_owned(),
    }
}

/// The arguments, and their texts with the paths of files made relative to the launch file.
fn arguments(keys: &Keys<'_>) -> Result<(Vec<Argument>, Vec<String>), LaunchFileError> {
    let mut all = (Vec::new(), Vec::new());
    for (index, (text, span)) in keys.texts("args")?.into_iter().enumerate() {
        let text = with_path(keys.document.path, text);
        let wrong = |error: crate::kernels::run::ArgumentError| {
            keys.document.error(span.clone(), format!("argument {index} (`{text}`): {}", error.problem))
        };
        all.0.push(Argument::parse(index, &text).map_err(wrong)?);
        all.1.push(text);
    }
    Ok(all)
}

fn expected_findings(keys: &Keys<'_>) -> Result<Vec<ExpectedFinding>, LaunchFileError> {
    let Some(entry) = keys.get("findings") else { return Ok(Vec::new()) };
    let what = "a list of tables such as { kind = \"race\", line = 7 }";
    let items = keys.document.array(entry, "findings", what)?;
    items.iter().map(|item| expected_finding(keys.document, item)).collect()
}

fn expected_finding<'a>(document: Document<'a>, entry: Entry<'a>) -> Result<ExpectedFinding, LaunchFileError> {
    let keys = document.table(entry, "findings", "a table such as { kind = \"race\", line = 7 }", &["kind", "line"])?;
    let place = keys.needed("kind")?;
    let name = document.text_of(place, "kind")?;
    let known = kinds();
    let Some(kind) = known.iter().copied().find(|kind| *kind == name) else {
        let near = nearest(name, &known).unwrap_or_default();
        return Err(document.error(place.span(), format!("`{name}` is not a kind of finding; the nearest is `{near}`")));
    };
    let at = keys.get("line").map(|line| document.small_of(line, "line")).transpose()?;
    Ok(ExpectedFinding { line: document.line(place.span()), kind, at })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::run::DEFAULT_MAX_INSTRUCTIONS;

    fn plan(text: &str) -> Result<Vec<Planned>, String> {
        let defaults = Defaults {
            gpu: "h200".to_owned(),
            max_instructions: DEFAULT_MAX_INSTRUCTIONS,
            time_limit: Duration::from_secs(60),
            checks: Checks::ALL,
            debug: false,
            defines: vec!["FAST".to_owned()],
            includes: vec!["common".into()],
        };
        let document = Document { path: Path::new("ci/launches.toml"), text };
        parse(document, &defaults).map_err(|error| error.to_string())
    }

    const LAUNCH: &str = "[[launch]]\nname = 'sum'\nfile = 'sum.cu'\ngrid = 4\nblock = [32, 8]\n";

    #[test]
    fn paths_are_relative_and_defaults_apply() {
        let text = format!(
            "{LAUNCH}kernel = 'sum<int>'\nshared = '2^10'\nargs = ['i32[8]:ones', 'u32=8']\nincludes = ['inc']\n\
             defines = ['N=8']\ncheck = 'races'\ngpu = 'a100'\nmax_instructions = 1_000\n\
             expect = [{{ arg = 0, values = [8] }}]\nfindings = [{{ kind = 'race', line = 7 }}, {{ kind = 'trap' }}]\n\
             counters = {{ barriers = 0, branches = '<= 10' }}\n"
        );
        let all = plan(&text).unwrap();
        let [launch] = all.as_slice() else { panic!("{all:?}") };
        let request = &launch.request;
        assert_eq!((launch.name.as_str(), launch.line), ("sum", 2));
        assert_eq!((request.file.as_path(), request.entry.as_deref()), (Path::new("ci/sum.cu"), Some("sum<int>")));
        assert_eq!((request.grid, request.block, request.shared_bytes), ([4, 1, 1], [32, 8, 1], 1024));
        assert_eq!(request.includes, [Path::new("ci/inc"), Path::new("common")]);
        assert_eq!(request.defines, ["FAST", "N=8"]);
        assert_eq!((request.gpu.as_str(), request.max_instructions), ("a100", 1000));
        assert_eq!(request.checks.names(), ["races"]);
        let found: Vec<_> = launch.findings.iter().map(|f| (f.kind, f.at, f.line)).collect();
        assert_eq!(found, [("race", Some(7), 15), ("trap", None, 15)]);
        assert_eq!((launch.buffers.len(), launch.counters.len()), (1, 2));
        let plain = plan(LAUNCH).unwrap();
        assert_eq!((plain[0].request.gpu.as_str(), plain[0].request.checks), ("h200", Checks::ALL));
    }

    #[test]
    fn no_text_breaks_the_reader() {
        let pieces = [
            "[[launch]]\n",
            "name",
            "file",
            "grid",
            "block",
            "args",
            "expect",
            "counters",
            "findings",
            "kind",
            "line",
            "arg",
            "values",
            "from",
            " = ",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "'x'",
            "'f32[2]:ones'",
            "'race'",
            "\n",
            "7",
            "-1",
            "1e9",
            "nan",
            "é",
            "#",
            "\"",
            "9223372036854775808",
            "0x",
            "barriers",
            "'<= 1'",
            ".",
            "1979-05-27",
        ];
        let mut state = 1u64;
        for _ in 0..20_000 {
            let mut text = LAUNCH.to_owned();
            for _ in 0..12 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            if let Err(error) = plan(&text) {
                assert!(error.starts_with("ci/launches.toml:"), "{error}");
            }
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let with = |line: &str| format!("{LAUNCH}{line}\n");
        for (text, problem) in [
            (String::new(), "ci/launches.toml:1: a launch file needs `launch`"),
            ("launch = 3".to_owned(), ":1: `launch` is a list: write [[launch]], not an integer"),
            ("launch = []".to_owned(), ":1: `launch` is an empty list"),
            ("[[lunch]]".to_owned(), ":1: `lunch` is not a key of a launch file; the nearest is `launch`"),
            ("a = [1".to_owned(), "ci/launches.toml:1: "),
            ("[[launch]]\nname = 'x'".to_owned(), ":1: a launch needs `file`"),
            (with("grdi = 4"), ":6: `grdi` is not a key of a launch; the nearest is `grid`"),
            (with("shared = -1"), ":6: `shared`: `-1` is not a number"),
            (with("shared = 0.5"), ":6: `shared`: `0.5` is not a whole number"),
            (with("args = 'u32=1'"), ":6: `args` is a list of strings, not a string"),
            (with("args = [1]"), ":6: `args` is a string, not an integer"),
            (with("args = [\n'u32=1',\n'float=1']"), ":8: argument 1 (`float=1`): `float` is not a type"),
            (with("kernel = 1"), ":6: `kernel` is a string, not an integer"),
            (with("check = 'typos'"), ":6: `check`: `typos` is no check"),
            (with("gpu = 'voodoo2'"), ":6: `voodoo2` is not a known GPU"),
            (with("counters = { barrier = 0 }"), ":6: `barrier` is not a key of counters; the nearest is `barriers`"),
            (with("counters = { barriers = 'few' }"), ":6: `barriers` is a number, or a limit such as \"<= 10\""),
            (with("occupancy = 'high'"), ":6: `occupancy` is a number, or a limit such as \"<= 10\""),
            (with("counters = 3"), ":6: `counters` is a table such as"),
            (with("findings = ['race']"), ":6: `findings` is a table such as"),
            (with("findings = [{ kind = 'rase' }]"), ":6: `rase` is not a kind of finding; the nearest is `race`"),
            (with("findings = [{ line = 3 }]"), ":6: findings needs `kind`"),
            (with("expect = [{ arg = 0, values = [1] }]"), ":6: there is no argument 0"),
            (with("args = ['u32=1']\nexpect = [{ arg = 0, values = [1] }]"), ":7: argument 0 is not a buffer"),
            (with("args = ['u8[1]:ones']\nexpect = [{ arg = 0 }]"), ":7: `expect` needs either `values` or `file`"),
            (with("args = ['u8[1]:ones']\nexpect = [{ arg = 0, values = [256] }]"), ":7: `256` does not fit u8"),
            (with("args = ['u8[1]:ones']\nexpect = [{ arg = 0, file = 'no.bin' }]"), ":7: cannot read ci/no.bin"),
            (with("args = ['u8[1]:ones']\nexpect = [{ arg = 0, value = 1 }]"), "the nearest is `values`"),
            (
                with("args = ['u8[1]:ones']\nexpect = [{ arg = 0, values = [1], tolerance = -1 }]"),
                ":7: `tolerance` is a number from 0 on",
            ),
            (with(LAUNCH), ":7: the launch at line 2 is named `sum` too"),
            (LAUNCH.replace("[32, 8]", "[1, 2, 3, 4]"), ":5: `block` has one to three numbers"),
            (LAUNCH.replace("[32, 8]", "'8,x'"), ":5: `block` has one to three numbers"),
            (LAUNCH.replace("'sum'", "''"), ":2: `name` is empty"),
        ] {
            let error = plan(&text).expect_err(&text);
            assert!(error.contains(problem), "`{problem}` in: {error}\n{text}");
            assert!(error.starts_with("ci/launches.toml:") && error.lines().count() == 1, "{error}");
        }
    }
}

//! Lists the primitives, and packs their kernels: every PTX file is cut into functions, and these are compressed in groups,
//! so that the library carries every text once and a launch unpacks only the group of the kernel it needs.

#[path = "src/kernels/packing.rs"]
mod packing;
#[path = "src/kernels/spelling.rs"]
mod spelling;
#[path = "src/kernels/split.rs"]
mod split;

use lzma_rust2::{EncodeMode, LzmaOptions, LzmaWriter, MfType};
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, iter, thread};

/// How source paths begin in the PTX's line information.
const FOLDER: &str = "crates/warpwise/src";
/// Bytes of text in a group, about: they are unpacked in milliseconds. Kernels for other types and operators are mostly the
/// same text, so that large groups are compressed better.
const GROUP: usize = 1 << 20;

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=build.rs");
    // A new primitive is a line of lib.rs, and a new module of kernels one of a description.
    println!("cargo::rerun-if-changed=src/lib.rs");
    let library = fs::read_to_string("src/lib.rs")?;
    fs::write(out.join("primitives.rs"), primitives(&library))?;
    for name in described(&library) {
        let description = fs::read_to_string(Path::new("src").join(name).join("description.rs"))?;
        fs::write(out.join(format!("{name}_rungs.rs")), rungs(name, &description))?;
    }
    let mut files = Vec::new();
    modules(Path::new("src"), &mut files)?;
    let text = if env::var_os("CARGO_FEATURE_GPU").is_some() { packed(&files, &out)? } else { absent(&files) };
    fs::write(out.join("kernels.rs"), text)
}

/// The modules of the library that have a description, in the order in which it declares them.
fn described(library: &str) -> impl Iterator<Item = &str> {
    let names = library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.filter(|name| Path::new("src").join(name).join("description.rs").exists())
}

/// The enum of the rungs of a primitive, made from the lines of its ladder: `gpu-8-shuffle` is `Shuffle`.
fn rungs(primitive: &str, description: &str) -> String {
    let mut lines = String::new();
    let starts = description.match_indices("Variant::").map(|(at, _)| &description[at..]);
    for line in starts.filter(|line| ["Variant::cpu(", "Variant::gpu("].iter().any(|start| line.starts_with(start))) {
        let mut quoted = line.split('"').skip(1).step_by(2);
        let (name, idea) = (quoted.next().unwrap_or_default(), quoted.next().unwrap_or_default());
        let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let words = name.strip_prefix("gpu-").unwrap_or(name).split('-').skip_while(|word| number(word));
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        let _ = writeln!(lines, "    {} = {name:?} {idea:?},", words.map(capital).collect::<String>());
    }
    format!("crate::primitive::rungs! {{ {primitive:?}:\n{lines}}}\n")
}

/// The list of primitives: every module that has a description.
fn primitives(library: &str) -> String {
    let mut list = String::new();
    for name in described(library) {
        let _ = writeln!(list, "    &crate::{name}::PRIMITIVE,");
    }
    format!(
        "/// Every primitive, in the order of the documentation.\n///\n/// ```\n\
         /// let names: Vec<_> = warpwise::PRIMITIVES.iter().map(|primitive| primitive.name).collect();\n\
         /// assert_eq!(names[..3], [\"vecadd\", \"reduce\", \"scan\"]);\n/// ```\n\
         pub static PRIMITIVES: &[&Primitive] = &[\n{list}];\n"
    )
}

/// A module: a PTX file in the folder of a primitive.
struct Module {
    /// Its path from the folder of sources, without the ending.
    file: PathBuf,
    primitive: String,
    /// The primitive's name, followed by the file's name if that is not `kernels`.
    name: String,
}

impl Module {
    fn constant(&self) -> String {
        self.name.replace('-', "_").to_uppercase()
    }
}

/// Every module in a folder. Those of a primitive are in the order in which tools show them, the one of its name first.
fn modules(folder: &Path, found: &mut Vec<Module>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(|path| (path.file_stem().is_none_or(|stem| stem != "kernels"), path.clone()));
    for path in entries {
        if path.is_dir() {
            modules(&path, found)?;
        } else if path.file_name().is_some_and(|name| name == "description.rs") {
            println!("cargo::rerun-if-changed={}", path.display());
        } else if path.extension().is_some_and(|ending| ending == "ptx") {
            let file = path.strip_prefix("src").expect("it was found there").with_extension("");
            let text = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).unwrap_or("").to_owned();
            let (primitive, stem) = (text(file.iter().next()), text(file.file_name()));
            let name = if stem == "kernels" { primitive.clone() } else { format!("{primitive}-{stem}") };
            found.push(Module { file, primitive, name });
        }
    }
    Ok(())
}

/// The names of modules, for a build that does not need their texts.
fn absent(files: &[Module]) -> String {
    let module = |module: &Module| format!("pub(crate) static {}: KernelModule = KernelModule;\n", module.constant());
    files.iter().map(module).collect()
}

/// All modules and their sources; the texts themselves go to a file.
fn packed(files: &[Module], out: &Path) -> io::Result<String> {
    let mut pack = Pack::default();
    let mut sources: Vec<PathBuf> = Vec::new();
    let (mut statics, mut list) = (String::new(), String::new());
    for module @ Module { file, primitive, name } in files {
        let constant = module.constant();
        let mut own = Vec::new();
        collect(file.with_extension("cu"), &mut own)?;
        for path in &own {
            if !sources.contains(path) {
                sources.push(path.clone());
            }
        }
        let numbers = own.iter().filter_map(|path| sources.iter().position(|source| source == path));
        let numbers: String = numbers.map(|number| format!("&SOURCES[{number}], ")).collect();
        let ptx = read(&file.with_extension("ptx"))?;
        pack.begin(ptx.len());
        let pieces = pieces(&ptx, &mut pack);
        let _ = writeln!(statics, "/// The kernels of `{}.cu`.", file.display());
        let _ = writeln!(statics, "pub(crate) static {constant}: KernelModule = KernelModule {{");
        let _ = writeln!(statics, "    name: {name:?}, primitive: {primitive:?}, sources: &[{numbers}],");
        let _ = writeln!(statics, "    text: Text::Pieces(&[\n{pieces}    ]),\n}};");
        let _ = write!(list, "&{constant}, ");
    }
    let _ = writeln!(statics, "static MODULES: [&KernelModule; {}] = [{list}];", files.len());
    let _ = writeln!(statics, "static SOURCES: [Source; {}] = [", sources.len());
    pack.begin(GROUP);
    for path in &sources {
        let text = pack.add(&read(path)?);
        let _ = writeln!(statics, "    Source {{ path: \"{FOLDER}/{}\", text: {text} }},", path.display());
    }
    let _ = writeln!(statics, "];");
    let Packed { words, groups, bytes } = pack.finish();
    let _ = writeln!(statics, "static WORDS: [&str; {}] = {words:?};", words.len());
    let _ = writeln!(statics, "static GROUPS: [Group; {}] = [\n{}];", groups.len(), groups.concat());
    fs::write(out.join("kernels.packed"), bytes)?;
    Ok(statics)
}

/// A text beside this file; it is packed again when it changes.
fn read(path: &Path) -> io::Result<String> {
    let path = Path::new("src").join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(&path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// A source and what it includes, in the order of first use.
fn collect(path: PathBuf, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if found.contains(&path) {
        return Ok(());
    }
    let text = read(&path)?;
    let folder = path.parent().map(Path::to_owned).unwrap_or_default();
    found.push(path);
    for line in text.lines() {
        let included = line.strip_prefix("#include \"").and_then(|rest| rest.split('"').next());
        let Some(mut included) = included else { continue };
        let mut folder = folder.clone();
        while let Some(rest) = included.strip_prefix("../") {
            folder.pop();
            included = rest;
        }
        collect(folder.join(included), found)?;
    }
    Ok(())
}

/// The pieces of a PTX text as Rust.
fn pieces(text: &str, pack: &mut Pack) -> String {
    let parts = split::split(text);
    let mut out = String::new();
    for (number, part) in parts.iter().enumerate() {
        let kind = match part.kind {
            split::Kind::Shared => "Shared".to_owned(),
            split::Kind::Function => "Function".to_owned(),
            split::Kind::Entry(name) => {
                format!("Entry {{ name: {name:?}, needs: &{:?} }}", split::needs(&parts, number))
            }
        };
        let (lines, text) = (part.text.matches('\n').count(), pack.add(part.text));
        let _ = writeln!(out, "        Piece {{ kind: Kind::{kind}, lines: {lines}, text: {text} }},");
    }
    out
}

/// All groups of texts.
#[derive(Default)]
struct Pack {
    groups: Vec<String>,
    /// The texts of the group that is being filled.
    open: String,
    /// Its length, about.
    full: usize,
}

impl Pack {
    /// Begins texts of that many bytes together: they are spread over groups of equal length.
    fn begin(&mut self, bytes: usize) {
        self.close();
        self.full = bytes.div_ceil(bytes.div_ceil(GROUP).max(1));
    }

    /// Adds a text; returns where it is, as Rust.
    fn add(&mut self, text: &str) -> String {
        if self.open.len() >= self.full {
            self.close();
        }
        let (group, at, bytes) = (self.groups.len(), self.open.len(), text.len());
        self.open.push_str(text);
        format!("Packed {{ group: {group}, at: {at}, bytes: {bytes} }}")
    }

    /// Ends the group that is being filled.
    fn close(&mut self) {
        if !self.open.is_empty() {
            self.groups.push(std::mem::take(&mut self.open));
        }
    }

    /// Compresses the groups, on all cores.
    fn finish(mut self) -> Packed {
        self.close();
        let relative = on_all_cores(&self.groups, |text| packing::relative(text));
        let words = packing::words(relative.iter().map(String::as_str));
        let pairs: Vec<_> = self.groups.iter().zip(&relative).collect();
        let packed = on_all_cores(&pairs, |(text, relative)| {
            let short = packing::abbreviate(relative, &words);
            let back = spelling::absolute(&spelling::expand(&short, &words));
            assert!(back == text.as_bytes(), "a text of kernels does not come back from its shorter spelling");
            (compress(&short), short.len())
        });
        let (mut places, mut bytes) = (Vec::new(), Vec::new());
        for (text, (packed, short)) in self.groups.iter().zip(packed) {
            places.push(format!("    Group::new({}, {}, {short}, {}),\n", bytes.len(), packed.len(), text.len()));
            bytes.extend(packed);
        }
        Packed { words: words.into_iter().map(str::to_owned).collect(), groups: places, bytes }
    }
}

/// Texts that are compressed.
struct Packed {
    /// Those that are spelt as bytes.
    words: Vec<String>,
    /// Where each group is, as Rust.
    groups: Vec<String>,
    /// All groups, in sequence.
    bytes: Vec<u8>,
}

/// What becomes of each item, in their order.
fn on_all_cores<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (next, work) = (&next, &work);
    let one = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < items.len());
        iter::from_fn(|| take().map(|index| (index, work(&items[index])))).collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(one)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("texts can be compressed")).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// LZMA without a header; `packed.rs` knows the properties. Only a release takes its time to be small.
fn compress(text: &[u8]) -> Vec<u8> {
    let dictionary = (text.len() as u32).max(4096);
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let (mode, nice, finder, depth) =
        if release { (EncodeMode::Normal, 64, MfType::Bt4, 16) } else { (EncodeMode::Fast, 32, MfType::Hc4, 2) };
    let options = LzmaOptions::new(dictionary, 3, 0, 0, mode, nice, finder, depth);
    let packed = LzmaWriter::new_no_header(Vec::new(), &options, false);
    let finished = packed.and_then(|mut packed| {
        packed.write_all(text)?;
        packed.finish()
    });
    finished.expect("memory is written")
}

//! Packs the kernels: every PTX file is cut into functions, and each of them is compressed by itself, so that the library
//! carries every text once and a launch unpacks the one kernel it needs.

#[path = "src/kernels/split.rs"]
mod split;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Every module: its primitive and its file, from the folder of sources and without the ending. Modules of a primitive
/// are in the order in which tools show them, the one of its name first.
const MODULES: [(&str, &str); 15] = [
    ("vecadd", "vecadd/kernels"),
    ("reduce", "reduce/kernels"),
    ("reduce", "reduce/posted"),
    ("scan", "scan/kernels"),
    ("scan", "scan/gather"),
    ("scan", "scan/alone"),
    ("histogram", "histogram/kernels"),
    ("matmul", "matmul/gpu/kernels"),
    ("matmul", "matmul/gpu/hopper"),
    ("convolve1d", "convolve1d/kernels"),
    ("convolve2d", "convolve2d/kernels"),
    ("heat", "heat/gpu/kernels"),
    ("heat", "heat/gpu/resident"),
    ("radiator", "radiator/kernels"),
    ("hello", "hello/kernels"),
];

/// The paths of sources as the PTX's line information has them begin so.
const FOLDER: &str = "crates/warpwise/src";
/// More takes longer and gains nothing.
const LEVEL: u8 = 7;

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/kernels/split.rs");
    let mut pack = Pack::default();
    let mut sources: Vec<PathBuf> = Vec::new();
    let (mut statics, mut list) = (String::new(), String::new());
    for (primitive, file) in MODULES {
        let stem = file.rsplit('/').next().expect("a path has a last part");
        let name = if stem == "kernels" { primitive.to_owned() } else { format!("{primitive}-{stem}") };
        let constant = name.replace('-', "_").to_uppercase();
        let mut own = Vec::new();
        collect(Path::new(file).with_extension("cu"), &mut own)?;
        for path in &own {
            if !sources.contains(path) {
                sources.push(path.clone());
            }
        }
        let numbers = own.iter().filter_map(|path| sources.iter().position(|source| source == path));
        let numbers: String = numbers.map(|number| format!("&SOURCES[{number}], ")).collect();
        let pieces = pieces(&read(&Path::new(file).with_extension("ptx"))?, &mut pack);
        let _ = writeln!(statics, "/// The kernels of `{file}.cu`.");
        let _ = writeln!(statics, "pub(crate) static {constant}: KernelModule = KernelModule {{");
        let _ = writeln!(statics, "    name: {name:?}, primitive: {primitive:?}, sources: &[{numbers}],");
        let _ = writeln!(statics, "    text: Text::Pieces(&[\n{pieces}    ]),\n}};");
        let _ = write!(list, "&{constant}, ");
    }
    let _ = writeln!(statics, "static MODULES: [&KernelModule; {}] = [{list}];", MODULES.len());
    let _ = writeln!(statics, "static SOURCES: [Source; {}] = [", sources.len());
    for path in &sources {
        let text = pack.add(&read(path)?);
        let _ = writeln!(statics, "    Source {{ path: \"{FOLDER}/{}\", text: {text} }},", path.display());
    }
    let _ = writeln!(statics, "];");
    fs::write(out.join("kernels.rs"), statics)?;
    fs::write(out.join("kernels.packed"), pack.bytes)
}

/// A text beside this file, which is built anew when it changes.
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

/// All that is packed, one after the other.
#[derive(Default)]
struct Pack {
    bytes: Vec<u8>,
}

impl Pack {
    /// Adds a text; where it is, as Rust.
    fn add(&mut self, text: &str) -> String {
        let packed = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), LEVEL);
        let at = self.bytes.len();
        self.bytes.extend(&packed);
        format!("Packed {{ at: {at}, packed: {}, bytes: {} }}", packed.len(), text.len())
    }
}

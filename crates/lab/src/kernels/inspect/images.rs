//! Compiled code: what images a file holds, and the PTX among them.

use crate::kernels::run::RunError;
use crate::kernels::run::program::KernelFile;
use crate::kernels::source::SourceMap;
use serde::Serialize;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use warpwise_fatbin::{Container, Image, ImageError, Kind, Ptx, Storage, choose};
use warpwise_gpu::Gpu;
use warpwise_simt::Program;

/// Larger than programs and libraries of GPU code are.
const LARGEST: u64 = 4 << 30;

/// An image of a file of compiled code.
#[derive(Clone, Debug, Serialize)]
pub struct ImageInfo {
    /// The fatbinary that it is in, from 0: images of one are the same code for several architectures.
    pub fatbinary: usize,
    /// `PTX`, `machine code` or `other code`.
    pub kind: &'static str,
    /// The architecture that it is for: `sm_90`.
    pub target: String,
    /// Whether it is packed: `plain`, `LZ4` or `Zstandard`.
    pub storage: &'static str,
    /// Its size in the file.
    pub bytes: u64,
    /// Its size when it is unpacked.
    pub unpacked_bytes: u64,
    /// The source file that it was compiled from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Options for the assembler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// Whether it is PTX, or has its PTX beside it.
    pub has_ptx: bool,
    /// Whether it is the one that the GPU runs, whose kernels are listed.
    pub is_listed: bool,
}

/// A file of compiled code.
pub(super) struct Opened {
    pub(super) container: &'static str,
    pub(super) images: Vec<ImageInfo>,
    /// The PTX that the GPU runs.
    pub(super) files: Vec<KernelFile>,
    pub(super) notes: Vec<String>,
}

/// Opens a file if its first bytes are those of compiled code.
pub(super) fn open(path: &Path, gpu: &Gpu) -> Result<Option<Opened>, RunError> {
    // What cannot be read here is answered where texts are read.
    let Some(bytes) = read(path)? else { return Ok(None) };
    let damaged = |error: ImageError| RunError::Module { path: path.to_owned(), problem: error.to_string() };
    let contents = warpwise_fatbin::read(&bytes).map_err(damaged)?;
    let (major, minor) = gpu.cc;
    let compute_capability = major * 10 + minor;
    let mut opened =
        Opened { container: name(contents.container), images: Vec::new(), files: Vec::new(), notes: Vec::new() };
    let mut missing = ImageError::NoCode;
    for (fatbinary, group) in contents.groups.iter().enumerate() {
        let (listed, texts) = match choose(group, compute_capability) {
            Ok(choice) => (Some(choice.index), choice.texts),
            Err(error @ (ImageError::MachineCodeOnly { .. } | ImageError::NoCode)) => {
                missing = error;
                (None, Vec::new())
            }
            Err(error) => return Err(damaged(error)),
        };
        for (index, image) in group.iter().enumerate() {
            opened.images.push(info(fatbinary, image, listed == Some(index)).map_err(damaged)?);
        }
        for text in texts {
            opened.files.push(load(path, text)?);
        }
    }
    if opened.files.is_empty() {
        opened.notes.push(missing.to_string());
    }
    Ok(Some(opened))
}

/// The bytes of a file of compiled code; nothing for other files.
fn read(path: &Path) -> Result<Option<Vec<u8>>, RunError> {
    let unreadable = |problem: String| RunError::Read { path: path.to_owned(), problem };
    let is_file = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let Some(mut file) = is_file.then(|| std::fs::File::open(path).ok()).flatten() else { return Ok(None) };
    let mut start = Vec::new();
    if file.by_ref().take(8).read_to_end(&mut start).is_err() || !warpwise_fatbin::is_binary(&start) {
        return Ok(None);
    }
    let mut rest = Vec::new();
    file.take(LARGEST).read_to_end(&mut rest).map_err(|error| unreadable(error.to_string()))?;
    if rest.len() as u64 == LARGEST {
        return Err(unreadable("it is larger than 4 GiB".to_owned()));
    }
    start.append(&mut rest);
    Ok(Some(start))
}

fn name(container: Container) -> &'static str {
    match container {
        Container::Text => "PTX",
        Container::Fatbinary => "fatbinary",
        Container::Cubin => "cubin",
        Container::Host => "program",
        Container::Archive => "archive",
    }
}

fn info(fatbinary: usize, image: &Image<'_>, is_listed: bool) -> Result<ImageInfo, ImageError> {
    Ok(ImageInfo {
        fatbinary,
        kind: match image.kind {
            Kind::Ptx => "PTX",
            Kind::Cubin => "machine code",
            Kind::Other(_) => "other code",
        },
        target: format!("sm_{}", image.sm),
        storage: match image.storage {
            Storage::Plain => "plain",
            Storage::Lz4 => "LZ4",
            Storage::Zstd => "Zstandard",
        },
        bytes: image.stored(),
        unpacked_bytes: image.unpacked,
        source: image.name.clone(),
        options: image.options.clone(),
        has_ptx: image.kind == Kind::Ptx || !image.ptx()?.is_empty(),
        is_listed,
    })
}

fn load(path: &Path, text: Ptx) -> Result<KernelFile, RunError> {
    let problem = |error: warpwise_simt::LoadError| RunError::Module {
        path: path.to_owned(),
        problem: format!("the PTX in it: {error}"),
    };
    let program = Arc::new(Program::load(&text.text).map_err(problem)?);
    let sources = SourceMap { program, ptx: text.text, ptx_name: "the PTX in it".to_owned(), files: Vec::new() };
    Ok(KernelFile { sources, compiled: None, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::{Request, inspect};
    use crate::output::{Report, Style};
    use std::path::PathBuf;

    fn data(name: &str) -> PathBuf {
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fatbin/tests/data")).join(name)
    }

    fn request(file: PathBuf, gpu: &str) -> Request {
        let gpu = gpu.to_owned();
        Request { file, entry: None, gpu, debug: false, defines: Vec::new(), includes: Vec::new() }
    }

    #[test]
    fn the_ptx_of_compiled_code_is_listed() {
        let files = [
            ("scale-13.fatbin", "fatbinary", 2),
            ("scale-12.fatbin", "fatbinary", 2),
            ("scale-lineinfo.cubin", "cubin", 1),
            ("scale.o", "program", 1),
        ];
        for (name, container, images) in files {
            let report = inspect(&request(data(name), "h200")).unwrap();
            assert_eq!((report.container, report.images.len(), report.language), (Some(container), images, "PTX"));
            assert_eq!(report.images.iter().filter(|image| image.is_listed && image.has_ptx).count(), 1, "{name}");
            let kernels: Vec<_> = report.kernels.iter().map(|kernel| kernel.signature.as_str()).collect();
            assert_eq!(kernels, ["scale(float*, int)"], "{name}");
            assert_eq!(report.variables.len(), 2, "{name}");
            assert!(report.notes.is_empty(), "{name}");
        }
    }

    #[test]
    fn images_say_what_they_are() {
        let report = inspect(&request(data("scale-13.fatbin"), "h200")).unwrap();
        let [code, ptx] = &report.images[..] else { panic!("{:?}", report.images) };
        assert_eq!((code.kind, code.storage, code.has_ptx, code.is_listed), ("machine code", "plain", false, false));
        assert_eq!((ptx.kind, ptx.storage, ptx.target.as_str()), ("PTX", "Zstandard", "sm_90"));
        assert!(ptx.unpacked_bytes > ptx.bytes);
        let json = report.to_json();
        assert!(json.contains(r#""container":"fatbinary","images":[{"fatbinary":0,"kind":"machine code""#), "{json}");
        let text = report.text(Style::default());
        assert!(text.starts_with("file      fatbinary\nimage     machine code for sm_90, "), "{text}");
    }

    #[test]
    fn the_gpu_decides_between_several() {
        for (gpu, target) in [("h200", "sm_90a"), ("rtx-3090", "sm_75")] {
            assert_eq!(inspect(&request(data("scale-many.fatbin"), gpu)).unwrap().target, target);
        }
    }

    #[test]
    fn machine_code_only_is_listed_with_a_note() {
        let report = inspect(&request(data("scale-sass.fatbin"), "h200")).unwrap();
        assert_eq!((report.images.len(), report.kernels.len(), report.target.as_str()), (2, 0, ""));
        assert!(report.notes[0].contains("-gencode arch=compute_80,code=compute_80"), "{:?}", report.notes);
        assert!(!report.text(Style::default()).contains("code      PTX"));
    }

    #[test]
    fn what_is_damaged_is_told() {
        let whole = std::fs::read(data("scale-13.fatbin")).unwrap();
        let file = crate::files::testing::folder("inspect-damaged").join("cut.fatbin");
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        let error = inspect(&request(file, "h200")).unwrap_err().to_string();
        assert!(error.contains("cut.fatbin: the image is damaged"), "{error}");
    }
}

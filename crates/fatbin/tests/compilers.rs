//! Files that compilers made: see tests/data/README.md for the commands.

mod common;

use warpwise_fatbin::{Container, ImageError, Kind, Storage, extent, ptx_of, read};

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Kind, architecture and packing of every image of a file.
fn images(name: &str) -> Vec<(Kind, u32, Storage)> {
    let file = file(name);
    let contents = read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
    contents.groups.iter().flatten().map(|image| (image.kind, image.sm, image.storage)).collect()
}

fn is_scale(text: &str) -> bool {
    text.contains(".visible .entry _Z5scalePfi(") && text.contains("factor") && text.trim_end().ends_with('}')
}

#[test]
fn fatbinaries_of_cuda_13() {
    assert_eq!(images("scale-13.fatbin"), [(Kind::Cubin, 90, Storage::Plain), (Kind::Ptx, 90, Storage::Zstd)]);
    let found = ptx_of(&file("scale-13.fatbin"), 90).unwrap();
    assert!(found.len() == 1 && is_scale(&found[0].text), "{found:?}");
    assert!(found[0].text.contains(".version 9.0") && found[0].text.contains(".target sm_90\n"));
}

#[test]
fn fatbinaries_of_cuda_12() {
    assert_eq!(images("scale-12.fatbin"), [(Kind::Cubin, 80, Storage::Plain), (Kind::Ptx, 80, Storage::Lz4)]);
    let found = ptx_of(&file("scale-12.fatbin"), 90).unwrap();
    assert!(found.len() == 1 && is_scale(&found[0].text) && found[0].target == 80, "{found:?}");
    assert!(found[0].text.contains(".version 8.4"));
}

#[test]
fn several_architectures() {
    let file = file("scale-many.fatbin");
    for (device, expected) in
        [(75, "sm_75\n"), (80, "sm_75\n"), (90, "sm_90a\n"), (103, "sm_100f\n"), (120, "sm_120\n")]
    {
        let found = ptx_of(&file, device).unwrap();
        assert!(found[0].text.contains(&format!(".target {expected}")), "device {device}: {}", found[0].text);
    }
}

#[test]
fn cubins_with_line_information() {
    let cubin = file("scale-lineinfo.cubin");
    let contents = read(&cubin).unwrap();
    assert_eq!((contents.container, contents.groups[0][0].sm), (Container::Cubin, 90));
    let found = ptx_of(&cubin, 90).unwrap();
    assert!(found.len() == 1 && is_scale(&found[0].text) && found[0].target == 90, "{found:?}");
    assert!(!found[0].text.contains(".loc"), "the lines themselves are in another section");
}

#[test]
fn machine_code_only() {
    assert_eq!(
        ptx_of(&file("scale-sass.fatbin"), 90),
        Err(ImageError::MachineCodeOnly { architectures: vec![80, 90] })
    );
}

#[test]
fn objects_of_the_host() {
    let object = file("scale.o");
    assert_eq!(read(&object).unwrap().container, Container::Host);
    let found = ptx_of(&object, 90).unwrap();
    assert!(found.len() == 1 && is_scale(&found[0].text), "{found:?}");
    let relocatable = ptx_of(&file("scale-rdc.o"), 90).unwrap();
    assert!(relocatable.len() == 1 && is_scale(&relocatable[0].text), "{relocatable:?}");
}

#[test]
fn every_file_says_how_long_it_is() {
    for (name, image) in common::data() {
        // SAFETY: these are whole images.
        assert_eq!(unsafe { extent(image.as_ptr()) }, image.len(), "{name}");
    }
}

//! Every container and packing, and which text is chosen.

mod common;

use common::{Packing, archive, elf, entry, fatbinary, named, text};
use warpwise_fatbin::{Container, ImageError, Kind, Storage, extent, is_wrapper, ptx_of, read, wrapper};

const CUDA: u16 = 190;
const X86: u16 = 62;

fn targets(image: &[u8], compute_capability: u32) -> Vec<u32> {
    ptx_of(image, compute_capability).unwrap().iter().map(|ptx| ptx.target).collect()
}

#[test]
fn text_is_taken_as_it_is() {
    let text = text("sm_80");
    for image in [text.clone().into_bytes(), format!("{text}\0\0").into_bytes()] {
        let [ptx] = &ptx_of(&image, 90).unwrap()[..] else { panic!("one text") };
        assert_eq!((ptx.text.as_str(), ptx.target, &ptx.name), (text.as_str(), 80, &None));
    }
    assert_eq!(read(text.as_bytes()).unwrap().container, Container::Text);
}

#[test]
fn every_packing_gives_the_text() {
    let text = text("sm_90");
    let packings = [(Packing::Plain, Storage::Plain), (Packing::Lz4, Storage::Lz4), (Packing::Zstd, Storage::Zstd)];
    for (packing, storage) in packings {
        let image = fatbinary(&[entry(1, 90, text.as_bytes(), packing)]);
        let contents = read(&image).unwrap();
        let [found] = &contents.groups[0][..] else { panic!("one image") };
        assert_eq!((found.kind, found.sm, found.version, found.storage), (Kind::Ptx, 90, (8, 0), storage));
        assert!(found.contents().unwrap().starts_with(text.as_bytes()));
        assert_eq!(ptx_of(&image, 90).unwrap()[0].text, text);
    }
}

#[test]
fn names_and_options_are_read() {
    let text = text("sm_90");
    let image = fatbinary(&[named(1, 90, text.as_bytes(), Packing::Zstd, "scan.cu")]);
    let contents = read(&image).unwrap();
    let found = &contents.groups[0][0];
    assert_eq!((found.name.as_deref(), found.options.as_deref()), (Some("scan.cu"), Some("--generate-line-info")));
    assert_eq!(ptx_of(&image, 90).unwrap()[0].name.as_deref(), Some("scan.cu"));
}

#[test]
fn the_greatest_not_above_the_device_is_taken() {
    let plain = |sm: u32| entry(1, sm, text(&format!("sm_{sm}")).as_bytes(), Packing::Plain);
    let image = fatbinary(&[plain(120), plain(75), plain(90), plain(80)]);
    for (device, expected) in [(75, 75), (86, 80), (90, 90), (100, 90), (120, 120), (121, 120)] {
        assert_eq!(targets(&image, device), [expected], "device {device}");
    }
    assert_eq!(targets(&image, 52), [75], "else the least");
}

#[test]
fn code_for_one_architecture_is_for_it_only() {
    let plain = |sm: u32, target: &str| entry(1, sm, text(target).as_bytes(), Packing::Plain);
    let image = fatbinary(&[plain(80, "sm_80"), plain(90, "sm_90"), plain(90, "sm_90a")]);
    assert!(ptx_of(&image, 90).unwrap()[0].text.contains("sm_90a"));
    assert!(ptx_of(&image, 100).unwrap()[0].text.contains("sm_90\n"));
    let image = fatbinary(&[plain(80, "sm_80"), plain(100, "sm_100f")]);
    assert_eq!((targets(&image, 103), targets(&image, 120)), (vec![100], vec![80]));
    let image = fatbinary(&[plain(90, "sm_90a")]);
    assert_eq!(targets(&image, 80), [90], "there is nothing else");
}

#[test]
fn ptx_beside_machine_code_is_found() {
    let lines = text("sm_90").replace('\n', "\0");
    let other = text("sm_90").replace('k', "other").replace('\n', "\0");
    let cubin = elf(
        CUDA,
        90,
        &[
            (".text.k", b"machine code"),
            (".nv_debug_ptx_txt", lines.as_bytes()),
            (".nv_debug_ptx_txt.1", other.as_bytes()),
            (".nv_debug_ptx_txtual", b"something else"),
        ],
    );
    assert_eq!(read(&cubin).unwrap().container, Container::Cubin);
    let found = ptx_of(&cubin, 90).unwrap();
    assert_eq!(found.iter().map(|ptx| ptx.text.contains("other")).collect::<Vec<_>>(), [false, true]);
    assert_eq!((found[0].text.trim_end(), found[0].target), (text("sm_90").trim_end(), 90));
    // In a fatbinary it counts only if there is no PTX by itself.
    let packed = entry(2, 90, &cubin, Packing::Zstd);
    assert_eq!(ptx_of(&fatbinary(std::slice::from_ref(&packed)), 90).unwrap(), found);
    let alone = entry(1, 75, text("sm_75").as_bytes(), Packing::Plain);
    assert_eq!(targets(&fatbinary(&[packed, alone]), 90), [75]);
}

#[test]
fn machine_code_only_is_an_error_of_its_own() {
    let cubin = |sm| elf(CUDA, sm, &[(".text.k", b"machine code")]);
    assert_eq!(ptx_of(&cubin(86), 90), Err(ImageError::MachineCodeOnly { architectures: vec![86] }));
    let both = fatbinary(&[entry(2, 90, &cubin(90), Packing::Plain), entry(2, 80, &cubin(80), Packing::Lz4)]);
    assert_eq!(ptx_of(&both, 90), Err(ImageError::MachineCodeOnly { architectures: vec![80, 90] }));
    assert_eq!(ptx_of(&fatbinary(&[]), 90), Err(ImageError::NoCode));
    assert_eq!(ptx_of(&fatbinary(&[entry(8, 90, b"intermediate", Packing::Plain)]), 90), Err(ImageError::NoCode));
}

#[test]
fn host_files_hold_several_fatbinaries() {
    let one = |name: &str| fatbinary(&[named(1, 90, text("sm_90").as_bytes(), Packing::Zstd, name)]);
    let linked = fatbinary(&[entry(2, 90, &elf(CUDA, 90, &[]), Packing::Plain)]);
    let section = [one("a.cu"), vec![0; 24], one("b.cu"), vec![0; 8]].concat();
    let program = elf(X86, 0, &[(".text", b"code"), (".nv_fatbin", &section), ("__nv_relfatbin", &linked)]);
    let contents = read(&program).unwrap();
    assert_eq!((contents.container, contents.groups.len()), (Container::Host, 3));
    let names = |image: &[u8]| ptx_of(image, 90).unwrap().into_iter().map(|ptx| ptx.name.unwrap()).collect::<Vec<_>>();
    assert_eq!(names(&program), ["a.cu", "b.cu"], "what the device linker made has no PTX, and needs none");
    let library = archive(&[("/", b"index"), ("x.o", &program), ("readme", b"text"), ("y.o", &program)]);
    assert_eq!(names(&library), ["a.cu", "b.cu", "a.cu", "b.cu"]);
    assert_eq!(ptx_of(&elf(X86, 0, &[(".text", b"code")]), 90), Err(ImageError::NoCode));
}

#[test]
fn other_files_are_not_images() {
    for other in [&b""[..], b"\0", b"hello", b"\x89PNG\r\n", &[0xFF; 64]] {
        assert_eq!(ptx_of(other, 90), Err(ImageError::Unknown));
    }
}

#[test]
fn images_by_address_say_how_long_they_are() {
    let text = text("sm_90");
    let image = fatbinary(&[entry(1, 90, text.as_bytes(), Packing::Lz4)]);
    let cubin = elf(CUDA, 90, &[(".text.k", b"machine code"), (".nv_debug_ptx_txt", text.as_bytes())]);
    let terminated = format!("{text}\0");
    // SAFETY: all of these are whole, and the text ends with a zero.
    let lengths = unsafe {
        [extent(image.as_ptr()), extent(cubin.as_ptr()), extent(terminated.as_ptr()), extent(c".".as_ptr().cast())]
    };
    assert_eq!(lengths, [image.len(), cubin.len(), text.len(), 1]);
    // SAFETY: a null pointer is allowed.
    assert_eq!(unsafe { extent(std::ptr::null()) }, 0);
}

#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    objects: *const *const u8,
}

#[test]
fn wrappers_give_what_is_to_be_linked() {
    let image =
        |name| -> &'static [u8] { fatbinary(&[named(1, 90, text("sm_90").as_bytes(), Packing::Plain, name)]).leak() };
    let (a, b, linked) = (image("a.cu"), image("b.cu"), image("linked"));
    let one = Wrapper { magic: 0x4662_43B1, version: 1, data: a.as_ptr(), objects: std::ptr::null() };
    // SAFETY: the wrapper is whole, and its images stay.
    assert_eq!(unsafe { wrapper((&raw const one).cast()) }, Ok(vec![a]));
    let objects = [a.as_ptr(), b.as_ptr(), std::ptr::null()];
    let many = Wrapper { magic: 0x4662_43B1, version: 2, data: linked.as_ptr(), objects: objects.as_ptr() };
    // SAFETY: as above; the list ends with a null.
    assert_eq!(unsafe { wrapper((&raw const many).cast()) }, Ok(vec![a, b]));
    let nothing = Wrapper { data: std::ptr::null(), ..one };
    // SAFETY: as above.
    assert!(unsafe { wrapper((&raw const nothing).cast()) }.is_err());
    // SAFETY: these are a text and an image.
    assert!(unsafe { !is_wrapper(c".".as_ptr().cast()) && wrapper(a.as_ptr()).is_err() });
}

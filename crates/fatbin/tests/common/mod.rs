//! Builds fatbinaries, and reads those that compilers made.

#![allow(dead_code, reason = "each test program uses its part")]

/// A small module for an architecture.
pub(crate) fn text(target: &str) -> String {
    format!(".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n    ret;\n}}\n")
}

/// How an entry is stored.
#[derive(Clone, Copy)]
pub(crate) enum Packing {
    Plain,
    Lz4,
    Zstd,
}

/// An entry of a fatbinary, of a kind (1 PTX, 2 cubin) and for an architecture.
pub(crate) fn entry(kind: u16, sm: u32, contents: &[u8], packing: Packing) -> Vec<u8> {
    named(kind, sm, contents, packing, "")
}

/// The same, with the name of a source file and an option for the assembler.
pub(crate) fn named(kind: u16, sm: u32, contents: &[u8], packing: Packing, name: &str) -> Vec<u8> {
    let (packed, flags) = match packing {
        Packing::Plain => (contents.to_vec(), 0x11u64),
        Packing::Lz4 => (lz4(contents), 0x2011),
        Packing::Zstd => (zstd(contents), 0x8011),
    };
    let option = if name.is_empty() { "" } else { "--generate-line-info" };
    let words = if name.is_empty() { 0 } else { (8 + option.len() + name.len()).next_multiple_of(8) };
    let header = 64 + words as u32;
    let padded = packed.len().next_multiple_of(8);
    let mut out = Vec::new();
    out.extend(kind.to_le_bytes());
    out.extend(0x0101u16.to_le_bytes());
    out.extend(header.to_le_bytes());
    out.extend((padded as u64).to_le_bytes());
    let exact = if matches!(packing, Packing::Plain) { 0 } else { packed.len() as u32 };
    out.extend(exact.to_le_bytes());
    out.extend(if name.is_empty() { 0u32 } else { 64 }.to_le_bytes());
    out.extend([0, 0, 8, 0]);
    out.extend(sm.to_le_bytes());
    let at = if name.is_empty() { 0 } else { 72 + option.len() as u32 };
    out.extend(at.to_le_bytes());
    out.extend((name.len() as u32).to_le_bytes());
    out.extend(flags.to_le_bytes());
    out.extend(0u64.to_le_bytes());
    out.extend(if exact == 0 { 0 } else { contents.len() as u64 }.to_le_bytes());
    if !name.is_empty() {
        out.extend(72u32.to_le_bytes());
        out.extend((option.len() as u32).to_le_bytes());
        out.extend(option.as_bytes());
        out.extend(name.as_bytes());
        out.resize(header as usize, 0);
    }
    out.extend(packed);
    out.resize(header as usize + padded, 0);
    out
}

/// A fatbinary of entries.
pub(crate) fn fatbinary(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend(0xBA55_ED50u32.to_le_bytes());
    out.extend([1, 0, 16, 0]);
    out.extend((entries.iter().map(Vec::len).sum::<usize>() as u64).to_le_bytes());
    out.extend(entries.concat());
    out
}

/// An LZ4 block of one run of literals.
pub(crate) fn lz4(contents: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match contents.len().checked_sub(15) {
        None => out.push((contents.len() as u8) << 4),
        Some(more) => {
            out.push(0xF0);
            out.extend(std::iter::repeat_n(255, more / 255));
            out.push((more % 255) as u8);
        }
    }
    out.extend(contents);
    out
}

/// A Zstandard frame of one block that is not compressed.
pub(crate) fn zstd(contents: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xB5, 0x2F, 0xFD, 0xA0];
    out.extend((contents.len() as u32).to_le_bytes());
    out.extend(&((contents.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    out.extend(contents);
    out
}

/// An ELF file for a machine, with these sections.
pub(crate) fn elf(machine: u16, flags: u32, sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = vec![0];
    let mut out = vec![0; 64];
    let mut headers = vec![0; 64];
    let mut add = |name: &str, contents: &[u8], names: &mut Vec<u8>| {
        let mut header = vec![0; 64];
        header[..4].copy_from_slice(&(names.len() as u32).to_le_bytes());
        names.extend(name.as_bytes());
        names.push(0);
        header[4] = 1;
        header[24..32].copy_from_slice(&(out.len() as u64).to_le_bytes());
        header[32..40].copy_from_slice(&(contents.len() as u64).to_le_bytes());
        out.extend(contents);
        out.resize(out.len().next_multiple_of(8), 0);
        headers.extend(header);
    };
    for (name, contents) in sections {
        add(name, contents, &mut names);
    }
    let with_own_name = [&names[..], b".shstrtab\0"].concat();
    add(".shstrtab", &with_own_name, &mut names);
    let table = out.len() as u64;
    out.extend(headers);
    out[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    out[8] = 7;
    out[18..20].copy_from_slice(&machine.to_le_bytes());
    out[40..48].copy_from_slice(&table.to_le_bytes());
    out[48..52].copy_from_slice(&flags.to_le_bytes());
    out[52] = 64;
    out[58] = 64;
    out[60..62].copy_from_slice(&(sections.len() as u16 + 2).to_le_bytes());
    out[62..64].copy_from_slice(&(sections.len() as u16 + 1).to_le_bytes());
    out
}

/// An archive of members.
pub(crate) fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, contents) in members {
        out.extend(format!("{name:<48}{:<10}`\n", contents.len()).as_bytes());
        out.extend(*contents);
        out.resize(out.len().next_multiple_of(2), b'\n');
    }
    out
}

/// The files that compilers made, by name.
pub(crate) fn data() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of data")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending != "md" && ending != "cu"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("a readable file"))
        })
        .collect();
    files.sort();
    files
}

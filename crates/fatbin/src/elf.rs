//! ELF files: cubins, and objects and programs of the host.

use crate::field::{piece, u16_at, u32_at, u64_at, within};
use crate::{Image, ImageError, fatbinary};

/// The machine number of NVIDIA's GPUs.
const CUDA: u16 = 190;

/// Bytes of the file header.
pub(crate) const HEADER: usize = 64;

/// Bytes of a section's header.
const SECTION: usize = 64;

/// Bytes of a program header.
const SEGMENT: usize = 56;

/// The type of a section that takes no room in the file.
const NOBITS: u32 = 8;

/// The sections of a host file that hold fatbinaries; the second has those of relocatable device code.
const FATBINARIES: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// The section of a cubin that holds the PTX, one line after the other with zeros between; `.1` and so on follow it
/// where several modules were linked.
const PTX: &str = ".nv_debug_ptx_txt";

/// True for an ELF file of any kind.
pub(crate) fn is(file: &[u8]) -> bool {
    file.starts_with(b"\x7fELF")
}

/// A 64-bit little-endian ELF file, and where its sections are.
pub(crate) struct Elf<'a> {
    file: &'a [u8],
    /// The headers of all sections.
    table: &'a [u8],
    /// Names of sections.
    names: &'a [u8],
}

struct Section<'a> {
    name: &'a [u8],
    at: u64,
    size: u64,
    in_file: bool,
}

impl<'a> Elf<'a> {
    /// Finds the sections.
    pub(crate) fn read(file: &'a [u8]) -> Result<Self, ImageError> {
        let header = within(file, 0, HEADER as u64, "the ELF file is cut short")?;
        if header[4..6] != [2, 1] {
            return Err(ImageError::Damaged("the ELF file is not a 64-bit little-endian one"));
        }
        let table = u64_at(header, 40);
        if table == 0 {
            return Ok(Self { file, table: &[], names: &[] });
        }
        if usize::from(u16_at(header, 58)) != SECTION {
            return Err(ImageError::Damaged("the sections of the ELF file have an unknown form"));
        }
        // With very many sections, the first one holds the numbers that do not fit into the header.
        let first = within(file, table, SECTION as u64, "the ELF file is cut short")?;
        let count = match u16_at(header, 60) {
            0 => u64_at(first, 32),
            count => count.into(),
        };
        let names = match u16_at(header, 62) {
            0xFFFF => u32_at(first, 40),
            index => index.into(),
        };
        let bytes = count.saturating_mul(SECTION as u64);
        let table = within(file, table, bytes, "the ELF file is cut short")?;
        let names = table.chunks_exact(SECTION).nth(names as usize).map_or((0, 0), range);
        Ok(Self { file, table, names: piece(file, names.0, names.1).unwrap_or_default() })
    }

    /// True for a file of NVIDIA's machine code.
    pub(crate) fn is_cubin(&self) -> bool {
        u16_at(self.file, 18) == CUDA
    }

    /// The architecture of a cubin: 90 for `sm_90`.
    pub(crate) fn sm(&self) -> u32 {
        let flags = u32_at(self.file, 48);
        // The second version of the format has room for more of them.
        let shift = if self.file[8] >= 8 { 8 } else { 0 };
        (flags >> shift) & 0xFF
    }

    fn sections(&self) -> impl Iterator<Item = Section<'a>> {
        self.table.chunks_exact(SECTION).map(|header| {
            let name = self.names.get(u32_at(header, 0) as usize..).unwrap_or_default();
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
            let (at, size) = range(header);
            Section { name, at, size, in_file: u32_at(header, 4) != NOBITS }
        })
    }

    fn contents(&self, section: &Section<'_>) -> Result<&'a [u8], ImageError> {
        within(self.file, section.at, section.size, "a section of the ELF file lies outside of it")
    }

    /// The contents of the sections of that name.
    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = Result<&'a [u8], ImageError>> {
        self.sections()
            .filter(move |section| section.in_file && section.name == name.as_bytes())
            .map(|section| self.contents(&section))
    }

    /// The fatbinaries of a host file.
    pub(crate) fn fatbinaries(&self) -> Result<Vec<Vec<Image<'a>>>, ImageError> {
        let mut groups = Vec::new();
        for section in self.sections() {
            if section.in_file && FATBINARIES.iter().any(|name| name.as_bytes() == section.name) {
                groups.extend(fatbinary::all(self.contents(&section)?)?);
            }
        }
        Ok(groups)
    }

    /// The PTX beside machine code.
    pub(crate) fn ptx(&self) -> Vec<String> {
        let sections = self.sections().filter(|section| section.in_file && is_ptx(section.name));
        let texts = sections.filter_map(|section| self.contents(&section).ok()).map(lines);
        texts.filter(|text| !text.trim().is_empty()).collect()
    }
}

/// Where a section lies.
fn range(header: &[u8]) -> (u64, u64) {
    (u64_at(header, 24), u64_at(header, 32))
}

fn is_ptx(name: &[u8]) -> bool {
    let rest = name.strip_prefix(PTX.as_bytes());
    rest.is_some_and(|rest| rest.first().is_none_or(|&byte| byte == b'.'))
}

/// The text of a section in which every line ends with a zero.
fn lines(section: &[u8]) -> String {
    let end = section.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let mut text = crate::field::text(&section[..end]).replace('\0', "\n");
    text.push('\n');
    text
}

/// How long a file is that starts with this header and goes on for as long as it says. Where the table of sections or
/// of segments lies is asked of `at`, which gives that many bytes at a place of the file.
pub(crate) fn length<'a>(header: &[u8], at: impl Fn(u64, u64) -> &'a [u8]) -> u64 {
    let mut end = HEADER as u64;
    let mut table = |place: u64, count: u64, each: usize, stated: u16, ends: fn(&[u8]) -> u64| {
        if place == 0 || usize::from(stated) != each {
            return;
        }
        let bytes = count.saturating_mul(each as u64);
        end = end.max(place.saturating_add(bytes));
        for entry in at(place, bytes).chunks_exact(each) {
            end = end.max(ends(entry));
        }
    };
    let sections = u64_at(header, 40);
    let count = match (u16_at(header, 60), sections) {
        (0, place) if place != 0 => u64_at(at(place, SECTION as u64), 32),
        (count, _) => count.into(),
    };
    table(sections, count, SECTION, u16_at(header, 58), |section| {
        let (at, size) = range(section);
        if u32_at(section, 4) == NOBITS { 0 } else { at.saturating_add(size) }
    });
    table(u64_at(header, 32), u16_at(header, 56).into(), SEGMENT, u16_at(header, 54), |segment| {
        u64_at(segment, 8).saturating_add(u64_at(segment, 32))
    });
    end
}

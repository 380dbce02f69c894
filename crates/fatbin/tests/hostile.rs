//! Images that no compiler makes: each is answered, with no panic and little memory.

mod common;

use common::{Packing, archive, elf, entry, fatbinary, named, text};
use warpwise_fatbin::{ImageError, ptx_of, read};

/// A generator of numbers that are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Reads all that there is.
fn answer(image: &[u8]) {
    let _ = ptx_of(image, 90);
    if let Ok(contents) = read(image) {
        for image in contents.groups.iter().flatten() {
            let _ = image.ptx();
        }
    }
}

fn built() -> Vec<Vec<u8>> {
    let text = text("sm_90");
    let lines = text.replace('\n', "\0");
    let cubin = elf(190, 90, &[(".text.k", b"code"), (".nv_debug_ptx_txt", lines.as_bytes())]);
    let many = fatbinary(&[
        named(1, 90, text.as_bytes(), Packing::Lz4, "a.cu"),
        entry(1, 80, text.as_bytes(), Packing::Zstd),
        entry(2, 90, &cubin, Packing::Plain),
    ]);
    let host = elf(62, 0, &[(".nv_fatbin", &many), ("__nv_relfatbin", &many)]);
    let library = archive(&[("a.o", &host), ("b.o", &cubin)]);
    vec![text.into_bytes(), cubin, many, host, library]
}

#[test]
fn changed_images_never_panic() {
    let mut images = built();
    images.extend(common::data().into_iter().map(|(_, image)| image));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for image in &images {
        for _ in 0..1500 {
            let mut changed = image.clone();
            for _ in 0..=random.below(6) {
                // Headers are where sizes are: half of the changes go there.
                let reach = if random.below(2) == 0 { changed.len() } else { changed.len().min(256) };
                let at = random.below(reach);
                match random.below(5) {
                    0 => changed.truncate(at),
                    1 => changed.insert(at, random.next() as u8),
                    2 => {
                        let number = [0, 1, 0xFF, u64::MAX, u64::MAX - 7, 1 << 31, 1 << 40, random.next()];
                        let bytes = number[random.below(8)].to_le_bytes();
                        let width = [1, 2, 4, 8][random.below(4)].min(changed.len() - at.min(changed.len()));
                        if at < changed.len() {
                            changed[at..at + width].copy_from_slice(&bytes[..width]);
                        }
                    }
                    _ => {
                        if let Some(byte) = changed.get_mut(at) {
                            *byte ^= 1 << random.below(8);
                        }
                    }
                }
            }
            answer(&changed);
        }
    }
}

#[test]
fn every_prefix_is_answered() {
    for image in built() {
        for end in 0..image.len() {
            answer(&image[..end]);
        }
    }
}

#[test]
fn lying_sizes_are_refused() {
    let text = text("sm_90");
    for packing in [Packing::Lz4, Packing::Zstd] {
        let good = fatbinary(&[entry(1, 90, text.as_bytes(), packing)]);
        let with = |at: usize, bytes: &[u8]| {
            let mut image = good.clone();
            image[16 + at..16 + at + bytes.len()].copy_from_slice(bytes);
            ptx_of(&image, 90)
        };
        let huge = (1u64 << 40).to_le_bytes();
        assert_eq!(with(56, &huge), Err(ImageError::TooLarge { bytes: 1 << 40 }));
        for size in [0, text.len() as u64 - 1, text.len() as u64 + 1, 1 << 24] {
            assert!(matches!(with(56, &size.to_le_bytes()), Err(ImageError::Damaged(_))), "size {size}");
        }
        assert!(matches!(with(8, &huge), Err(ImageError::Damaged(_))), "payload past the end");
        assert!(matches!(with(16, &[0xFF; 4]), Err(ImageError::Damaged(_))), "compressed part past the payload");
        assert!(matches!(with(4, &[0; 4]), Err(ImageError::Damaged(_))), "no header");
        assert_eq!(with(40, &[0x11, 0x40]), Err(ImageError::Packing { flags: 0x4011 }));
        let mut long = good.clone();
        long[8..16].copy_from_slice(&huge);
        assert!(matches!(ptx_of(&long, 90), Err(ImageError::Damaged(_))));
    }
}

/// A frame of a few kilobytes that repeats one byte 128 KiB at a time.
fn bomb(blocks: usize) -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x70];
    for block in 0..blocks {
        let last = u32::from(block + 1 == blocks);
        frame.extend(&((128u32 << 10) << 3 | 1 << 1 | last).to_le_bytes()[..3]);
        frame.push(b' ');
    }
    frame
}

#[test]
fn bombs_are_refused() {
    let image = |claimed: u64| {
        let mut image = fatbinary(&[entry(1, 90, b"", Packing::Zstd)]);
        let frame = bomb(4096);
        let padded = frame.len().next_multiple_of(8);
        image[16 + 8..16 + 16].copy_from_slice(&(padded as u64).to_le_bytes());
        image[16 + 16..16 + 20].copy_from_slice(&(frame.len() as u32).to_le_bytes());
        image[16 + 56..16 + 64].copy_from_slice(&claimed.to_le_bytes());
        image.truncate(80);
        image.extend(&frame);
        image.resize(80 + padded, 0);
        let entries = image.len() as u64 - 16;
        image[8..16].copy_from_slice(&entries.to_le_bytes());
        image
    };
    // The whole would be 512 MiB.
    assert_eq!(ptx_of(&image(512 << 20), 90), Err(ImageError::TooLarge { bytes: 512 << 20 }));
    assert_eq!(ptx_of(&image(100 << 20), 90), Err(ImageError::TooLarge { bytes: 100 << 20 }));
    assert!(matches!(ptx_of(&image(100), 90), Err(ImageError::Damaged(_))), "it stops after what is stated");
}

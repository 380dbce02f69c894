//! Which of the images of a fatbinary a device runs.

use crate::text::About;
use crate::{Image, ImageError, Kind, Ptx};

/// The image that a device runs, out of images of the same code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which of the images it is.
    pub index: usize,
    /// Its texts; never empty.
    pub texts: Vec<Ptx>,
}

/// The image of a group (see [`read`](crate::read)) that a device of a compute capability runs: PTX by itself, else
/// machine code that has its PTX beside it. The rules are those of [`ptx_of`](crate::ptx_of).
///
/// # Errors
///
/// There is no PTX, or an image that was looked at is damaged.
pub fn choose(group: &[Image<'_>], compute_capability: u32) -> Result<Choice, ImageError> {
    for kind in [Kind::Ptx, Kind::Cubin] {
        let images = group.iter().enumerate().filter(|(_, image)| image.kind == kind).collect();
        if let Some(found) = best(images, compute_capability)? {
            return Ok(found);
        }
    }
    let machine_code = group.iter().filter(|image| image.kind == Kind::Cubin);
    let architectures: Vec<u32> = machine_code.map(|image| image.sm).collect();
    Err(if architectures.is_empty() { ImageError::NoCode } else { ImageError::MachineCodeOnly { architectures } })
}

/// The image that fits best. Images are unpacked only as far as they are needed to choose.
fn best(mut images: Vec<(usize, &Image<'_>)>, compute_capability: u32) -> Result<Option<Choice>, ImageError> {
    // Those not above the device, the greatest first; then those above, the least first.
    images.sort_by_key(|(_, image)| match image.sm {
        sm if sm <= compute_capability => (false, compute_capability - sm),
        sm => (true, sm),
    });
    let mut otherwise = None;
    for same in images.chunk_by(|(_, one), (_, other)| one.sm == other.sm) {
        let mut general = None;
        for &(index, image) in same {
            let texts = image.ptx()?;
            let Some(first) = texts.first() else { continue };
            let about = About::of(first.text.as_bytes());
            let is_special = about.one || about.family;
            let choice = Choice { index, texts };
            if is_special && about.runs_on(compute_capability) {
                return Ok(Some(choice));
            }
            (if is_special { &mut otherwise } else { &mut general }).get_or_insert(choice);
        }
        if general.is_some() {
            return Ok(general);
        }
    }
    Ok(otherwise)
}

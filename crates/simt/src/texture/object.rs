//! Texture and surface objects, by handle.

use std::collections::VecDeque;

use super::{ImageShape, LevelSampler, Sampler};

/// Where the handles of objects start: a range of values that no address has.
const HANDLES: u64 = 0x0600_0000_0000;
/// Between two handles.
const STEP: u64 = 16;
/// Handles that are left alone before one of them is used again, so that the use of an old one is noticed.
const LEFT_ALONE: usize = 256;

/// What a handle stands for.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) shape: ImageShape,
    /// Address of the first texel.
    pub(crate) base: u64,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// How it is read; none for a surface.
    pub(crate) sampler: Option<Sampler>,
    /// Whether its texels were allocated with it.
    pub(crate) owns: bool,
    /// The same image in smaller sizes.
    pub(crate) mipmaps: Option<Mipmaps>,
}

/// An image in smaller sizes, and how one of them is chosen.
#[derive(Clone, Debug)]
pub(crate) struct Mipmaps {
    pub(crate) smaller: Vec<Object>,
    pub(crate) sampler: LevelSampler,
}

impl Object {
    /// Bytes from its first texel to its last; `None` if no image has that shape, or rows would overlap.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.shape.bytes()?;
        let row = u64::from(self.shape.width) * u64::from(self.shape.texel_bytes());
        let rows = u64::from(self.shape.height) * u64::from(self.shape.depth);
        let before_last = (rows - 1).checked_mul(self.pitch)?;
        (rows == 1 || self.pitch >= row).then(|| before_last.checked_add(row))?
    }
}

/// All objects of a machine.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// By number; none where one was removed.
    objects: Vec<Option<Object>>,
    /// Numbers of those that were removed, oldest first.
    free: VecDeque<usize>,
}

impl Objects {
    /// Adds an object and returns its handle.
    pub(crate) fn add(&mut self, object: Object) -> u64 {
        let number = match self.free.front() {
            Some(&number) if self.free.len() > LEFT_ALONE => {
                self.free.pop_front();
                self.objects[number] = Some(object);
                number
            }
            _ => {
                self.objects.push(Some(object));
                self.objects.len() - 1
            }
        };
        HANDLES + STEP * number as u64
    }

    /// The object of a handle.
    pub(crate) fn get(&self, handle: u64) -> Option<&Object> {
        self.objects.get(number(handle)?)?.as_ref()
    }

    /// Removes the object of a handle.
    pub(crate) fn remove(&mut self, handle: u64) -> Option<Object> {
        let number = number(handle)?;
        let object = self.objects.get_mut(number)?.take()?;
        self.free.push_back(number);
        Some(object)
    }
}

fn number(handle: u64) -> Option<usize> {
    let offset = handle.checked_sub(HANDLES).filter(|offset| offset.is_multiple_of(STEP))?;
    usize::try_from(offset / STEP).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{Channel, ImageKind};

    fn object(height: u32, pitch: u64) -> Object {
        let (kind, channel) = (ImageKind::Plane, Channel::F32);
        let shape = ImageShape { kind, width: 10, height, depth: 1, channels: 1, channel };
        Object { shape, base: 0, pitch, sampler: None, owns: false, mipmaps: None }
    }

    #[test]
    fn the_last_row_needs_no_pitch() {
        assert_eq!(object(3, 64).bytes(), Some(2 * 64 + 40));
        assert_eq!(object(1, 0).bytes(), Some(40));
        assert_eq!(object(2, 39).bytes(), None, "rows overlap");
        assert_eq!(object(0, 64).bytes(), None);
        assert_eq!(object(3, u64::MAX).bytes(), None);
    }

    #[test]
    fn an_old_handle_stands_for_nothing_for_a_while() {
        let mut objects = Objects::default();
        let first = objects.add(object(1, 40));
        assert!(objects.get(first).is_some() && objects.get(first + 1).is_none() && objects.get(0).is_none());
        assert!(objects.remove(first).is_some() && objects.remove(first).is_none());
        let mut again = || {
            let handle = objects.add(object(1, 40));
            objects.remove(handle).map(|_| handle)
        };
        let later = (0..).map(|_| again()).position(|handle| handle == Some(first));
        assert_eq!(later, Some(LEFT_ALONE));
    }
}

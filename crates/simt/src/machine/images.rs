//! Textures and surfaces.

use super::{DevicePtr, Machine};
use crate::memory::MachineError;
use crate::texture::{ImageShape, Object, Sampler};

impl Machine {
    /// Makes a texture of these texels and returns its handle, the value that a kernel takes as `cudaTextureObject_t`.
    ///
    /// ```
    /// use warpwise_simt::{Channel, Filter, Gpu, ImageKind, ImageShape, Machine, Sampler};
    ///
    /// let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    /// let shape = ImageShape {
    ///     kind: ImageKind::Plane,
    ///     width: 2,
    ///     height: 2,
    ///     depth: 1,
    ///     channels: 1,
    ///     channel: Channel::U8,
    /// };
    /// let sampler = Sampler { filter: Filter::Linear, reads_fractions: true, ..Sampler::default() };
    /// let texture = machine.texture(shape, &[0, 255, 255, 0], sampler)?;
    /// assert_eq!(machine.texels(texture), Some(&[0, 255, 255, 0][..]));
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    pub fn texture(&mut self, shape: ImageShape, texels: &[u8], sampler: Sampler) -> Result<u64, MachineError> {
        self.object(shape, texels, Some(sampler))
    }

    /// Makes a surface of these texels and returns its handle, the value that a kernel takes as `cudaSurfaceObject_t`.
    pub fn surface(&mut self, shape: ImageShape, texels: &[u8]) -> Result<u64, MachineError> {
        self.object(shape, texels, None)
    }

    fn object(&mut self, shape: ImageShape, texels: &[u8], sampler: Option<Sampler>) -> Result<u64, MachineError> {
        let given = texels.len() as u64;
        let wanted = shape.bytes().filter(|bytes| *bytes == given).ok_or(MachineError::BadImage { bytes: given })?;
        let base = self.memory.alloc(wanted, false)?;
        self.memory.bytes_mut(base, wanted)?.copy_from_slice(texels);
        self.memory.name(base, if sampler.is_some() { "a texture" } else { "a surface" })?;
        let pitch = u64::from(shape.width) * u64::from(shape.texel_bytes());
        Ok(self.objects.add(Object { shape, base, pitch, sampler, owns: true }))
    }

    /// Makes a texture, or without a sampler a surface, of texels that lie in device memory already, and returns its
    /// handle. Rows start `pitch_bytes` apart; planes and layers follow each other row by row. The memory stays the
    /// caller's.
    ///
    /// ```
    /// use warpwise_simt::{Channel, Gpu, ImageKind, ImageShape, Machine, Sampler};
    ///
    /// let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    /// let pitched = machine.alloc(2 * 512)?;
    /// let (kind, channel) = (ImageKind::Plane, Channel::F32);
    /// let shape = ImageShape { kind, width: 100, height: 2, depth: 1, channels: 1, channel };
    /// let texture = machine.texture_over(shape, pitched, 512, Some(Sampler::default()))?;
    /// assert_eq!(machine.texels_at(texture), Some((pitched, 512 + 400)));
    /// assert!(machine.drop_object(texture));
    /// assert_eq!(machine.texels_at(texture), None);
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    pub fn texture_over(
        &mut self,
        shape: ImageShape,
        base: DevicePtr,
        pitch_bytes: u64,
        sampler: Option<Sampler>,
    ) -> Result<u64, MachineError> {
        let object = Object { shape, base: base.0, pitch: pitch_bytes, sampler, owns: false };
        let bytes = object.bytes().ok_or(MachineError::BadImage { bytes: pitch_bytes })?;
        self.memory.bytes(base.0, bytes)?;
        Ok(self.objects.add(object))
    }

    /// Forgets a texture or surface, and frees its texels if it was made with them. False if there is no such object.
    pub fn drop_object(&mut self, handle: u64) -> bool {
        match self.objects.remove(handle) {
            // Whoever freed the texels before has done this part.
            Some(object) if object.owns => self.memory.free(object.base).is_ok(),
            object => object.is_some(),
        }
    }

    /// The texels of a texture or surface now, with what lies between its rows.
    pub fn texels(&self, handle: u64) -> Option<&[u8]> {
        let object = self.objects.get(handle)?;
        self.memory.bytes(object.base, object.bytes()?).ok()
    }

    /// Where the texels of a texture or surface are, and how many bytes they have.
    pub fn texels_at(&self, handle: u64) -> Option<(DevicePtr, u64)> {
        let object = self.objects.get(handle)?;
        Some((DevicePtr(object.base), object.bytes()?))
    }
}

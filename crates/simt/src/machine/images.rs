//! Textures and surfaces.

use super::{DevicePtr, Machine};
use crate::memory::MachineError;
use crate::texture::{ImageShape, LevelSampler, Mipmaps, Object, Sampler};

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
        Ok(self.objects.add(Object { shape, base, pitch, sampler, owns: true, mipmaps: None }))
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
        let object = self.object_over(shape, base, pitch_bytes, sampler)?;
        Ok(self.objects.add(object))
    }

    fn object_over(
        &self,
        shape: ImageShape,
        base: DevicePtr,
        pitch_bytes: u64,
        sampler: Option<Sampler>,
    ) -> Result<Object, MachineError> {
        let object = Object { shape, base: base.0, pitch: pitch_bytes, sampler, owns: false, mipmaps: None };
        let bytes = object.bytes().ok_or(MachineError::BadImage { bytes: pitch_bytes })?;
        self.memory.bytes(base.0, bytes)?;
        Ok(object)
    }

    /// Makes a texture of an image in several sizes, the largest first, each with its shape, its first texel in device
    /// memory and the bytes from one row to the next, and returns its handle.
    ///
    /// ```
    /// use warpwise_simt::{Channel, Filter, Gpu, ImageKind, ImageShape, LevelSampler, Machine, Sampler};
    ///
    /// let mut machine = Machine::new(Gpu::named("h200").expect("a known GPU"));
    /// let levels = [4, 2, 1].map(|size| {
    ///     let (kind, channel) = (ImageKind::Plane, Channel::U8);
    ///     ImageShape { kind, width: size, height: size, depth: 1, channels: 1, channel }
    /// });
    /// let base = machine.alloc(3 * 512)?;
    /// let levels: Vec<_> = levels.into_iter().map(|shape| (shape, base, u64::from(shape.width))).collect();
    /// let choice = LevelSampler { filter: Filter::Linear, bias: 0.0, clamp: [0.0, 2.0] };
    /// let texture = machine.mipmapped_over(&levels, Sampler::default(), choice)?;
    /// assert_eq!(machine.texels_at(texture), Some((base, 16)), "those of the largest");
    /// assert!(machine.mipmapped_over(&[], Sampler::default(), choice).is_err());
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    pub fn mipmapped_over(
        &mut self,
        levels: &[(ImageShape, DevicePtr, u64)],
        sampler: Sampler,
        choice: LevelSampler,
    ) -> Result<u64, MachineError> {
        let object = |&(shape, base, pitch): &_| self.object_over(shape, base, pitch, Some(sampler));
        let mut levels = levels.iter().map(object).collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut first = levels.next().ok_or(MachineError::BadImage { bytes: 0 })?;
        first.mipmaps = Some(Mipmaps { smaller: levels.collect(), sampler: choice });
        Ok(self.objects.add(first))
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

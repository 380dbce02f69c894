//! Buffers of a run: allocated, filled, read back, and identified by their addresses.

use super::element::{ElementType, Value};
use super::error::RunError;
use super::fill::Fill;
use super::report::BufferReport;
use super::stages::{StageTimes, timed};
use crate::kernels::finding::Finding;
use std::path::PathBuf;
use warpwise_gpu::{Channel, Device, DeviceError, DevicePtr, ImageShape};

/// How many of the first values of a buffer a report shows.
const HEAD: u64 = 16;

/// What points to a buffer.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    /// Its index among the arguments.
    pub(super) index: usize,
    /// Its number among the members, if the argument is a struct.
    pub(super) member: Option<String>,
    /// The parameter's name in the source.
    pub(super) name: Option<String>,
}

impl Owner {
    /// `2`, or `2.0` for the first member of a struct.
    pub(super) fn number(&self) -> String {
        self.member.as_ref().map_or_else(|| self.index.to_string(), |member| format!("{}.{member}", self.index))
    }

    /// Tells buffers with random data apart.
    fn stream(&self) -> u64 {
        let inside = self.member.iter().flat_map(|m| m.bytes()).fold(0_u64, |sum, b| sum * 31 + u64::from(b));
        (self.index as u64).wrapping_add(inside << 32)
    }
}

/// A buffer on the device.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) owner: Owner,
    pub(super) ty: ElementType,
    pub(super) len: u64,
    pub(super) at: DevicePtr,
}

/// Errors while a buffer is filled: from the device, or from its file.
enum FillError {
    Device(DeviceError),
    Input(std::io::Error),
}

impl From<std::io::Error> for FillError {
    fn from(error: std::io::Error) -> Self {
        Self::Input(error)
    }
}

impl Buffer {
    /// A buffer with its contents.
    pub(super) fn new(
        device: &mut dyn Device,
        owner: Owner,
        ty: ElementType,
        len: u64,
        fill: &Fill,
        stages: &mut StageTimes,
    ) -> Result<Self, RunError> {
        let allocated = timed(&mut stages.allocate, device, |device| device.allocate(len * ty.bytes()));
        let at = allocated.map_err(|error| match error {
            DeviceError::OutOfMemory { wanted, free } => RunError::Memory { index: owner.index, wanted, free },
            other => other.into(),
        })?;
        let upload = |offset: u64, bytes: &[u8]| {
            timed(&mut stages.upload, device, |device| device.upload(DevicePtr(at.0 + offset), bytes))
                .map_err(FillError::Device)
        };
        fill.write(ty, len, owner.stream(), upload).map_err(|error| match (error, fill) {
            (FillError::Device(error), _) => error.into(),
            (FillError::Input(problem), Fill::File { path, .. }) => RunError::File { path: path.clone(), problem },
            (FillError::Input(problem), _) => RunError::File { path: PathBuf::new(), problem },
        })?;
        Ok(Self { owner, ty, len, at })
    }

    /// The texels of a surface.
    pub(super) fn surface(owner: Owner, shape: &ImageShape, at: DevicePtr) -> Self {
        let ty = match shape.channel {
            Channel::U8 => ElementType::U8,
            Channel::I8 => ElementType::I8,
            Channel::U16 => ElementType::U16,
            Channel::I16 => ElementType::I16,
            Channel::U32 => ElementType::U32,
            Channel::I32 => ElementType::I32,
            Channel::F16 => ElementType::F16,
            Channel::F32 => ElementType::F32,
        };
        Self { owner, ty, len: shape.bytes().unwrap_or(0) / ty.bytes(), at }
    }

    fn end(&self) -> u64 {
        self.at.0 + self.len * self.ty.bytes()
    }

    /// Adds to a finding which buffer its address belongs to: the one that contains it, or a nearby one.
    pub(super) fn name_in(buffers: &[Self], finding: &mut Finding, address: u64) {
        const FAR: u64 = 32 * 1024;
        let distance = |b: &Self| b.at.0.saturating_sub(address).max((address + 1).saturating_sub(b.end()));
        let Some(buffer) = buffers.iter().min_by_key(|b| distance(b)).filter(|b| distance(b) < FAR) else { return };
        let owner = &buffer.owner;
        finding.argument = Some(owner.index);
        finding.parameter = owner.name.clone();
        let place = format!("argument {}", owner.index);
        let name = owner.name.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        let name = owner.member.as_ref().map_or(name.clone(), |member| format!("{name}, member {member},"));
        let ty = format!("{}[{}]", buffer.ty.name(), buffer.len);
        if finding.variable.as_ref() == Some(&place) && finding.message.contains(&place) {
            // The message names it already, as far as the emulator knows names.
            finding.variable = None;
            finding.message = finding.message.replacen(&place, &format!("{place}{name}"), 1);
            finding.add(&format!("it is {ty}"));
        } else if distance(buffer) == 0 {
            let element = (address - buffer.at.0) / buffer.ty.bytes();
            finding.add(&format!("{place}{name} is {ty}, element {element}"));
        } else {
            finding.add(&format!("{place}{name} is {ty}"));
        }
    }

    fn values(&self, device: &mut dyn Device, first: u64, count: u64) -> Result<Vec<Value>, RunError> {
        let mut bytes = vec![0; (count * self.ty.bytes()) as usize];
        if !bytes.is_empty() {
            device.download(DevicePtr(self.at.0 + first * self.ty.bytes()), &mut bytes)?;
        }
        Ok(self.ty.decode(&bytes))
    }

    /// Its current contents.
    pub(super) fn report(&self, device: &mut dyn Device) -> Result<BufferReport, RunError> {
        let head = self.values(device, 0, self.len.min(HEAD))?;
        let last = match self.len {
            0 => None,
            len => self.values(device, len - 1, 1)?.pop(),
        };
        Ok(BufferReport {
            arg: self.owner.index,
            ty: self.ty.name(),
            len: self.len,
            head,
            last,
            member: self.owner.member.clone(),
        })
    }

    /// The name of its file among the dumped ones.
    pub(super) fn file_name(&self) -> String {
        format!("arg{}.bin", self.owner.number())
    }

    /// Writes the contents, little-endian, piece by piece.
    pub(super) fn copy_to(&self, device: &mut dyn Device, out: &mut dyn std::io::Write) -> Result<(), RunError> {
        const PIECE: u64 = 1 << 20;
        let total = self.len * self.ty.bytes();
        let mut offset = 0;
        while offset < total {
            let mut bytes = vec![0; (total - offset).min(PIECE) as usize];
            device.download(DevicePtr(self.at.0 + offset), &mut bytes)?;
            out.write_all(&bytes).map_err(|problem| RunError::File { path: self.file_name().into(), problem })?;
            offset += bytes.len() as u64;
        }
        Ok(())
    }
}

//! The emulator and a GPU after the same launch.

use super::buffers::Buffer;
use super::element::Value;
use serde::Serialize;
use warpwise_gpu::paired::{Comparison, Difference};

/// What two devices left in memory.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonReport {
    /// Whether every byte is the same.
    pub equal: bool,
    /// Bytes compared.
    pub bytes: u64,
    /// Buffers that differ.
    pub differences: Vec<BufferDifference>,
}

/// A buffer that differs.
#[derive(Clone, Debug, Serialize)]
pub struct BufferDifference {
    /// Its index among the arguments.
    pub arg: usize,
    /// Bytes that differ.
    pub bytes: u64,
    /// The first element that does.
    pub element: u64,
    /// Its value on the emulator.
    pub emulator: Value,
    /// Its value on the GPU.
    pub cuda: Value,
}

impl ComparisonReport {
    pub(super) fn new(seen: &Comparison, buffers: &[Buffer]) -> Self {
        // Buffers are identified by the order of their addresses.
        let mut order: Vec<&Buffer> = buffers.iter().collect();
        order.sort_by_key(|buffer| buffer.at.0);
        let told = |d: &Difference| BufferDifference::new(d, order.get(d.buffer)?);
        let differences: Vec<BufferDifference> = seen.differences.iter().filter_map(told).collect();
        Self { equal: seen.differences.is_empty(), bytes: seen.bytes, differences }
    }
}

impl BufferDifference {
    fn new(difference: &Difference, buffer: &Buffer) -> Option<Self> {
        let size = buffer.ty.bytes();
        let within = (difference.first_byte % 8 / size * size) as usize;
        let [emulator, cuda] = difference
            .words
            .map(|word| buffer.ty.decode(word.get(within..within + size as usize).unwrap_or_default()).pop());
        Some(Self {
            arg: buffer.owner.index,
            bytes: difference.differing,
            element: difference.first_byte / size,
            emulator: emulator?,
            cuda: cuda?,
        })
    }

    /// `argument 2: 8 bytes differ; element 17 is 1.5 on the emulator and 1.25 on the GPU`.
    pub(super) fn line(&self) -> String {
        let Self { arg, bytes, element, emulator, cuda } = self;
        format!(
            "argument {arg}: {bytes} bytes differ; element {element} is {emulator} on the emulator and {cuda} on the GPU"
        )
    }
}

//! Stand-ins for GPUs in a build without them.
//!
//! Primitives are written for both kinds of devices. Here the types of a GPU in use have no values, so the compiler
//! still checks the GPU side of every primitive, and leaves it out of every program.

use std::convert::Infallible;

use super::queue::Queue;
use super::{Argument, Part, Rows, Shape};
use crate::Error;
use crate::kernels::KernelModule;

/// An address in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DevicePtr(pub(crate) u64);

/// Why a device cannot do what it is asked to do; uninhabited.
///
/// ```
/// // There is no GPU in this build, and so nothing that it could say.
/// assert_eq!(size_of::<warpwise::DeviceError>(), 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {}

impl std::fmt::Display for DeviceError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for DeviceError {}

/// A GPU in use; uninhabited.
#[derive(Clone, Debug)]
pub(crate) struct Session(Infallible);

/// Memory on a GPU; uninhabited.
#[derive(Debug)]
pub(crate) struct Allocation(Infallible);

impl Allocation {
    pub(crate) fn ptr(&self) -> DevicePtr {
        match self.0 {}
    }

    pub(crate) fn argument(&self) -> Argument {
        match self.0 {}
    }

    pub(crate) fn before_read(&self, _: &Session) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn before_write(&self, _: &Session) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn session(&self) -> &Session {
        match self.0 {}
    }
}

impl Rows<'_> {
    pub(crate) fn worth_cutting(&self, session: &Session) -> Option<usize> {
        match session.0 {}
    }
}

impl Session {
    pub(crate) fn name(&self) -> String {
        match self.0 {}
    }

    pub(crate) fn gpu_name(&self) -> String {
        match self.0 {}
    }

    pub(crate) fn same(&self, _: &Self) -> bool {
        match self.0 {}
    }

    pub(crate) fn tuning(&self) -> &'static crate::tuning::Tuning {
        match self.0 {}
    }

    pub(crate) fn multiprocessors(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) fn cooperates(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn compute_capability(&self) -> (u32, u32) {
        match self.0 {}
    }

    pub(crate) fn shared_limit(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) fn block_that_fits(&self, _most: u32, _dynamic_per_thread: u32) -> u32 {
        match self.0 {}
    }

    pub(crate) fn blocks_at_once(&self, _threads: u32, _dynamic: u32) -> u32 {
        match self.0 {}
    }

    pub(crate) fn memory_held(&self) -> u64 {
        match self.0 {}
    }

    pub(super) fn stream(&self) -> Result<Option<(Self, Queue)>, Error> {
        match self.0 {}
    }

    pub(super) fn queue(&self) -> &Queue {
        match self.0 {}
    }

    pub(super) fn end_call(&self) {
        match self.0 {}
    }

    pub(crate) fn synchronize(&self) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn workspace(&self, _: &'static str, _: u64) -> Result<Argument, Error> {
        match self.0 {}
    }

    pub(crate) fn numbered_workspace(&self, _: &'static str, _: u64) -> Result<(Argument, Argument), Error> {
        match self.0 {}
    }

    pub(crate) fn allocate(&self, _: u64) -> Result<Allocation, Error> {
        match self.0 {}
    }

    pub(crate) fn allocate_result(&self, _: u64) -> Result<Allocation, Error> {
        match self.0 {}
    }

    pub(crate) fn allocate_copy<T>(&self, _: &[T]) -> Result<Allocation, Error> {
        match self.0 {}
    }

    #[expect(clippy::extra_unused_type_parameters, reason = "callers name the type")]
    pub(crate) fn allocate_zeroed<T>(&self, _: usize) -> Result<Allocation, Error> {
        match self.0 {}
    }

    pub(crate) fn upload<T>(&self, _: DevicePtr, _: &[T]) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn copy(&self, _: DevicePtr, _: DevicePtr, _: u64) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn download<T>(&self, _: DevicePtr, _: &mut [T]) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn download_vec<T>(&self, _: DevicePtr, _: usize) -> Result<Vec<T>, Error> {
        match self.0 {}
    }

    pub(crate) fn in_parts(
        &self,
        _: Rows<'_>,
        _: usize,
        _: impl FnMut(Part<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.0 {}
    }

    pub(crate) fn launch(&self, _: &'static KernelModule, _: &str, _: Shape, _: &[Argument]) -> Result<String, Error> {
        match self.0 {}
    }

    pub(crate) fn launch_text(&self, _: &str, _: &str, _: Shape, _: &[Argument], _: &[u64]) -> Result<String, Error> {
        match self.0 {}
    }

    pub(crate) fn launch_together(
        &self,
        _: &'static KernelModule,
        _: &str,
        _: Shape,
        _: &[Argument],
    ) -> Result<String, Error> {
        match self.0 {}
    }

    pub(crate) fn launch_with_array<T>(
        &self,
        _: &'static KernelModule,
        _: &str,
        _: Shape,
        _: &[Argument],
        _: &[T],
    ) -> Result<String, Error> {
        match self.0 {}
    }

    pub(crate) fn launch_with_constant<T>(
        &self,
        _: &'static KernelModule,
        _: (&str, &[T]),
        _: &str,
        _: Shape,
        _: &[Argument],
    ) -> Result<String, Error> {
        match self.0 {}
    }
}

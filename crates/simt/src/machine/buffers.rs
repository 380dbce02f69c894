//! Device memory, as a host sees it.

use std::ptr::NonNull;

use super::{DevicePtr, Machine};
use crate::memory::MachineError;

impl Machine {
    /// Allocates device memory, zeroed; 0 bytes is fine.
    ///
    /// Checks of initialisation still treat it as unwritten, because hardware promises nothing, until the host or a
    /// kernel writes to it. A launch without that check marks all memory as written.
    pub fn alloc(&mut self, bytes: u64) -> Result<DevicePtr, MachineError> {
        self.memory.alloc(bytes, false).map(DevicePtr)
    }

    /// Like [`Machine::alloc`], but with every byte set; it still counts as unwritten.
    pub fn alloc_filled(&mut self, bytes: u64, byte: u8) -> Result<DevicePtr, MachineError> {
        let ptr = self.alloc(bytes)?;
        self.memory.fill_unwritten(ptr.0, byte);
        Ok(ptr)
    }

    /// Makes host memory device memory, at its own address, until [`Machine::free`], which only forgets it. It counts
    /// as written. Refused if some of it is device memory already, or if there is none.
    ///
    /// ```
    /// use std::ptr::NonNull;
    /// use warpwise_simt::{Gpu, Machine};
    ///
    /// let mut machine = Machine::on_host(Gpu::named("h200").expect("a known GPU"), 1 << 30);
    /// let mut array = vec![1u32, 2, 3];
    /// let start = NonNull::new(array.as_mut_ptr().cast()).expect("not empty");
    /// // SAFETY: the array outlives its use as device memory.
    /// let device = unsafe { machine.adopt(start, 12)? };
    /// assert_eq!(device.0, array.as_ptr() as u64);
    /// machine.free(device)?;
    /// # Ok::<(), warpwise_simt::MachineError>(())
    /// ```
    ///
    /// # Safety
    /// From `host` on there must be that many initialised bytes that can be read and written, until they are freed or
    /// the machine is gone. The host may use them meanwhile, but not while the machine does: during a launch of a kernel
    /// that touches them, or while a slice of them is borrowed from the machine.
    pub unsafe fn adopt(&mut self, host: NonNull<u8>, bytes: u64) -> Result<DevicePtr, MachineError> {
        // SAFETY: passed on to the caller.
        unsafe { self.memory.adopt(host, bytes) }.map(DevicePtr)
    }

    /// Bytes allocated, without those that were adopted.
    pub fn allocated(&self) -> u64 {
        self.memory.used()
    }

    /// Frees an allocation, or forgets memory that was adopted.
    pub fn free(&mut self, ptr: DevicePtr) -> Result<(), MachineError> {
        self.memory.free(ptr.0)
    }

    /// Where the allocation that holds an address starts, and how many bytes it has. One of no bytes holds nothing.
    pub fn allocation(&self, ptr: DevicePtr) -> Option<(DevicePtr, u64)> {
        self.memory.allocation(ptr.0).map(|a| (DevicePtr(a.base), a.len))
    }

    /// Gives an allocation the name that findings use, for example `argument 0 (in)`. Allocations without one are named
    /// after the argument that points to them, if any.
    pub fn name(&mut self, ptr: DevicePtr, name: &str) -> Result<(), MachineError> {
        self.memory.name(ptr.0, name)
    }

    /// Copies to the device.
    pub fn write(&mut self, ptr: DevicePtr, bytes: &[u8]) -> Result<(), MachineError> {
        self.memory.bytes_mut(ptr.0, bytes.len() as u64)?.copy_from_slice(bytes);
        Ok(())
    }

    /// Notes that the host wrote to device memory by itself, at its own address, for the check of initialisation.
    pub fn wrote(&mut self, ptr: DevicePtr, bytes: u64) -> Result<(), MachineError> {
        self.memory.written(ptr.0, bytes)
    }

    /// Copies from the device.
    pub fn read(&self, ptr: DevicePtr, bytes: &mut [u8]) -> Result<(), MachineError> {
        bytes.copy_from_slice(self.memory.bytes(ptr.0, bytes.len() as u64)?);
        Ok(())
    }

    /// The bytes of device memory, without a copy.
    pub fn bytes(&self, ptr: DevicePtr, len: u64) -> Result<&[u8], MachineError> {
        self.memory.bytes(ptr.0, len)
    }

    /// The bytes of device memory, to be written without a copy.
    pub fn bytes_mut(&mut self, ptr: DevicePtr, len: u64) -> Result<&mut [u8], MachineError> {
        self.memory.bytes_mut(ptr.0, len)
    }
}

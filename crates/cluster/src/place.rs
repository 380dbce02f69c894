//! Where a rank computes.

use warpwise::Device;

use crate::communicator::Communicator;
use crate::link::Link;

/// The device of a rank, and how it reaches the devices of others.
///
/// ```
/// use warpwise::Device;
/// use warpwise_cluster::Place;
///
/// assert!(Place::on(Device::cpu()).device().is_cpu());
/// assert_eq!(Place::on(Device::emulator()).link(), "through host memory");
/// ```
#[derive(Clone)]
pub struct Place {
    device: Device,
    link: Link,
}

impl Place {
    /// A device whose memory is reached through that of the host.
    ///
    /// ```
    /// let place = warpwise_cluster::Place::on(warpwise::Device::cpu());
    /// assert!(place.device().is_cpu());
    /// ```
    pub fn on(device: Device) -> Self {
        Self { device, link: Link::host() }
    }

    /// A device that reaches those of the other ranks of its node through NCCL, if all of them have a CUDA device of
    /// their own, in the primary context of their process, and NCCL is installed. `node` is the name of the machine, and
    /// `gpu` a number that no other GPU of it has. All ranks have to call it.
    ///
    /// ```
    /// use warpwise::Device;
    /// use warpwise_cluster::{Communicator, Place, Threads};
    ///
    /// let links = Threads::run(2, |ranks| {
    ///     Place::open(ranks, Device::emulator(), "here", ranks.rank() as u64).link().to_owned()
    /// });
    /// assert_eq!(links, ["through host memory (no CUDA devices)"; 2]);
    /// ```
    pub fn open(ranks: &dyn Communicator, device: Device, node: &str, gpu: u64) -> Self {
        let link = Link::open(ranks, &device, &label(node), gpu);
        Self { device, link }
    }

    /// The device.
    ///
    /// ```
    /// assert!(warpwise_cluster::Place::on(warpwise::Device::cpu()).device().is_cpu());
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How elements go from its device to those of others, in words.
    ///
    /// ```
    /// assert_eq!(warpwise_cluster::Place::on(warpwise::Device::cpu()).link(), "through host memory");
    /// ```
    pub fn link(&self) -> &str {
        self.link.words()
    }

    pub(crate) fn carrier(&self) -> &Link {
        &self.link
    }
}

/// A name in as many bytes as ranks gather.
pub(crate) fn label(name: &str) -> [u8; 64] {
    let mut label = [0; 64];
    let length = name.len().min(64);
    label[..length].copy_from_slice(&name.as_bytes()[..length]);
    label
}

//! A run of the program in a rank: the other ranks, the device, and the time.

use std::path::PathBuf;
use std::rc::Rc;

use warpwise::Device;

use super::one_of;
use crate::communicator::{Communicator, gather};
use crate::place::label;
use crate::timeline::{Log, Stage, Timed};
use crate::{Error, Place, World, agree};

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cpu,
    Emulator,
    Cuda,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Cpu, Self::Emulator, Self::Cuda];

    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Emulator => "emulator",
            Self::Cuda => "cuda",
        }
    }
}

fn kind(text: &str) -> Result<Kind, String> {
    one_of(text, &Kind::ALL, Kind::name)
}

/// What all verbs share.
#[derive(clap::Args)]
pub(super) struct Common {
    /// Where each rank computes: cpu (its share of the cores), emulator, or cuda (the GPU of its place on its node)
    #[arg(long, value_name = "WHERE", default_value = "cpu", value_parser = kind)]
    device: Kind,
    /// Threads of a rank [default: the cores of the node, shared by its ranks]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Write a page with the timeline of the ranks
    #[arg(long, value_name = "FILE")]
    pub(super) page: Option<PathBuf>,
}

/// This rank among the others.
pub(super) struct Run {
    pub(super) ranks: Timed,
    pub(super) log: Rc<Log>,
    pub(super) place: Place,
    pub(super) host: String,
    pub(super) threads: usize,
    pub(super) started: Option<f64>,
}

/// The name of this machine.
fn host() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: the name is written into the array, with its length.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len()) };
    if status != 0 {
        return "unknown".to_owned();
    }
    String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned()
}

impl Run {
    pub(super) fn new(world: World) -> Self {
        let log = Log::new();
        let ranks = Timed::new(Box::new(world), &log);
        Self { ranks, log, place: Place::on(Device::cpu()), host: host(), threads: 1, started: None }
    }

    pub(super) fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Takes the threads and the device that this rank has on its node, and says which, once.
    pub(super) fn place(&mut self, common: &Common) -> Result<(), Error> {
        let name = label(&self.host);
        let hosts = gather(&self.ranks, name);
        let local = hosts[..self.ranks.rank()].iter().filter(|host| **host == name).count();
        let beside = hosts.iter().filter(|host| **host == name).count();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if common.threads == Some(0) {
            return agree(&self.ranks, Err(Error::flag("--threads", "0 is too few: use at least 1")));
        }
        self.threads = common.threads.unwrap_or((cores / beside).max(1));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build_global();
        agree(&self.ranks, pool.map_err(|error| Error::flag("--threads", format!("no such threads: {error}"))))?;
        self.place = match common.device {
            Kind::Cpu => Place::on(Device::cpu()),
            Kind::Emulator => Place::on(Device::emulator()),
            Kind::Cuda => {
                let (device, gpu) = agree(&self.ranks, cuda(local))?;
                Place::open(&self.ranks, device, &self.host, gpu)
            }
        };
        if self.is_first() && !common.json {
            let (size, host, threads) = (self.ranks.size(), &self.host, self.threads);
            let what = match common.device {
                Kind::Cpu if threads == 1 => "one thread of the CPU each".to_owned(),
                Kind::Cpu => format!("{threads} threads of the CPU each"),
                Kind::Emulator => "the emulator each".to_owned(),
                Kind::Cuda if size == 1 => "a GPU".to_owned(),
                Kind::Cuda => format!("a GPU each, which reach each other {}", self.place.link()),
            };
            match size {
                1 => eprintln!("note: one rank on {host}, {}", what.trim_end_matches(" each")),
                _ => eprintln!("note: {size} ranks, {beside} of them on {host}, {what}"),
            }
        }
        crate::communicator::barrier(&self.ranks);
        self.started = Some(self.log.seconds());
        Ok(())
    }

    /// Reads something: the time until all ranks have counts as reading, and they agree on the result.
    pub(super) fn reading<T>(&self, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.log.during(Stage::Read, || agree(self.ranks.untimed(), read()))
    }
}

/// The GPU of a rank by its place on its node, and a number that no other GPU there has.
fn cuda(local: usize) -> Result<(Device, u64), Error> {
    use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy, NoCuda, gpus};

    let none = |error: NoCuda| Error::flag("--device", format!("{error}: use --device cpu"));
    let gpus = gpus().map_err(none)?;
    let Some(facts) = gpus.get(local % gpus.len().max(1)) else { return Err(none(NoCuda::Gpu)) };
    // The primary context is the one that NCCL works in.
    let policy = MemoryPolicy { shared: true, ..MemoryPolicy::default() };
    let gpu = CudaDevice::open(facts.ordinal, policy).map_err(none)?;
    let (bus, device) = facts.pci;
    let number = u64::from(facts.pci_domain) << 32 | u64::from(bus) << 8 | u64::from(device);
    Ok((Device::on(Box::new(gpu)), number))
}

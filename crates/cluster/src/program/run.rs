//! A run of the program in a rank: the other ranks, the device, and the time.

use std::path::PathBuf;
use std::rc::Rc;

use warpwise::Device;

use super::one_of;
use crate::communicator::{Communicator, gather};
use crate::timeline::{Log, Stage, Timed};
use crate::{Error, World, agree};

/// Where a rank computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Cpu,
    Emulator,
    Cuda,
}

impl Place {
    const ALL: [Self; 3] = [Self::Cpu, Self::Emulator, Self::Cuda];

    fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Emulator => "emulator",
            Self::Cuda => "cuda",
        }
    }
}

fn place(text: &str) -> Result<Place, String> {
    one_of(text, &Place::ALL, Place::name)
}

/// What all verbs share.
#[derive(clap::Args)]
pub(super) struct Common {
    /// Where each rank computes: cpu (its share of the cores), emulator, or cuda (the GPU of its place on its node)
    #[arg(long, value_name = "WHERE", default_value = "cpu", value_parser = place)]
    device: Place,
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
    pub(super) device: Device,
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
        Self { ranks, log, device: Device::cpu(), host: host(), threads: 1, started: None }
    }

    pub(super) fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Takes the threads and the device that this rank has on its node, and says which, once.
    pub(super) fn place(&mut self, common: &Common) -> Result<(), Error> {
        let mut name = [0_u8; 64];
        let length = self.host.len().min(64);
        name[..length].copy_from_slice(&self.host.as_bytes()[..length]);
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
        self.device = agree(&self.ranks, open(common.device, local))?;
        if self.is_first() && !common.json {
            let what = match common.device {
                Place::Cpu => format!("{} threads of the CPU each", self.threads),
                Place::Emulator => "the emulator each".to_owned(),
                Place::Cuda => "a GPU each; what goes between GPUs goes through host memory".to_owned(),
            };
            eprintln!("note: {} ranks, {beside} of them on {}, {what}", self.ranks.size(), self.host);
        }
        crate::communicator::barrier(&self.ranks);
        self.started = Some(self.log.seconds());
        Ok(())
    }

    /// Reads something: the time counts as reading, and all ranks agree on the result.
    pub(super) fn reading<T>(&self, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let result = self.log.during(Stage::Read, read);
        agree(&self.ranks, result)
    }
}

fn open(place: Place, local: usize) -> Result<Device, Error> {
    match place {
        Place::Cpu => Ok(Device::cpu()),
        Place::Emulator => Ok(Device::emulator()),
        Place::Cuda => {
            use warpwise_gpu::cuda::{CudaDevice, MemoryPolicy, gpus};

            let none =
                |error: warpwise_gpu::cuda::NoCuda| Error::flag("--device", format!("{error}: use --device cpu"));
            let count = gpus().map_err(none)?.len().max(1);
            let gpu = CudaDevice::open((local % count) as u32, MemoryPolicy::default()).map_err(none)?;
            Ok(Device::on(Box::new(gpu)))
        }
    }
}

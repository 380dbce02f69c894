//! NCCL, loaded when the program runs: a machine without it needs none.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use libloading::Library;
use warpwise::{Device, Stream};

use crate::communicator::{Communicator, broadcast, gather};
use crate::{Error, agree};

/// What the library is called, from the name that every installation has to that of a development package.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// What all ranks of a group need to know of each other: `ncclUniqueId`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Id([u8; 128]);

type Status = c_int;
type Group = *mut c_void;
type CudaStream = *mut c_void;

/// `ncclUint8`: messages are bytes.
const BYTES: c_int = 1;

/// The functions of the library that are used.
struct Functions {
    version: unsafe extern "C" fn(*mut c_int) -> Status,
    error: unsafe extern "C" fn(Status) -> *const c_char,
    new_id: unsafe extern "C" fn(*mut Id) -> Status,
    join: unsafe extern "C" fn(*mut Group, c_int, Id, c_int) -> Status,
    leave: unsafe extern "C" fn(Group) -> Status,
    abort: unsafe extern "C" fn(Group) -> Status,
    begin: unsafe extern "C" fn() -> Status,
    end: unsafe extern "C" fn() -> Status,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Group, CudaStream) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Group, CudaStream) -> Status,
}

impl Functions {
    fn load() -> Option<Self> {
        // SAFETY: NCCL may be loaded at any time.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok())?;
        // Its threads may outlive every user.
        let library: &'static Library = Box::leak(Box::new(library));
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the types are those of nccl.h, which are the same in all versions from 2.7 on.
                *unsafe { library.get($name) }.ok()?
            };
        }
        Some(Self {
            version: function!(b"ncclGetVersion"),
            error: function!(b"ncclGetErrorString"),
            new_id: function!(b"ncclGetUniqueId"),
            join: function!(b"ncclCommInitRank"),
            leave: function!(b"ncclCommDestroy"),
            abort: function!(b"ncclCommAbort"),
            begin: function!(b"ncclGroupStart"),
            end: function!(b"ncclGroupEnd"),
            send: function!(b"ncclSend"),
            receive: function!(b"ncclRecv"),
        })
    }

    fn get() -> Option<&'static Self> {
        static LOADED: OnceLock<Option<Functions>> = OnceLock::new();
        LOADED.get_or_init(Self::load).as_ref()
    }

    fn check(&self, status: Status) -> Result<(), Error> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: NCCL has a text for every status, which stays.
        let text = unsafe { CStr::from_ptr((self.error)(status)) };
        Err(Error::Ranks(format!("NCCL: {}", text.to_string_lossy())))
    }
}

/// A message: the rank within the group, the address in device memory, and the bytes.
pub(super) type Message = (usize, u64, usize);

/// Ranks whose GPUs reach each other through NCCL.
pub(super) struct Nccl {
    functions: &'static Functions,
    /// None once it is given up.
    group: Cell<Group>,
    /// The order of work that messages have, beside that of the device.
    stream: Stream,
}

impl Nccl {
    /// A group of these ranks, all on one node, or why there is none: in all of them the same.
    pub(super) fn open(ranks: &dyn Communicator, device: &Device, gpu: u64) -> Result<Self, String> {
        if ranks.size() == 1 {
            return Err("one rank".to_owned());
        }
        let (functions, is_cuda) = (Functions::get(), matches!(device.with_stream(|_| ()), Ok(Some(()))));
        let mut lacks = [u64::from(!is_cuda), u64::from(functions.is_none())];
        ranks.max_all(&mut lacks);
        let gpus = gather(ranks, gpu);
        if lacks[0] > 0 {
            return Err("no CUDA devices".to_owned());
        }
        if (0..gpus.len()).any(|rank| gpus[..rank].contains(&gpus[rank])) {
            return Err("ranks share a GPU".to_owned());
        }
        let (0, Some(functions)) = (lacks[1], functions) else {
            return Err(format!("{} was not found", NAMES[0]));
        };
        Self::join(ranks, device, functions).map_err(|error| error.to_string())
    }

    fn join(ranks: &dyn Communicator, device: &Device, functions: &'static Functions) -> Result<Self, Error> {
        let mut id = Id([0; 128]);
        let made = match ranks.rank() {
            // SAFETY: the id is written.
            0 => functions.check(unsafe { (functions.new_id)(&raw mut id) }),
            _ => Ok(()),
        };
        agree(ranks, made)?;
        broadcast(ranks, 0, &mut id.0);
        let stream = agree(ranks, device.stream().map_err(Error::from))?;
        let (me, size) = (ranks.rank() as c_int, ranks.size() as c_int);
        let mut group = std::ptr::null_mut();
        let joined = device.with_stream(|_| {
            // SAFETY: the group is written; the id and the numbers are those that all ranks agree on, and the context of
            // the device is the current one.
            functions.check(unsafe { (functions.join)(&raw mut group, size, id, me) })
        });
        let joined = joined.map_err(Error::from).and_then(|joined| joined.unwrap_or(Ok(())));
        let nccl = Self { functions, group: Cell::new(group), stream };
        agree(ranks, joined)?;
        Ok(nccl)
    }

    pub(super) fn version(&self) -> String {
        let mut number = 0;
        // SAFETY: the number is written.
        if unsafe { (self.functions.version)(&raw mut number) } != 0 {
            return "of an unknown version".to_owned();
        }
        format!("{}.{}.{}", number / 10_000, number % 10_000 / 100, number % 100)
    }

    /// Begins to send and receive, after all that has been asked of the device, and beside what is asked next.
    pub(super) fn exchange(&self, device: &Device, sends: &[Message], receives: &[Message]) -> Result<(), Error> {
        let (functions, beside, group) = (self.functions, self.stream.device(), self.group.get());
        if group.is_null() {
            return Err(Error::Ranks("NCCL was given up after a failure".to_owned()));
        }
        beside.follow(device)?;
        let queued = beside.with_stream(|stream| {
            let (stream, check) = (stream as CudaStream, |status| functions.check(status));
            // SAFETY: a group of calls; the memory is the device's, and nobody else uses it until the end.
            check(unsafe { (functions.begin)() })?;
            let mut result = Ok(());
            for &(rank, at, bytes) in sends {
                // SAFETY: as above.
                let sent = unsafe { (functions.send)(at as *const c_void, bytes, BYTES, rank as c_int, group, stream) };
                result = result.and_then(|()| check(sent));
            }
            for &(rank, at, bytes) in receives {
                // SAFETY: as above.
                let received =
                    unsafe { (functions.receive)(at as *mut c_void, bytes, BYTES, rank as c_int, group, stream) };
                result = result.and_then(|()| check(received));
            }
            // SAFETY: as above.
            result.and(check(unsafe { (functions.end)() }))
        })?;
        queued.unwrap_or(Ok(()))
    }

    /// What is asked of the device from now on comes after the messages.
    pub(super) fn end(&self, device: &Device) -> Result<(), Error> {
        Ok(device.follow(self.stream.device())?)
    }

    /// Leaves the group without waiting for messages: they may never come.
    pub(super) fn give_up(&self) {
        self.leave(self.functions.abort);
    }

    fn leave(&self, how: unsafe extern "C" fn(Group) -> Status) {
        let group = self.group.replace(std::ptr::null_mut());
        if !group.is_null() {
            // SAFETY: the group has been joined, and this is its last use.
            let _ = unsafe { how(group) };
        }
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        // A rank that panics must not wait for the others.
        self.leave(if std::thread::panicking() { self.functions.abort } else { self.functions.leave });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threads;
    use warpwise::{Buffer, MemoryPolicy};

    #[test]
    #[ignore = "needs a GPU and NCCL: a group of one sends to itself"]
    fn a_group_of_one_reaches_itself() {
        let ends = Threads::run(1, |ranks| {
            let policy = MemoryPolicy { shared: true, ..MemoryPolicy::default() };
            let device = Device::cuda_with(policy).expect("there is a GPU");
            let functions = Functions::get().expect("libnccl.so.2 is found");
            let nccl = Nccl::join(ranks, &device, functions).expect("a group of one");
            println!("NCCL {}", nccl.version());
            let xs: Vec<u32> = (0..1 << 20).collect();
            let memory = Buffer::from_slice(&device, &xs).unwrap();
            let at = memory.address();
            nccl.exchange(&device, &[(0, at, 1 << 20)], &[(0, at + (3 << 20), 1 << 20)]).unwrap();
            nccl.end(&device).unwrap();
            memory.to_vec().unwrap()
        });
        let quarter = 1 << 18;
        assert_eq!(ends[0][3 * quarter..], ends[0][..quarter]);
        assert!(ends[0][..3 * quarter].iter().copied().eq(0..3 * quarter as u32));
    }
}

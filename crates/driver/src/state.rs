//! Everything the driver knows, behind one lock.
//!
//! A call locks it, looks its handles up, and does its work at once; what has to wait for the host's own functions goes
//! through the [queue](crate::queue). The lock is a static that is never dropped: clients call in from exit handlers.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use warpwise_arch::Gpu;
use warpwise_simt::{Checks, Machine};
use warpwise_trace::{Bounds, Settings};

use crate::clock::DeviceClock;
use crate::context::{Context, Primary};
use crate::edge;
use crate::error::{Error, Outcome};
use crate::event::Event;
use crate::follow::Following;
use crate::graph::{Capture, Condition, Exec, Graph, Node, UserObject};
use crate::handles::Table;
use crate::host_checks::HostChecks;
use crate::launch::Estimates;
use crate::link::Link;
use crate::memory::Memory;
use crate::module::{Function, Library, Module};
use crate::output::Output;
use crate::stream::Stream;
use crate::texture::{Array, Mipmaps, TextureObject};
use crate::trace::Trace;

/// The driver's state.
pub(crate) struct State {
    pub(crate) settings: Settings,
    /// What launches are checked for.
    pub(crate) checks: Checks,
    pub(crate) gpu: Gpu,
    pub(crate) machine: Machine,
    pub(crate) memory: Memory,
    pub(crate) contexts: Table<Context>,
    pub(crate) primary: Primary,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) libraries: Table<Library>,
    pub(crate) links: Table<Link>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) nodes: Table<Node>,
    pub(crate) captures: Table<Capture>,
    /// Values of the conditions of graphs.
    pub(crate) conditions: Table<Condition>,
    pub(crate) execs: Table<Exec>,
    pub(crate) user_objects: Table<UserObject>,
    pub(crate) arrays: Table<Array>,
    pub(crate) mipmaps: Table<Mipmaps>,
    pub(crate) textures: Table<TextureObject>,
    pub(crate) clock: DeviceClock,
    /// How long launches take on the GPU.
    pub(crate) estimates: Estimates,
    pub(crate) following: Following,
    pub(crate) host_checks: HostChecks,
    pub(crate) output: Output,
    pub(crate) trace: Trace,
}

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);
/// Whether there is a state: quicker to ask than the lock.
static READY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread runs a function of the host's for a stream: such a function may not call the driver.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Makes the state, if there is none yet.
pub(crate) fn initialize() -> Outcome {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.is_some() {
        return Ok(());
    }
    let settings = Settings::of_process().unwrap_or_else(|error| {
        eprintln!("warpwise: {error}; using the defaults");
        Settings::default()
    });
    edge::watch_forks();
    edge::set_verbose(settings.verbose);
    let gpu = Gpu::named(&settings.gpu).ok_or_else(|| {
        eprintln!("warpwise: there is no GPU called {}; known are {}", settings.gpu, Gpu::names().join(", "));
        Error::NO_DEVICE
    })?;
    let checks = settings.checks.parse().unwrap_or_else(|error| {
        eprintln!("warpwise: {error}; checking nothing");
        Checks::NONE
    });
    *state = Some(Box::new(State {
        machine: match settings.bounds {
            Bounds::Padded => Machine::on_host_padded(gpu.clone(), u64::MAX),
            Bounds::Exact => Machine::on_host(gpu.clone(), u64::MAX),
        },
        memory: Memory::new(&settings),
        trace: Trace::open(&settings),
        gpu,
        checks,
        clock: DeviceClock::new(settings.clock),
        estimates: Estimates::default(),
        settings,
        contexts: Table::default(),
        primary: Primary::default(),
        modules: Table::default(),
        functions: Table::default(),
        libraries: Table::default(),
        links: Table::default(),
        streams: Table::default(),
        events: Table::default(),
        graphs: Table::default(),
        nodes: Table::default(),
        captures: Table::default(),
        conditions: Table::default(),
        execs: Table::default(),
        user_objects: Table::default(),
        arrays: Table::default(),
        mipmaps: Table::default(),
        textures: Table::default(),
        following: Following::default(),
        host_checks: HostChecks::default(),
        output: Output::default(),
    }));
    READY.store(true, Ordering::Release);
    Ok(())
}

/// The state, locked.
pub(crate) struct Locked(Option<MutexGuard<'static, Option<Box<State>>>>);

/// Locks the state for a call of the API.
#[inline]
pub(crate) fn lock() -> Outcome<Locked> {
    if !READY.load(Ordering::Acquire) {
        return Err(Error::NOT_INITIALIZED);
    }
    if IN_CALLBACK.get() {
        return Err(Error::NOT_PERMITTED);
    }
    Ok(lock_for_work())
}

/// Locks the state, which has been made, for the driver's own thread.
pub(crate) fn lock_for_work() -> Locked {
    Locked(Some(STATE.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Locks the state, if there is one and nobody else has it.
pub(crate) fn try_lock() -> Option<Locked> {
    let state = match STATE.try_lock() {
        Ok(state) => state,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    state.is_some().then_some(Locked(Some(state)))
}

/// Whether this thread runs a function of the host's for a stream.
pub(crate) fn in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Calls a function of the host's, which may not call the driver. There is one at a time, as on hardware.
pub(crate) fn as_callback<T>(function: impl FnOnce() -> T) -> T {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    IN_CALLBACK.set(true);
    let value = function();
    IN_CALLBACK.set(false);
    value
}

impl Locked {
    /// Does something with the lock released.
    pub(crate) fn unlocked<T>(&mut self, action: impl FnOnce() -> T) -> T {
        self.0 = None;
        let value = action();
        self.0 = Some(STATE.lock().unwrap_or_else(PoisonError::into_inner));
        value
    }
}

impl Deref for Locked {
    type Target = State;

    #[inline]
    fn deref(&self) -> &State {
        self.0.as_ref().and_then(|state| state.as_deref()).expect("locked only once there is a state")
    }
}

impl DerefMut for Locked {
    #[inline]
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().and_then(|state| state.as_deref_mut()).expect("locked only once there is a state")
    }
}

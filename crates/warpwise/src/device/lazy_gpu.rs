//! A GPU for tests that puts everything off: work of a lane is done when somebody waits for that lane, or when another
//! lane that follows it gets there. What should wait and does not sees what was there before.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use warpwise_gpu::emulated::EmulatedDevice;
use warpwise_gpu::{Device, DeviceError, DevicePtr, Gpu, Launch, Mark, Module, ModuleSource, Point, Report};

type Task = Box<dyn FnOnce(&mut EmulatedDevice) -> Result<(), DeviceError> + Send>;

enum Work {
    Do(Task),
    /// Work of a lane, up to that much.
    Follow(usize, usize),
}

/// What a lane has been given, what it has done, and its memory that is free.
#[derive(Default)]
struct Order {
    work: VecDeque<Work>,
    done: usize,
    free: Vec<(u64, DevicePtr)>,
}

struct World {
    gpu: EmulatedDevice,
    orders: Vec<Order>,
    sizes: HashMap<u64, u64>,
}

impl World {
    fn get_to(&mut self, lane: usize, work: usize) -> Result<(), DeviceError> {
        while self.orders[lane].done < work {
            let next = self.orders[lane].work.pop_front().expect("there is that much");
            self.orders[lane].done += 1;
            match next {
                Work::Do(task) => task(&mut self.gpu)?,
                Work::Follow(other, work) => self.get_to(other, work)?,
            }
        }
        Ok(())
    }
}

/// One lane of it.
pub(super) struct LazyGpu {
    world: Arc<Mutex<World>>,
    lane: usize,
    gpu: Gpu,
}

impl LazyGpu {
    pub(super) fn new() -> Self {
        let gpu = Gpu::named("h200").expect("in the table");
        let emulated = EmulatedDevice::new(gpu.clone());
        let world = World { gpu: emulated, orders: vec![Order::default()], sizes: HashMap::new() };
        Self { world: Arc::new(Mutex::new(world)), lane: 0, gpu }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no test panics in it")
    }

    fn put_off(&self, work: Work) {
        self.world().orders[self.lane].work.push_back(work);
    }

    fn later(&self, task: impl FnOnce(&mut EmulatedDevice) -> Result<(), DeviceError> + Send + 'static) {
        self.put_off(Work::Do(Box::new(task)));
    }

    fn given(&self) -> usize {
        let order = &self.world().orders[self.lane];
        order.done + order.work.len()
    }
}

impl Device for LazyGpu {
    fn name(&self) -> String {
        "lazy".to_owned()
    }

    fn allocate(&mut self, bytes: u64) -> Result<DevicePtr, DeviceError> {
        let world = &mut *self.world();
        let free = &mut world.orders[self.lane].free;
        if let Some(kept) = free.iter().position(|&(size, _)| size == bytes) {
            return Ok(free.swap_remove(kept).1);
        }
        let at = world.gpu.allocate(bytes)?;
        world.sizes.insert(at.0, bytes);
        Ok(at)
    }

    fn free(&mut self, buffer: DevicePtr) -> Result<(), DeviceError> {
        let world = &mut *self.world();
        let bytes = world.sizes[&buffer.0];
        world.orders[self.lane].free.push((bytes, buffer));
        Ok(())
    }

    fn upload(&mut self, to: DevicePtr, bytes: &[u8]) -> Result<(), DeviceError> {
        let bytes = bytes.to_vec();
        self.later(move |gpu| gpu.upload(to, &bytes));
        Ok(())
    }

    fn download(&mut self, from: DevicePtr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.synchronize()?;
        self.world().gpu.download(from, bytes)
    }

    fn fill(&mut self, to: DevicePtr, byte: u8, bytes: u64) -> Result<(), DeviceError> {
        self.later(move |gpu| gpu.fill(to, byte, bytes));
        Ok(())
    }

    fn copy(&mut self, from: DevicePtr, to: DevicePtr, bytes: u64) -> Result<(), DeviceError> {
        self.later(move |gpu| gpu.copy(from, to, bytes));
        Ok(())
    }

    fn load(&mut self, source: Arc<dyn ModuleSource>) -> Result<Module, DeviceError> {
        self.world().gpu.load(source)
    }

    fn is_ready(&self, module: Module, kernel: &str) -> bool {
        self.world().gpu.is_ready(module, kernel)
    }

    fn prepare(&mut self, module: Module, kernel: &str) -> Result<(), DeviceError> {
        self.world().gpu.prepare(module, kernel)
    }

    fn launch(&mut self, module: Module, kernel: &str, launch: &Launch) -> Result<Report, DeviceError> {
        let (kernel, launch) = (kernel.to_owned(), launch.clone());
        self.later(move |gpu| gpu.launch(module, &kernel, &launch).map(drop));
        Ok(Report::default())
    }

    fn variable(&mut self, module: Module, name: &str) -> Option<(DevicePtr, u64)> {
        self.world().gpu.variable(module, name)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        let given = self.given();
        self.world().get_to(self.lane, given)
    }

    fn fork(&mut self) -> Result<Option<Box<dyn Device>>, DeviceError> {
        let orders = &mut self.world().orders;
        orders.push(Order::default());
        let lane = orders.len() - 1;
        Ok(Some(Box::new(Self { world: Arc::clone(&self.world), lane, gpu: self.gpu.clone() })))
    }

    fn point(&mut self) -> Result<Point, DeviceError> {
        Ok(Point::new((self.lane, self.given())))
    }

    fn follow(&mut self, point: &Point) -> Result<(), DeviceError> {
        let &(lane, work) = point.get::<(usize, usize)>().expect("made here");
        self.put_off(Work::Follow(lane, work));
        Ok(())
    }

    fn mark(&mut self) -> Result<Mark, DeviceError> {
        Ok(Mark(0))
    }

    fn elapsed_ms(&mut self, _: Mark, _: Mark) -> Result<f64, DeviceError> {
        Ok(0.0)
    }

    fn clear_marks(&mut self) {}

    fn memory_held(&mut self) -> u64 {
        self.world().gpu.memory_held()
    }

    fn generation(&self) -> u32 {
        0
    }

    fn gpu(&self) -> &Gpu {
        &self.gpu
    }
}

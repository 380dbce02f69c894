//! Choices that reduce offers.

/// Who combines the partial results of the blocks.
///
/// ```
/// use warpwise::Device;
/// use warpwise::reduce::{Finish, Reduce, Rung};
///
/// let sum = Reduce::new().variant(Rung::Shuffle).finish(Finish::Recursive);
/// assert_eq!(sum.run(&Device::emulator(), &[1; 5000])?, 5000);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The GPU, by launching the kernel again on the partials until one is left.
    #[default]
    Gpu,
    /// The GPU too, by a host function that reduces the partials like any elements: it calls itself.
    Recursive,
    /// The CPU, after one launch.
    Cpu,
}

impl Finish {
    /// Every way.
    ///
    /// ```
    /// use warpwise::reduce::Finish;
    ///
    /// assert_eq!(Finish::ALL.map(Finish::name), ["gpu", "recursive", "cpu"]);
    /// ```
    pub const ALL: [Self; 3] = [Self::Gpu, Self::Recursive, Self::Cpu];

    /// The name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::Finish::default().name(), "gpu");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Recursive => "recursive",
            Self::Cpu => "cpu",
        }
    }
}

/// In which order floats are summed or multiplied. Everything else has one result in any order.
///
/// ```
/// use warpwise::Device;
/// use warpwise::reduce::{Order, Reduce};
///
/// let xs: Vec<f32> = (0..100_000).map(|i| 1.0 / (1 + i) as f32).collect();
/// let sum = Reduce::new().order(Order::Reproducible);
/// assert_eq!(sum.run(&Device::cpu(), &xs)?.to_bits(), sum.run(&Device::emulator(), &xs)?.to_bits());
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The fastest one on the device.
    #[default]
    Fast,
    /// One tree that depends only on the number of elements: the same bits on every device.
    Reproducible,
}

impl Order {
    /// Both orders.
    ///
    /// ```
    /// use warpwise::reduce::Order;
    ///
    /// assert_eq!(Order::ALL.map(Order::name), ["fast", "reproducible"]);
    /// ```
    pub const ALL: [Self; 2] = [Self::Fast, Self::Reproducible];

    /// The name, as the command line spells it.
    ///
    /// ```
    /// assert_eq!(warpwise::reduce::Order::default().name(), "fast");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Reproducible => "reproducible",
        }
    }
}

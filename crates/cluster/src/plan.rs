//! How long runs would take that cannot be made here: a model of ranks and of the network between them.
//!
//! The network is LogGP's: a message of b bytes takes o at its sender, L on its way, b G for its bytes and o at its
//! receiver, and two messages of a rank are at least g apart. Ranks compute at rates that were measured on one of them.
//! What the primitives exchange is what their code exchanges; work that an exchange hides behind counts once.

use warpwise::heat::cpu::Slab;

/// A network, in seconds and seconds per byte.
///
/// ```
/// use warpwise_cluster::plan::Network;
///
/// let network: Network = "latency=1.5us,bandwidth=25GB/s".parse().unwrap();
/// assert_eq!((network.latency, network.per_byte), (1.5e-6, 1.0 / 25e9));
/// assert!("latency=fast".parse::<Network>().unwrap_err().contains("latency=1.5us"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// L: the time that a message is on its way.
    pub latency: f64,
    /// o: the time that a rank is busy with sending or receiving a message.
    pub overhead: f64,
    /// g: the least time between two messages.
    pub gap: f64,
    /// G: the time of a byte.
    pub per_byte: f64,
}

impl std::str::FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text} is not a network: write it like latency=1.5us,bandwidth=25GB/s,overhead=0.5us");
        let mut network = Self { latency: 1.5e-6, overhead: 0.5e-6, gap: 0.2e-6, per_byte: 1.0 / 25e9 };
        for entry in text.split(',').filter(|entry| !entry.trim().is_empty()) {
            let (name, value) = entry.trim().split_once('=').ok_or_else(bad)?;
            let value = quantity(value.trim()).filter(|value| *value > 0.0).ok_or_else(bad)?;
            match name.trim() {
                "latency" | "L" => network.latency = value,
                "overhead" | "o" => network.overhead = value,
                "gap" | "g" => network.gap = value,
                "bandwidth" => network.per_byte = 1.0 / value,
                _ => return Err(bad()),
            }
        }
        Ok(network)
    }
}

/// A number with a unit: seconds, or bytes per second.
fn quantity(text: &str) -> Option<f64> {
    let units =
        [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("GB/s", 1e9), ("MB/s", 1e6), ("Gbit/s", 1e9 / 8.0), ("s", 1.0)];
    let (number, factor) = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    number.trim().parse::<f64>().ok().map(|number| number * factor)
}

impl Network {
    /// The time of one message.
    ///
    /// ```
    /// # use warpwise_cluster::plan::Network;
    /// let network: Network = "latency=1us,bandwidth=1GB/s,overhead=1us".parse().unwrap();
    /// assert!((network.message(1e6) - 1.003e-3).abs() < 1e-9);
    /// ```
    pub fn message(&self, bytes: f64) -> f64 {
        2.0 * self.overhead + self.latency + bytes * self.per_byte
    }

    /// A broadcast, or numbers that all ranks agree on: as many messages one after the other as a tree has levels.
    ///
    /// ```
    /// # use warpwise_cluster::plan::Network;
    /// let network: Network = "latency=1us,bandwidth=1GB/s".parse().unwrap();
    /// assert!(network.tree(8.0, 1024) > 9.9 * network.message(8.0));
    /// assert_eq!(network.tree(8.0, 1), 0.0);
    /// ```
    pub fn tree(&self, bytes: f64, ranks: usize) -> f64 {
        levels(ranks) * self.message(bytes)
    }

    /// A message from every rank to every other.
    ///
    /// ```
    /// # use warpwise_cluster::plan::Network;
    /// let network: Network = "latency=1us,bandwidth=1GB/s".parse().unwrap();
    /// assert!(network.all_to_all(1e6, 4) > 3e-3);
    /// ```
    pub fn all_to_all(&self, bytes: f64, ranks: usize) -> f64 {
        if ranks < 2 {
            return 0.0;
        }
        let each = self.gap.max(self.overhead) + bytes * self.per_byte;
        (ranks - 1) as f64 * each + 2.0 * self.overhead + self.latency
    }
}

fn levels(ranks: usize) -> f64 {
    f64::from(ranks.max(1).next_power_of_two().trailing_zeros())
}

/// What a run computes.
///
/// ```
/// use warpwise_cluster::plan::Problem;
///
/// let heat = Problem::Heat { rows: 100_000, columns: 100_000, iterations: 1000, threshold: true };
/// assert_eq!(heat.memory(1000), 4.0 * 8.0 * 1e10 / 1000.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Problem {
    /// Heat in `f64`; with a threshold, all ranks agree on the largest change.
    Heat {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Steps.
        iterations: usize,
        /// Whether every step may be the last.
        threshold: bool,
    },
    /// The sum of numbers of that many bytes.
    Reduce {
        /// How many numbers.
        length: usize,
        /// Bytes of one.
        bytes: usize,
    },
    /// A sort of numbers of that many bytes.
    Sort {
        /// How many numbers.
        length: usize,
        /// Bytes of one.
        bytes: usize,
    },
    /// A product of `f32` matrices.
    Matmul {
        /// Rows of A.
        m: usize,
        /// Columns of A.
        k: usize,
        /// Columns of B.
        n: usize,
    },
}

/// What one rank does in a second, alone: cells of heat, bytes that are reduced, numbers that are sorted or
/// partitioned, and operations of a product.
///
/// ```
/// use warpwise_cluster::plan::Rates;
///
/// let rates = Rates { heat: 1e9, reduce: 1e10, sort: 1e8, partition: 8e8, matmul: 5e10 };
/// assert!(rates.partition > rates.sort);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rates {
    /// Cells and steps of heat.
    pub heat: f64,
    /// Bytes that are reduced.
    pub reduce: f64,
    /// Numbers that are sorted.
    pub sort: f64,
    /// Numbers that are told apart by the rank that they go to.
    pub partition: f64,
    /// Multiplications and additions of a product.
    pub matmul: f64,
}

impl Rates {
    /// Rates between these and others: times are a share of the way from one to the other.
    ///
    /// ```
    /// use warpwise_cluster::plan::Rates;
    ///
    /// let alone = Rates { heat: 1e9, reduce: 1e10, sort: 1e8, partition: 8e8, matmul: 5e10 };
    /// let busy = Rates { reduce: 5e9, ..alone };
    /// assert_eq!(alone.towards(&busy, 1.0), busy);
    /// assert_eq!(alone.towards(&busy, 0.0), alone);
    /// ```
    #[must_use]
    pub fn towards(&self, others: &Self, share: f64) -> Self {
        let between = |a: f64, b: f64| if a == b { a } else { 1.0 / ((1.0 - share) / a + share / b) };
        Self {
            heat: between(self.heat, others.heat),
            reduce: between(self.reduce, others.reduce),
            sort: between(self.sort, others.sort),
            partition: between(self.partition, others.partition),
            matmul: between(self.matmul, others.matmul),
        }
    }
}

/// What a run on some ranks would take.
///
/// ```
/// use warpwise_cluster::plan::Prediction;
///
/// let prediction = Prediction { seconds: 2.0, compute: 1.5, communication: 0.5, memory: 1e9, traffic: 1e6 };
/// assert_eq!(prediction.compute + prediction.communication, prediction.seconds);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Prediction {
    /// The whole time.
    pub seconds: f64,
    /// Of it, computing.
    pub compute: f64,
    /// Of it, communication that hides behind nothing.
    pub communication: f64,
    /// Bytes of memory of a rank.
    pub memory: f64,
    /// Bytes that a rank sends.
    pub traffic: f64,
}

impl Problem {
    /// Bytes of memory of a rank.
    ///
    /// ```
    /// use warpwise_cluster::plan::Problem;
    ///
    /// assert_eq!(Problem::Reduce { length: 1 << 30, bytes: 4 }.memory(4), (1 << 30) as f64);
    /// ```
    pub fn memory(&self, ranks: usize) -> f64 {
        let ranks = ranks as f64;
        match *self {
            // Temperatures twice, conductivities, and the cells as they were made.
            Self::Heat { rows, columns, .. } => 4.0 * 8.0 * rows as f64 * columns as f64 / ranks,
            Self::Reduce { length, bytes } => length as f64 * bytes as f64 / ranks,
            Self::Sort { length, bytes } => 3.0 * length as f64 * bytes as f64 / ranks,
            Self::Matmul { m, k, n } => 4.0 * (m as f64 * k as f64 + k as f64 * n as f64 + m as f64 * n as f64) / ranks,
        }
    }

    /// The time on that many ranks. `slower` is how much slower a rank computes than the rates say, because ranks share
    /// cores.
    ///
    /// ```
    /// use warpwise_cluster::plan::{Network, Problem, Rates};
    ///
    /// let rates = Rates { heat: 1e9, reduce: 1e10, sort: 1e8, partition: 8e8, matmul: 5e10 };
    /// let network: Network = "latency=1.5us,bandwidth=25GB/s".parse().unwrap();
    /// let sum = Problem::Reduce { length: 1 << 30, bytes: 8 };
    /// let (one, many) = (sum.predict(1, 1.0, &rates, &network), sum.predict(64, 1.0, &rates, &network));
    /// assert!(one.communication == 0.0 && many.seconds < one.seconds / 50.0);
    /// ```
    pub fn predict(&self, ranks: usize, slower: f64, rates: &Rates, network: &Network) -> Prediction {
        let memory = self.memory(ranks);
        let p = ranks as f64;
        let (compute, communication, traffic) = match *self {
            Self::Heat { rows, columns, iterations, threshold } => {
                let own = rows.div_ceil(ranks) as f64;
                let steps = Slab::<f64>::depth(rows / ranks, columns).min(iterations.max(1)) as f64;
                let passes = (iterations as f64 / steps).ceil();
                let edges_first = rows / ranks >= 4 * steps as usize;
                // Rows that both sides of a cut compute.
                let sides = if ranks == 1 {
                    0.0
                } else if edges_first {
                    6.0
                } else {
                    2.0
                };
                let twice = sides * steps * (steps - 1.0) / 2.0;
                let cells = passes * (steps * own + twice) * columns as f64;
                let halo = steps * columns as f64 * 8.0;
                let neighbours = f64::from(u8::from(ranks > 1)) + f64::from(u8::from(ranks > 2));
                let exchange = neighbours * (2.0 * network.overhead + halo * network.per_byte) + network.latency;
                // Ranks that share cores have none to send with while they compute.
                let hides = edges_first && slower <= 1.0;
                let inner = if hides { steps * own * columns as f64 / rates.heat } else { 0.0 };
                let shown = if ranks == 1 { 0.0 } else { (exchange - inner).max(neighbours * network.overhead) };
                let agreed = if threshold { network.tree(8.0 * steps, ranks) } else { 0.0 };
                (cells / rates.heat * slower, passes * (shown + agreed), passes * neighbours * halo)
            }
            Self::Reduce { length, bytes } => {
                let compute = length as f64 * bytes as f64 / p / rates.reduce * slower;
                let edge = if ranks > 1 { network.message(16_384.0) } else { 0.0 };
                (compute, edge + 4.0 * network.tree(8.0, ranks), if ranks > 1 { 16_384.0 } else { 0.0 })
            }
            Self::Sort { length, bytes } => {
                let own = length as f64 / p;
                let by_buckets = crate::sort::by_buckets(length, ranks);
                let apart = if ranks > 1 && !by_buckets { own / rates.partition } else { 0.0 };
                let compute = own / rates.sort + apart;
                let gathered = match by_buckets {
                    true => crate::sort::COUNTS * p,
                    false => (crate::sort::samples(ranks) * ranks * (8 + bytes)) as f64,
                };
                let gathered = if ranks > 1 { gathered * network.per_byte } else { 0.0 };
                let agree = gathered + 4.0 * network.tree(8.0, ranks);
                let pair = own * bytes as f64 / p;
                let sent = if ranks > 1 { own * bytes as f64 * (p - 1.0) / p } else { 0.0 };
                (compute * slower, agree + network.all_to_all(pair, ranks), sent)
            }
            Self::Matmul { m, k, n } => {
                let grid = crate::matmul::Grid::new(ranks, m, k, n);
                let (down, across) = (grid.rows() as f64, grid.columns() as f64);
                let compute = 2.0 * m as f64 * n as f64 * k as f64 / p / rates.matmul * slower;
                let ring = grid.rows() == 1 || grid.columns() == 1;
                // Blocks go round, or panels are broadcast; both while the one before is multiplied.
                let panels = if ring { p } else { (k as f64 / 1024.0).ceil().max(down).max(across) };
                let width = k as f64 / panels;
                let (left, right) = (4.0 * m as f64 / down * width, 4.0 * n as f64 / across * width);
                let moved = if grid.columns() == 1 { right } else { left };
                let each = match ring {
                    true => network.message(moved),
                    false => network.tree(left, grid.columns()) + network.tree(right, grid.rows()),
                };
                let first = if ring { 0.0 } else { each };
                let hidden = if slower > 1.0 { 0.0 } else { compute / panels };
                let shown = if ranks == 1 { 0.0 } else { first + (panels - 1.0) * (each - hidden).max(0.0) };
                let sent = match ring {
                    true => (p - 1.0) * moved,
                    false => panels * (left / across + right / down),
                };
                (compute, shown, sent)
            }
        };
        Prediction { seconds: compute + communication, compute, communication, memory, traffic }
    }

    /// The number of ranks beyond which more make the run slower, or that use less than half of their time well;
    /// the first power of two for which that is so.
    ///
    /// ```
    /// use warpwise_cluster::plan::{Network, Problem, Rates};
    ///
    /// let rates = Rates { heat: 1e9, reduce: 1e10, sort: 1e8, partition: 8e8, matmul: 5e10 };
    /// let network: Network = "latency=1.5us,bandwidth=25GB/s".parse().unwrap();
    /// let small = Problem::Heat { rows: 1000, columns: 1000, iterations: 100, threshold: true };
    /// let large = Problem::Heat { rows: 100_000, columns: 10_000, iterations: 100, threshold: true };
    /// assert!(small.stops_scaling(&rates, &network) < large.stops_scaling(&rates, &network));
    /// ```
    pub fn stops_scaling(&self, rates: &Rates, network: &Network) -> usize {
        let time = |ranks: usize| self.predict(ranks, 1.0, rates, network).seconds;
        let alone = time(1);
        let mut ranks = 1;
        while ranks < 1 << 24 {
            let more = 2 * ranks;
            if time(more) >= time(ranks) || alone / (more as f64 * time(more)) < 0.5 {
                return more;
            }
            ranks = more;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { heat: 1e9, reduce: 1e10, sort: 1e8, partition: 8e8, matmul: 5e10 };

    fn network(latency: f64) -> Network {
        Network { latency, overhead: 0.5e-6, gap: 0.2e-6, per_byte: 1.0 / 25e9 }
    }

    #[test]
    fn one_rank_only_computes() {
        let problems = [
            Problem::Heat { rows: 4096, columns: 4096, iterations: 100, threshold: true },
            Problem::Reduce { length: 1 << 28, bytes: 4 },
            Problem::Sort { length: 1 << 26, bytes: 4 },
            Problem::Matmul { m: 4096, k: 4096, n: 4096 },
        ];
        for problem in problems {
            let one = problem.predict(1, 1.0, &RATES, &network(1e-6));
            assert_eq!((one.communication, one.traffic), (0.0, 0.0), "{problem:?}");
            let shared = problem.predict(1, 2.0, &RATES, &network(1e-6));
            assert!((shared.seconds / one.seconds - 2.0).abs() < 1e-9);
        }
        let heat = problems[0].predict(1, 1.0, &RATES, &network(1e-6));
        assert!((heat.seconds - 4096.0 * 4096.0 * 100.0 / 1e9).abs() < 0.1, "{heat:?}");
    }

    #[test]
    fn slow_networks_stop_scaling_sooner() {
        for problem in [
            Problem::Heat { rows: 10_000, columns: 10_000, iterations: 1000, threshold: true },
            Problem::Sort { length: 1 << 30, bytes: 4 },
            Problem::Matmul { m: 20_000, k: 20_000, n: 20_000 },
        ] {
            let stops = |latency: f64| problem.stops_scaling(&RATES, &network(latency));
            assert!(stops(1e-6) >= stops(1e-3), "{problem:?}");
            let some = problem.predict(16, 1.0, &RATES, &network(1e-6));
            let slow = problem.predict(16, 1.0, &RATES, &network(1e-3));
            assert!(slow.seconds > some.seconds && some.memory < problem.memory(1), "{problem:?}");
        }
    }

    #[test]
    fn networks_are_read() {
        let read = |text: &str| text.parse::<Network>();
        assert_eq!(read("latency=2us,bandwidth=100Gbit/s").unwrap().per_byte, 1.0 / 12.5e9);
        for wrong in ["latency", "latency=2", "speed=2us", "bandwidth=0GB/s", "latency=-1us"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

//! The GPU rungs: how many launches, how large, with which buffers. See `kernels.cu`, `one_sweep.cu` and `together.cu`
//! for what each rung does.

use crate::device::{Allocation, Argument, Session, Shape, Staged};
use crate::kernels::{self, KernelModule};
use crate::scan::{Kind, Scan};
use crate::{Buffer, Device, Error, Geometry};

/// Rungs 1 to 4.
const KERNELS: &KernelModule = &kernels::SORT;
const ONE_SWEEP: &KernelModule = &kernels::SORT_ONE_SWEEP;
const TOGETHER: &KernelModule = &kernels::SORT_TOGETHER;

/// Threads of blocks that take any number, where the caller does not say.
const BLOCK: u32 = 256;
/// Keys that rung 2 keeps in shared memory.
const SHARED_TILE: u64 = 2048;
/// Keys of a tile of rungs 3 and 4, and bits of a digit.
const SCAN: (u64, u32) = (1024, 4);
const RANKED: (u64, u32) = (2048, 8);
/// Values of a digit of eight bits.
const DIGITS: u64 = 256;

/// Threads of a block of rung 5, and the most keys that it takes at once.
const SWEEP_BLOCK: u32 = 512;
const PORTION: u64 = 1 << 30;
/// Bytes of shared memory that its blocks need, whatever they sort.
const SWEEP_SHARED: u32 = 96 << 10;
/// Threads of a block that counts digits, bytes of keys that make a block worth while, and bytes of its counts.
const COUNT_BLOCK: u32 = 512;
const COUNTED_BYTES: u64 = 32 << 10;
const COUNTS: u64 = 64 << 10;

/// Threads of a block of rung 6, and keys of its tile.
const TOGETHER_BLOCK: u32 = 512;
const TOGETHER_TILE: u64 = 512 * 8;
/// The most keys for which rung 6 is the best.
const FEW: u64 = 1 << 17;

/// A sort: where, how, and of what.
pub(super) struct Job<'a> {
    pub(super) device: &'a Device,
    pub(super) session: &'a Session,
    pub(super) rung: &'static str,
    pub(super) geometry: Geometry,
    /// Bytes of a key, and its order as kernels call it.
    pub(super) bytes: u64,
    pub(super) order: u32,
    pub(super) n: u64,
    /// The most keys that rung 5 takes at once.
    pub(super) portion: u64,
}

/// Values that go along with keys: where they are, with numbers in their stead if that is null, where they go, and how
/// many bytes each has.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) from: Argument,
    pub(super) to: Argument,
    pub(super) bytes: u64,
}

impl Along {
    const NOTHING: Self = Self { from: Argument::NULL, to: Argument::NULL, bytes: 0 };

    /// The last part of a kernel's name.
    fn suffix(self) -> &'static str {
        match self.bytes {
            0 => "",
            4 => "_b32",
            _ => "_b64",
        }
    }
}

/// Two places that keys or values go to and fro between.
#[derive(Clone, Copy)]
struct Two {
    to: Argument,
    spare: Argument,
}

impl Two {
    /// Where pass `pass` of `passes` writes: the last one to the right place.
    fn after(self, pass: u32, passes: u32) -> Argument {
        if (passes - pass) % 2 == 1 { self.to } else { self.spare }
    }
}

/// The best rung for that many keys.
pub(super) fn best(session: &Session, n: usize) -> &'static str {
    if session.shared_limit() < SWEEP_SHARED {
        return "gpu-4-radix-ranked";
    }
    let few = n as u64 <= FEW.min(most_together(session)) && session.cooperates();
    if few { "gpu-6-together" } else { "gpu-5-one-sweep" }
}

/// The most keys of rung 6: a tile for each multiprocessor.
fn most_together(session: &Session) -> u64 {
    u64::from(session.multiprocessors()) * TOGETHER_TILE
}

/// How many digits keys have, and how many bits a digit.
fn digits(bits: u64) -> (u32, u32) {
    (bits.div_ceil(8) as u32, 8)
}

impl<'a> Job<'a> {
    pub(super) fn new(device: &'a Device, session: &'a Session, rung: &'static str, geometry: Geometry) -> Self {
        Self { device, session, rung, geometry, bytes: 0, order: 0, n: 0, portion: PORTION }
    }

    /// Sorts keys, and what goes along with them; there is at least one.
    pub(super) fn run(&self, keys: Argument, keys_to: Argument, along: Option<Along>) -> Result<(), Error> {
        let along = along.unwrap_or(Along::NOTHING);
        let n = Argument::U64(self.n);
        if self.rung == "gpu-6-together" && self.n > most_together(self.session) {
            let (variant, needs) = ("gpu-6-together", "gpu-5-one-sweep");
            return Err(Error::Choice { variant, what: "as many keys as", value: self.n as usize, needs });
        }
        let sweeps = matches!(self.rung, "gpu-5-one-sweep" | "gpu-6-together");
        if sweeps && self.bytes >= 4 {
            return self.sweeps(self.bytes, 8 * self.bytes, self.order, keys, keys_to, along);
        }
        // Short keys, and those of the first rungs, are sorted as the words that stand for them.
        let word = self.bytes.max(4);
        let (words, spare) = (self.session.allocate(self.n * word)?, self.session.allocate(self.n * word)?);
        let shape = self.any_shape();
        let order = Argument::U32(self.order);
        let name = |stem: &str| format!("sort_{stem}_u{}", 8 * self.bytes);
        self.session.launch(KERNELS, &name("prepare"), shape, &[keys, words.argument(), n, order])?;
        let sorted = match self.rung {
            "gpu-1-bitonic" | "gpu-2-bitonic-shared" => {
                self.bitonic(word, &words, along)?;
                &words
            }
            "gpu-3-radix-scan" => self.radix("3_radix_scan", SCAN, word, [&words, &spare], along)?,
            "gpu-4-radix-ranked" => self.radix("4_radix_ranked", RANKED, word, [&words, &spare], along)?,
            _ => {
                self.sweeps(word, 8 * self.bytes, 0, words.argument(), spare.argument(), along)?;
                &spare
            }
        };
        self.session.launch(KERNELS, &name("finish"), shape, &[sorted.argument(), keys_to, n, order])?;
        Ok(())
    }

    /// A launch of kernels that take any.
    fn any_shape(&self) -> Shape {
        let most = u64::from(self.session.multiprocessors()) * 8;
        Shape::line(self.n.div_ceil(u64::from(BLOCK)).min(most) as u32, BLOCK, 0)
    }

    /// Rungs 1 and 2: words in place. Numbers keep equal ones in order, and say which values go where.
    fn bitonic(&self, word: u64, words: &Allocation, along: Along) -> Result<(), Error> {
        let numbers = if along.bytes > 0 { Some(self.session.allocate(8 * self.n)?) } else { None };
        let argument = numbers.as_ref().map_or(Argument::NULL, Allocation::argument);
        let suffix = format!("u{}{}", 8 * word, if along.bytes > 0 { "_numbered" } else { "" });
        let n = Argument::U64(self.n);
        if numbers.is_some() {
            self.session.launch(KERNELS, "sort_number", self.any_shape(), &[argument, n])?;
        }
        let step = |kernel: &str, shape: Shape, a: u64, b: u64| {
            let arguments = [words.argument(), argument, n, Argument::U64(a), Argument::U64(b)];
            self.session.launch(KERNELS, &format!("sort_{kernel}_{suffix}"), shape, &arguments).map(drop)
        };
        let block = self.geometry.block.unwrap_or(BLOCK);
        let all = self.n.next_power_of_two();
        let shape = Shape::cover(all / 2, block.into(), block, 0);
        let tiles = Shape::cover(self.n, SHARED_TILE, SHARED_TILE as u32 / 2, 0);
        let shared = self.rung == "gpu-2-bitonic-shared";
        if shared {
            step("2_bitonic_shared", tiles, 2, SHARED_TILE)?;
        }
        let mut size = if shared { 2 * SHARED_TILE } else { 2 };
        while size <= all {
            let mut distance = size / 2;
            while distance > 0 {
                if shared && distance < SHARED_TILE {
                    step("2_bitonic_shared", tiles, size, size)?;
                    break;
                }
                step("1_bitonic", shape, size, distance)?;
                distance /= 2;
            }
            size *= 2;
        }
        if along.bytes > 0 {
            let arguments = [along.from, argument, along.to, n];
            self.session.launch(KERNELS, &format!("sort_gather{}", along.suffix()), self.any_shape(), &arguments)?;
        }
        Ok(())
    }

    /// Rungs 3 and 4: for every digit counts of all tiles, their sums, and keys to where these say.
    fn radix<'b>(
        &self,
        stem: &str,
        (tile, width): (u64, u32),
        word: u64,
        [words, spare]: [&'b Allocation; 2],
        along: Along,
    ) -> Result<&'b Allocation, Error> {
        let tiles = self.n.div_ceil(tile);
        let passes = (8 * self.bytes as u32).div_ceil(width);
        let room = self.room(along)?;
        let values = Two { to: along.to, spare: room.as_ref().map_or(Argument::NULL, Allocation::argument) };
        let (mut from, mut to, mut values_from) = (words, spare, along.from);
        for pass in 0..passes {
            let (n, shift) = (Argument::U64(self.n), Argument::U32(pass * width));
            let counts = self.session.allocate(8 * (tiles << width))?;
            let shape = Shape::cover(self.n, tile, BLOCK, 0);
            let kernel = format!("sort_{stem}_count_u{}", 8 * word);
            self.session.launch(KERNELS, &kernel, shape, &[from.argument(), counts.argument(), n, shift])?;
            let counts = Buffer::<u64>::from_allocation(self.device, counts, (tiles << width) as usize);
            let sums = Scan::new().kind(Kind::Exclusive).run_buffer(self.device, &counts)?;
            let sums = Staged::new(self.session, &sums)?;
            let shared = if width == 8 { tile * word.max(along.bytes) } else { 0 };
            let kernel = format!("sort_{stem}_u{}{}", 8 * word, along.suffix());
            let values_to = values.after(pass, passes);
            let arguments = [from.argument(), to.argument(), values_from, values_to, sums.argument(), n, shift];
            self.session.launch(KERNELS, &kernel, Shape { shared: shared as u32, ..shape }, &arguments)?;
            (from, to, values_from) = (to, from, values_to);
        }
        Ok(from)
    }

    /// Room for values between two passes.
    fn room(&self, along: Along) -> Result<Option<Allocation>, Error> {
        if along.bytes == 0 { Ok(None) } else { self.session.allocate(self.n * along.bytes).map(Some) }
    }

    /// Rungs 5 and 6: keys of 4 or 8 bytes, of which `bits` are used.
    fn sweeps(
        &self,
        bytes: u64,
        bits: u64,
        order: u32,
        keys: Argument,
        keys_to: Argument,
        along: Along,
    ) -> Result<(), Error> {
        let (spare, room) = (self.session.allocate(self.n * bytes)?, self.room(along)?);
        let spare = Two { to: keys_to, spare: spare.argument() };
        let values = Two { to: along.to, spare: room.as_ref().map_or(Argument::NULL, Allocation::argument) };
        let name = format!("u{}{}", 8 * bytes, along.suffix());
        if self.rung == "gpu-6-together" {
            return self.together(&name, (bytes, bits, order), keys, spare, along, values);
        }
        self.one_sweep(&name, (bytes, bits, order), keys, spare, along, values)
    }

    /// Rung 5: all counts, then a sweep for each digit.
    fn one_sweep(
        &self,
        name: &str,
        (bytes, bits, order): (u64, u64, u32),
        keys: Argument,
        places: Two,
        along: Along,
        values: Two,
    ) -> Result<(), Error> {
        let (digits, width) = digits(bits);
        let items: u64 = match (bytes, along.bytes) {
            (4, 0) => 18,
            (4, 4) => 16,
            _ => 12,
        };
        let tile = u64::from(SWEEP_BLOCK) * items;
        let portion = self.portion / tile * tile;
        // In one piece: where digits begin, with two more rows for portions, and posts.
        let begins = 8 * DIGITS * u64::from(digits);
        let posts = begins + 2 * 8 * DIGITS;
        // Portions have posts of their own: tiles of a short one would leave those of a longer one before it.
        let posted = DIGITS * self.n.div_ceil(tile);
        let state = self.session.allocate(posts + 4 * posted)?;
        let at = |offset: u64| state.argument().plus(offset);
        // Only the launch that counts uses these, and leaves them as they are.
        let totals = self.session.workspace("sort-counts", begins + 8)?;
        let copies = (COUNTS / (4 * DIGITS * u64::from(digits))).min(32);
        let most = 2 * u64::from(self.session.multiprocessors());
        let grid = (self.n * bytes).div_ceil(COUNTED_BYTES).min(most);
        let shape = Shape::line(grid as u32, COUNT_BLOCK, (4 * DIGITS * u64::from(digits) * copies) as u32);
        let arguments = [
            keys,
            at(0),
            at(posts),
            Argument::U64(posted),
            totals,
            Argument::U64(self.n),
            Argument::U32(digits),
            Argument::U32(width),
            Argument::U32(order),
            Argument::U32(copies as u32),
        ];
        self.session.launch(ONE_SWEEP, &format!("sort_5_one_sweep_count_u{}", 8 * bytes), shape, &arguments)?;
        let mask = ((1_u64 << width) - 1) as u32;
        let (mut from, mut values_from) = (keys, along.from);
        for pass in 0..digits {
            let (to, values_to) = (places.after(pass, digits), values.after(pass, digits));
            let mut row = at(8 * DIGITS * u64::from(pass));
            for (number, first) in (0..self.n).step_by(portion as usize).enumerate() {
                let part = portion.min(self.n - first);
                let next = at(begins + 8 * DIGITS * (number as u64 % 2));
                let arguments = [
                    from.plus(first * bytes),
                    to,
                    values_from,
                    values_to,
                    row,
                    at(posts + 4 * DIGITS * (first / tile)),
                    if first + part < self.n { next } else { Argument::NULL },
                    Argument::U64(first),
                    Argument::U32(part as u32),
                    Argument::U32(pass * width),
                    Argument::U32(mask),
                    Argument::U32(if pass % 2 == 0 { 2 } else { 0 }),
                    Argument::U32(if pass == 0 { order } else { 0 }),
                    Argument::U32(if pass + 1 == digits { order } else { 0 }),
                ];
                let shape = Shape::cover(part, tile, SWEEP_BLOCK, (tile * bytes.max(along.bytes)) as u32);
                self.session.launch(ONE_SWEEP, &format!("sort_5_one_sweep_{name}"), shape, &arguments)?;
                row = next;
            }
            (from, values_from) = (to, values_to);
        }
        Ok(())
    }

    /// Rung 6: one launch, with a tile for each block.
    fn together(
        &self,
        name: &str,
        (bytes, bits, order): (u64, u64, u32),
        keys: Argument,
        places: Two,
        along: Along,
        values: Two,
    ) -> Result<(), Error> {
        let (digits, width) = digits(bits);
        let tiles = self.n.div_ceil(TOGETHER_TILE);
        let (state, number) = self.session.numbered_workspace("sort", 8 * (DIGITS + 1) * tiles)?;
        let arguments = [
            keys,
            places.to,
            places.spare,
            along.from,
            values.to,
            values.spare,
            state,
            Argument::U32(self.n as u32),
            Argument::U32(digits),
            Argument::U32(width),
            Argument::U32(order),
            number,
        ];
        let shape = Shape::line(tiles as u32, TOGETHER_BLOCK, (TOGETHER_TILE * bytes.max(along.bytes)) as u32);
        self.session.launch_together(TOGETHER, &format!("sort_6_together_{name}"), shape, &arguments)?;
        Ok(())
    }
}

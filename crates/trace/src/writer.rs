//! Writing a trace.

use crate::record::{CopySum, Direction, KernelSum, Record, Start, Sums};
use crate::settings::Settings;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long sums may be out of date when a process is killed.
const SPAN: Duration = Duration::from_millis(200);

/// The trace of this process. Without a folder in the settings, it writes nothing and costs nothing.
#[derive(Debug)]
pub struct Writer {
    folder: Option<PathBuf>,
    file: Option<File>,
    kernels: Vec<KernelSum>,
    copies: [CopySum; Direction::ALL.len()],
    /// When the sums were last written, and whether anything was added since.
    written: Instant,
    stale: bool,
    modules: u32,
}

/// A kernel whose launches are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelKey(usize);

impl Writer {
    /// Begins the trace of this process in the folder of the settings.
    pub fn open(settings: &Settings) -> io::Result<Self> {
        let process = std::process::id();
        let path = settings.folder.as_ref().map(|folder| folder.join(format!("{process}.trace")));
        let file = path.map(|path| OpenOptions::new().create(true).append(true).open(path)).transpose()?;
        let mut writer = Self {
            folder: settings.folder.clone(),
            file,
            kernels: Vec::new(),
            copies: Direction::ALL.map(|direction| CopySum { direction, count: 0, bytes: 0 }),
            written: Instant::now(),
            stale: false,
            modules: 0,
        };
        let program = std::env::current_exe().unwrap_or_default();
        writer.record(&Record::Start(Start { process, program, gpu: settings.gpu.clone() }));
        Ok(writer)
    }

    /// Whether anything is written down.
    pub fn is_on(&self) -> bool {
        self.file.is_some()
    }

    /// Writes a record at once. A trace that cannot be written (a full disk) ends there; the program goes on.
    pub fn record(&mut self, record: &Record) {
        let Some(file) = &mut self.file else { return };
        let mut line = serde_json::to_string(record).expect("a record has only strings, numbers and lists");
        line.push('\n');
        if file.write_all(line.as_bytes()).is_err() {
            self.file = None;
        }
    }

    /// Keeps the PTX of a module beside the trace; the name of its file, if it is kept.
    pub fn keep(&mut self, ptx: &str) -> Option<PathBuf> {
        self.file.as_ref()?;
        let name = PathBuf::from(format!("{}-{}.ptx", std::process::id(), self.modules));
        self.modules += 1;
        std::fs::write(self.folder.as_deref().unwrap_or(Path::new("")).join(&name), ptx).ok()?;
        Some(name)
    }

    /// A kernel, by the number of its module and its symbol, whose launches will be summed.
    pub fn kernel(&mut self, module: u32, symbol: &str) -> KernelKey {
        let known = self.kernels.iter().position(|sum| sum.module == module && sum.kernel == symbol);
        KernelKey(known.unwrap_or_else(|| {
            self.kernels.push(KernelSum { module, kernel: symbol.to_owned(), ..KernelSum::default() });
            self.kernels.len() - 1
        }))
    }

    /// Adds a launch, and returns which launch of its kernel it was, from 1.
    pub fn launched(&mut self, kernel: KernelKey, threads: u64, instructions: u64, seconds: f64) -> u64 {
        let sum = &mut self.kernels[kernel.0];
        sum.launches += 1;
        sum.threads += threads;
        sum.instructions += instructions;
        sum.seconds += seconds;
        let number = sum.launches;
        self.changed();
        number
    }

    /// How often a kernel was launched so far.
    pub fn launches(&self, kernel: KernelKey) -> u64 {
        self.kernels[kernel.0].launches
    }

    /// Adds a copy.
    pub fn copied(&mut self, direction: Direction, bytes: u64) {
        let sum = &mut self.copies[direction as usize];
        sum.count += 1;
        sum.bytes += bytes;
        self.changed();
    }

    fn changed(&mut self) {
        self.stale = true;
        if self.file.is_some() && self.written.elapsed() >= SPAN {
            self.sums();
        }
    }

    /// Writes the sums, if they have changed.
    pub fn sums(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let kernels = self.kernels.iter().filter(|sum| sum.launches > 0).cloned().collect();
        let copies = self.copies.into_iter().filter(|sum| sum.count > 0).collect();
        self.record(&Record::Sums(Sums { kernels, copies }));
        self.written = Instant::now();
    }

    /// Ends the trace of a process that ends by itself.
    pub fn finish(&mut self) {
        self.sums();
        self.record(&Record::End);
        self.file = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("warpwise-writer-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    #[test]
    fn sums_are_written_once_and_again_when_they_change() {
        let folder = folder("sums");
        let mut writer = Writer::open(&Settings { folder: Some(folder.clone()), ..Settings::default() }).expect("open");
        let (a, b) = (writer.kernel(0, "a"), writer.kernel(1, "a"));
        assert_eq!(writer.kernel(0, "a"), a);
        assert_ne!(a, b);
        assert_eq!((1..=3).map(|_| writer.launched(a, 32, 5, 0.5)).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((writer.launches(a), writer.launches(b)), (3, 0));
        writer.copied(Direction::ToHost, 100);
        writer.sums();
        writer.sums();
        writer.copied(Direction::ToHost, 1);
        writer.finish();
        let records = read(&folder).expect("readable");
        let sums: Vec<&Sums> =
            records.iter().filter_map(|r| if let Record::Sums(s) = r { Some(s) } else { None }).collect();
        assert_eq!(sums.len(), 2, "{records:?}");
        assert_eq!(
            sums[1].kernels,
            [KernelSum { module: 0, kernel: "a".to_owned(), launches: 3, threads: 96, instructions: 15, seconds: 1.5 }]
        );
        assert_eq!(sums[1].copies, [CopySum { direction: Direction::ToHost, count: 2, bytes: 101 }]);
        assert_eq!(records.last(), Some(&Record::End));
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn ptx_is_kept_beside_the_trace() {
        let folder = folder("ptx");
        let mut writer = Writer::open(&Settings { folder: Some(folder.clone()), ..Settings::default() }).expect("open");
        let names = [writer.keep("one").expect("kept"), writer.keep("two").expect("kept")];
        assert_ne!(names[0], names[1]);
        assert_eq!(std::fs::read_to_string(folder.join(&names[1])).expect("there"), "two");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let mut writer = Writer::open(&Settings::default()).expect("nothing to open");
        let kernel = writer.kernel(0, "k");
        assert_eq!(writer.launched(kernel, 1, 1, 0.0), 1);
        assert!(!writer.is_on() && writer.keep("x").is_none());
        writer.finish();
    }
}

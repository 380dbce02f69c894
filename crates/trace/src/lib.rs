//! The two files between `warpwise exec` and the driver library inside the program that it runs.
//!
//! [`Settings`] go in: a JSON file that the environment variable [`VARIABLE`] names. [`Record`]s come out: the driver
//! appends them to a file of its process, one JSON object a line, through a [`Writer`]; [`read`] reads them back, up to
//! wherever the program came. What matters is written at once, so that a program that crashes loses none of it; what
//! happens a million times is summed and written now and then.
//!
//! [`CopiesBack`] is what a program copied back to the host, for runs that are compared.
//!
//! [`order`] says which work of a program is without order: the race checker over streams.
//!
//! ```
//! use warpwise_trace::{Direction, Record, Settings, Writer, read};
//!
//! let folder = std::env::temp_dir().join(format!("warpwise-trace-doc-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let settings = Settings { folder: Some(folder.clone()), ..Settings::default() };
//! let mut writer = Writer::open(&settings)?;
//! let scale = writer.kernel(0, "_Z5scalePfi");
//! writer.launched(scale, 1024, 96, 0.001);
//! writer.copied(Direction::ToDevice, 4096);
//! writer.finish();
//!
//! let records = read(&folder)?;
//! assert!(matches!(&records[..], [Record::Start(_), Record::Sums(sums), Record::End] if sums.kernels[0].launches == 1));
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod copies;
mod driver_names;
mod finding;
mod kinds;
mod name;
pub mod order;
mod pick;
mod place;
mod profile;
mod reader;
mod record;
mod settings;
mod writer;

pub use copies::{CopiesBack, CopyBack, WITNESS_VARIABLE, Witness};
pub use finding::Finding;
pub use kinds::{HOST_KINDS, HostKind};
pub use name::source_name;
pub use pick::{Pick, PickError};
pub use place::{DevicePlace, HostFrame, HostPlace, Line, Stack};
pub use profile::{Instruction, Profile};
pub use reader::read;
pub use record::{CopySum, Direction, KernelSum, Launch, Module, Record, Start, Sums, Unasked};
pub use settings::{Bounds, Clock, Settings, SettingsError, VARIABLE};
pub use writer::{KernelKey, Writer};

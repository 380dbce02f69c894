//! What measurements found: launch geometry, and constants that primitives use to choose.
//!
//! Geometry is in two tables of the same form: `tuning.toml` of this library, and the user's, which takes precedence.
//! The user's is the file that the environment variable `WARPWISE_TUNING` names, or `warpwise/tuning.toml` in the
//! configuration folder (`XDG_CONFIG_HOME`, or `.config` in the home folder). Both are read once, at the first launch.
//! The library's own also has the constants, by compute capability.
//!
//! ```toml
//! [[tuned]]
//! gpu = "NVIDIA H200"
//! primitive = "reduce"
//! variant = "gpu-7-multi-add"
//! type = "i32"
//! block = 512
//! grid = 1024
//! ```

mod architecture;

pub(crate) use architecture::{Convolve1d, Crossing, Heat, Reduce, Sharing, Tile, Tuning};

use crate::Geometry;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const OWN: &str = include_str!("../tuning.toml");

/// The environment variable that names the user's table.
///
/// ```
/// assert_eq!(warpwise::tuning::VARIABLE, "WARPWISE_TUNING");
/// ```
pub const VARIABLE: &str = "WARPWISE_TUNING";

/// The geometry of a variant on a GPU.
///
/// ```
/// let text = "[[tuned]]\ngpu = 'g'\nprimitive = 'scan'\nvariant = 'gpu-7-look-back'\ntype = 'f32'\nblock = 128\n";
/// let table = warpwise::tuning::Table::parse(text)?;
/// let tuned: &warpwise::tuning::Tuned = &table.tuned[0];
/// assert_eq!((tuned.block, tuned.grid), (Some(128), None));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    /// The GPU, by the name that its driver gives.
    pub gpu: String,
    /// The primitive.
    pub primitive: String,
    /// The variant.
    pub variant: String,
    /// The element type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Threads of a block.
    pub block: Option<u32>,
    /// Blocks of the grid.
    pub grid: Option<u32>,
    /// Elements per thread.
    pub items: Option<u32>,
}

/// A table of tuned geometry.
///
/// ```
/// use warpwise::tuning::Table;
///
/// assert!(Table::parse("tuned = []")?.tuned.is_empty());
/// assert!(Table::parse("tuned = 3").unwrap_err().contains("sequence"));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// All entries.
    #[serde(default)]
    pub tuned: Vec<Tuned>,
}

impl Tuned {
    /// Whether both are about the same variant on the same GPU.
    ///
    /// ```
    /// use warpwise::tuning::Tuned;
    ///
    /// let name = String::new;
    /// let a = Tuned { gpu: name(), primitive: name(), variant: name(), ty: name(), block: None, grid: None, items: None };
    /// assert!(a.same_kernel(&Tuned { block: Some(64), ..a.clone() }));
    /// ```
    pub fn same_kernel(&self, other: &Self) -> bool {
        (&self.gpu, &self.primitive, &self.variant, &self.ty)
            == (&other.gpu, &other.primitive, &other.variant, &other.ty)
    }
}

impl Table {
    /// Reads a table; the error says in words what is wrong with it.
    ///
    /// ```
    /// assert!(warpwise::tuning::Table::parse("[[tuned]]\ngpu = 1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Adds an entry, replacing the one for the same variant on the same GPU.
    ///
    /// ```
    /// let mut table = warpwise::tuning::Table::parse(
    ///     "[[tuned]]\ngpu = 'g'\nprimitive = 'scan'\nvariant = 'gpu-7-look-back'\ntype = 'f32'\nblock = 128\n",
    /// )?;
    /// table.add(warpwise::tuning::Tuned { block: Some(256), ..table.tuned[0].clone() });
    /// assert_eq!(table.tuned.len(), 1);
    /// assert_eq!(table.tuned[0].block, Some(256));
    /// # Ok::<(), String>(())
    /// ```
    pub fn add(&mut self, found: Tuned) {
        self.tuned.retain(|known| !known.same_kernel(&found));
        self.tuned.push(found);
    }

    /// The table as a file.
    ///
    /// ```
    /// use warpwise::tuning::Table;
    ///
    /// let text = "[[tuned]]\ngpu = \"a \\\"b\\\"\"\nprimitive = \"scan\"\nvariant = \"v\"\ntype = \"f32\"\nblock = 128\n";
    /// let table = Table::parse(text)?;
    /// assert_eq!(Table::parse(&table.to_toml())?, table);
    /// # Ok::<(), String>(())
    /// ```
    pub fn to_toml(&self) -> String {
        let mut out = String::from("# Launch geometry that was found by `warpwise sweep ... --save`.\n");
        for tuned in &self.tuned {
            out.push_str("\n[[tuned]]\n");
            let names = [
                ("gpu", &tuned.gpu),
                ("primitive", &tuned.primitive),
                ("variant", &tuned.variant),
                ("type", &tuned.ty),
            ];
            for (key, value) in names {
                out.push_str(&format!("{key} = {}\n", quoted(value)));
            }
            for (key, value) in [("block", tuned.block), ("grid", tuned.grid), ("items", tuned.items)] {
                if let Some(value) = value {
                    out.push_str(&format!("{key} = {value}\n"));
                }
            }
        }
        out
    }

    fn find(&self, gpu: &str, primitive: &str, variant: &str, ty: &str) -> Option<Geometry> {
        let fits = |t: &&Tuned| {
            (t.gpu.as_str(), t.primitive.as_str(), t.variant.as_str(), t.ty.as_str()) == (gpu, primitive, variant, ty)
        };
        let found = self.tuned.iter().find(fits)?;
        Some(Geometry { block: found.block, grid: found.grid, items: found.items })
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// The file of the user's table, whether it exists or not.
///
/// ```
/// assert!(warpwise::tuning::file().is_none_or(|file| !file.as_os_str().is_empty()));
/// ```
pub fn file() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let settings = || variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    variable(VARIABLE).or_else(|| Some(settings()?.join("warpwise/tuning.toml")))
}

/// Reads the user's table; empty if there is no file.
///
/// ```
/// use std::path::Path;
///
/// assert!(warpwise::tuning::read(Path::new("no such file"))?.tuned.is_empty());
/// # Ok::<(), String>(())
/// ```
pub fn read(file: &Path) -> Result<Table, String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Table::parse(&text).map_err(|why| format!("{}: {why}", file.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Table::default()),
        Err(error) => Err(format!("{}: {error}", file.display())),
    }
}

/// The library's own table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    tuned: Vec<Tuned>,
    /// The compute capability whose constants are the default.
    default: (u32, u32),
    architecture: Vec<Tuning>,
}

impl Own {
    /// The constants of a compute capability.
    fn architecture(&self, capability: (u32, u32)) -> &Tuning {
        let find = |wanted| self.architecture.iter().find(|tuning| tuning.capability == wanted);
        find(capability).or_else(|| find(self.default)).expect("the library's own table is tested")
    }
}

/// The library's own table, read once.
fn own() -> &'static Own {
    static TABLE: OnceLock<Own> = OnceLock::new();
    TABLE.get_or_init(|| toml::from_str(OWN).expect("the library's own table is tested"))
}

/// The tuned geometry of a variant on a GPU.
pub(crate) fn find(gpu: impl Fn() -> String, primitive: &str, variant: &str, ty: &str) -> Option<Geometry> {
    static TABLES: OnceLock<[Table; 2]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        // A table that cannot be read makes launches slower, not wrong: it is reported and ignored.
        let user = file().map_or_else(Table::default, |file| {
            read(&file).unwrap_or_else(|why| {
                log::warn!("the tuning table cannot be used: {why}");
                Table::default()
            })
        });
        [user, Table { tuned: own().tuned.clone() }]
    });
    if tables.iter().all(|table| table.tuned.is_empty()) {
        return None;
    }
    let gpu = gpu();
    tables.iter().find_map(|table| table.find(&gpu, primitive, variant, ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PRIMITIVES;

    #[test]
    fn the_own_table_names_what_there_is() {
        for tuned in &own().tuned {
            let primitive = PRIMITIVES.iter().find(|p| p.name == tuned.primitive).expect("the primitive exists");
            assert!(primitive.variants.iter().any(|v| v.name == tuned.variant), "{tuned:?}");
            assert!(primitive.type_names().contains(&tuned.ty.as_str()), "{tuned:?}");
        }
    }

    #[test]
    fn every_gpu_has_every_constant() {
        let table = own();
        // Reading fails if a key is missing or unknown.
        assert!(table.architecture.iter().any(|tuning| tuning.capability == table.default));
        for (at, tuning) in table.architecture.iter().enumerate() {
            assert!(std::ptr::eq(Tuning::of(tuning.capability), tuning), "entry {at} is listed twice");
        }
        assert!(std::ptr::eq(Tuning::of((1, 0)), Tuning::of(table.default)));
        let key = "posting_blocks_per_sm = 2\n";
        assert!(OWN.contains(key));
        assert!(toml::from_str::<Own>(&OWN.replace(key, "")).unwrap_err().message().contains("posting_blocks_per_sm"));
        assert!(toml::from_str::<Own>(&OWN.replace(key, "blocks = 1\n")).is_err());
    }

    #[test]
    fn tables_say_what_is_wrong_with_them() {
        let whole = "[[tuned]]\ngpu='a'\nprimitive='b'\nvariant='c'\ntype='d'\n";
        assert!(Table::parse(whole).is_ok());
        for text in ["tuned", "[[tuned]]\ngpu='a'\n", &format!("{whole}threads=3\n"), &format!("{whole}block=-1\n")] {
            assert!(!Table::parse(text).unwrap_err().is_empty(), "{text}");
        }
    }

    #[test]
    fn a_table_is_looked_up_by_all_four_names() {
        let table = Table::parse("[[tuned]]\ngpu='a'\nprimitive='b'\nvariant='c'\ntype='d'\nblock=64\n").unwrap();
        assert_eq!(table.find("a", "b", "c", "d").unwrap().block, Some(64));
        assert_eq!(table.find("a", "b", "c", "e"), None);
        assert_eq!(table.find("x", "b", "c", "d"), None);
    }
}

//! Tables of launch geometry.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The environment variable that names the user's table.
///
/// ```
/// assert_eq!(warpwise_tuning::VARIABLE, "WARPWISE_TUNING");
/// ```
pub const VARIABLE: &str = "WARPWISE_TUNING";

/// The geometry of a variant on a GPU.
///
/// ```
/// let text = "[[tuned]]\ngpu = 'g'\nprimitive = 'scan'\nvariant = 'gpu-7-look-back'\ntype = 'f32'\nblock = 128\n";
/// let table = warpwise_tuning::Table::parse(text)?;
/// let tuned: &warpwise_tuning::Tuned = &table.tuned[0];
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
/// use warpwise_tuning::Table;
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
    /// use warpwise_tuning::Tuned;
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
    /// assert!(warpwise_tuning::Table::parse("[[tuned]]\ngpu = 1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Adds an entry, replacing the one for the same variant on the same GPU.
    ///
    /// ```
    /// let mut table = warpwise_tuning::Table::parse(
    ///     "[[tuned]]\ngpu = 'g'\nprimitive = 'scan'\nvariant = 'gpu-7-look-back'\ntype = 'f32'\nblock = 128\n",
    /// )?;
    /// table.add(warpwise_tuning::Tuned { block: Some(256), ..table.tuned[0].clone() });
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
    /// use warpwise_tuning::Table;
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

    /// The entry of a variant on a GPU.
    ///
    /// ```
    /// let text = "[[tuned]]\ngpu = 'g'\nprimitive = 'scan'\nvariant = 'gpu-7-look-back'\ntype = 'f32'\nblock = 128\n";
    /// let table = warpwise_tuning::Table::parse(text)?;
    /// assert!(table.find("g", "scan", "gpu-7-look-back", "f32").is_some());
    /// # Ok::<(), String>(())
    /// ```
    pub fn find(&self, gpu: &str, primitive: &str, variant: &str, ty: &str) -> Option<&Tuned> {
        let fits = |t: &&Tuned| {
            (t.gpu.as_str(), t.primitive.as_str(), t.variant.as_str(), t.ty.as_str()) == (gpu, primitive, variant, ty)
        };
        self.tuned.iter().find(fits)
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
/// assert!(warpwise_tuning::file().is_none_or(|file| !file.as_os_str().is_empty()));
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
/// assert!(warpwise_tuning::read(Path::new("no such file"))?.tuned.is_empty());
/// # Ok::<(), String>(())
/// ```
pub fn read(file: &Path) -> Result<Table, String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Table::parse(&text).map_err(|why| format!("{}: {why}", file.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Table::default()),
        Err(error) => Err(format!("{}: {error}", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! Launch geometry that measurements found, and constants that primitives use to choose: the tables of
//! [`warpwise_tuning`].

pub(crate) use warpwise_tuning::{Convolve1d, Crossing, Heat, Reduce, Sharing, Tile, Tuning};
pub use warpwise_tuning::{Table, Tuned, VARIABLE, file, read};

use crate::Geometry;
use std::sync::OnceLock;

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
        [user, Table { tuned: warpwise_tuning::own().to_vec() }]
    });
    if tables.iter().all(|table| table.tuned.is_empty()) {
        return None;
    }
    let gpu = gpu();
    let found = tables.iter().find_map(|table| table.find(&gpu, primitive, variant, ty))?;
    Some(Geometry { block: found.block, grid: found.grid, items: found.items })
}

#[cfg(test)]
mod tests {
    use crate::PRIMITIVES;

    #[test]
    fn the_own_table_names_what_there_is() {
        for tuned in warpwise_tuning::own() {
            let primitive = PRIMITIVES.iter().find(|p| p.name == tuned.primitive).expect("the primitive exists");
            assert!(primitive.variants.iter().any(|v| v.name == tuned.variant), "{tuned:?}");
            assert!(primitive.type_names().contains(&tuned.ty.as_str()), "{tuned:?}");
        }
    }
}

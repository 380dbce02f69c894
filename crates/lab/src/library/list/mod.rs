//! What the library offers: primitives, their types, their ladders.

mod render;

use serde::Serialize;
use warpwise::PRIMITIVES;

/// Every primitive.
#[derive(Clone, Debug, Serialize)]
pub struct Catalogue {
    /// Version of this format.
    pub schema: u32,
    /// The primitives, in the order of the documentation.
    pub primitives: Vec<Entry>,
}

/// A primitive.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Element types.
    pub types: Vec<&'static str>,
    /// Its ladder: CPU variants, then GPU rungs in order.
    pub variants: Vec<Rung>,
}

/// One way to compute a primitive.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// Its name.
    pub name: &'static str,
    /// `cpu` or `gpu`.
    pub device: &'static str,
    /// Its one idea.
    pub idea: &'static str,
}

/// The whole catalogue.
///
/// ```
/// let catalogue = warpwise_lab::library::list::catalogue();
/// assert!(catalogue.primitives.iter().any(|p| p.name == "reduce"));
/// ```
pub fn catalogue() -> Catalogue {
    let primitives = PRIMITIVES.iter().map(|primitive| Entry {
        name: primitive.name,
        types: primitive.type_names(),
        variants: primitive
            .variants
            .iter()
            .map(|v| Rung { name: v.name, device: v.runs_on.name(), idea: v.idea })
            .collect(),
    });
    Catalogue { schema: 1, primitives: primitives.collect() }
}

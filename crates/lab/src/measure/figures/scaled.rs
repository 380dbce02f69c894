//! The rows of a figure that are wanted: as published, or at another size.

use super::like::Wish;
use super::{Entry, Figure};
use crate::measure::bench::Selection;
use warpwise::primitive::{Extents, count};

/// A row to repeat.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// The row, with the size that is repeated.
    pub(super) entry: Entry,
    /// The size that was published, if that is another one.
    pub(super) published_size: Option<String>,
}

/// The rows that a wish takes. Sizes select published rows; if none has them, every experiment of the table is scaled to
/// each of them, beside the published row that is nearest in size.
pub(super) fn wanted(figure: &Figure, wish: &Wish) -> Vec<Wanted> {
    let named = |entry: &&Entry| match &wish.variants {
        Selection::Named(names) => names.iter().any(|name| name == entry.variant),
        _ => true,
    };
    let all: Vec<&Entry> = figure.entries.iter().filter(named).collect();
    let as_published = |entry: &&Entry| Wanted { entry: (*entry).clone(), published_size: None };
    if wish.lengths.is_empty() && wish.planes.is_empty() {
        return all.iter().map(as_published).collect();
    }
    let length = |entry: &Entry| entry.n.is_some_and(|n| wish.lengths.contains(&n));
    let plane = |entry: &Entry| entry.size.is_some_and(|size| wish.planes.contains(&size));
    let published: Vec<Wanted> = all.iter().filter(|e| length(e) || plane(e)).map(as_published).collect();
    if !published.is_empty() {
        return published;
    }
    let lengths = wish.lengths.iter().map(|&n| (Some(n), None));
    let planes = wish.planes.iter().map(|&size| (None, Some(size)));
    let mut scaled: Vec<Wanted> = Vec::new();
    for (n, size) in lengths.chain(planes) {
        let mut kinds: Vec<(Entry, &Entry)> = Vec::new();
        for entry in &all {
            let Some(other) = entry.at(n, size) else { continue };
            let far = |entry: &Entry| (entry.elements() as f64 / other.elements() as f64).ln().abs();
            let same = |known: &Entry| {
                known.same_problem(&other) && (known.variant, known.called) == (other.variant, other.called)
            };
            match kinds.iter_mut().find(|(known, _)| same(known)) {
                Some(known) if far(entry) < far(known.1) => *known = (other, entry),
                Some(_) => {}
                None => kinds.push((other, entry)),
            }
        }
        let as_wanted =
            |(entry, published): (Entry, &Entry)| Wanted { published_size: Some(published.extent()), entry };
        scaled.extend(kinds.into_iter().map(as_wanted));
    }
    scaled
}

impl Entry {
    /// The same experiment at another size, if it takes that kind of size.
    fn at(&self, n: Option<usize>, size: Option<(usize, usize)>) -> Option<Self> {
        let (n, size) = match (self.primitive.extents, n, size) {
            (Extents::Plane, Some(n), _) => (None, Some((n, n))),
            (Extents::Plane | Extents::Picture, None, Some(size)) => (None, Some(size)),
            (_, Some(n), _) => (Some(n), None),
            _ => return None,
        };
        Some(Self { n, size, ..self.clone() })
    }

    /// `2^24`, `1000x1000`.
    pub(crate) fn extent(&self) -> String {
        match (self.size, self.n) {
            (Some((rows, columns)), _) => format!("{rows}x{columns}"),
            (None, n) => count(n.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::{all, like::tests::wish};

    fn of(name: &str, lengths: &[usize], planes: &[(usize, usize)]) -> Vec<Wanted> {
        let figure = all().into_iter().find(|figure| figure.name == name).unwrap();
        wanted(&figure, &Wish { planes: planes.to_vec(), ..wish(name, lengths) })
    }

    #[test]
    fn published_sizes_select_and_others_scale() {
        let selected = of("reduce-surrey", &[64, 4096], &[]);
        assert!(selected.len() == 4 && selected.iter().all(|w| w.published_size.is_none()));
        let scaled = of("reduce-surrey", &[5000], &[]);
        let sizes: Vec<_> = scaled.iter().map(|w| (w.entry.n, w.published_size.as_deref(), w.entry.called)).collect();
        assert_eq!(sizes, [(Some(5000), Some("2^12"), "CPU finishes"), (Some(5000), Some("2^12"), "GPU finishes")]);
    }

    #[test]
    fn planes_take_one_number_too() {
        let scaled = of("heat", &[100], &[]);
        assert!(scaled.len() == 3 && scaled.iter().all(|w| w.entry.size == Some((100, 100))));
        assert_eq!(of("radiator", &[], &[(64, 128)]).len(), 6);
        assert!(of("reduce-ladder", &[], &[(64, 128)]).is_empty(), "a reduction has no rows");
    }
}

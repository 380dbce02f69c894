//! How to read the numbers, and how to reproduce them.

use super::Section;
use crate::pages::tour::Results;

/// The section.
pub(super) fn section(results: &Results) -> Section {
    let again = if results.quick { "warpwise tour --quick" } else { "warpwise tour" };
    let html = format!(
        "{}<p>Every number names its row: look for <code>data-row</code> in the source of this page, and for the same id \
         in the JSON at its end. <code>{again}</code> makes such a page, <code>warpwise report PAGE</code> recreates \
         it from the results in it, and <code>warpwise bench</code>, <code>explain</code> and <code>bench \
         --like</code> go deeper.</p>\n",
        super::glossary::list()
    );
    Section { id: "method".into(), title: "How to read the numbers".into(), html }
}

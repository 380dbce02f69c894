//! Tables: columns under headings, as text for terminals, as Markdown, and from anything that has fields.

use comfy_table::{Cell, CellAlignment, presets};
use serde::Serialize;
use serde_json::{Map, Value};

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under headings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub(crate) title: String,
    /// The headings.
    pub(crate) columns: Vec<(String, Align)>,
    /// The rows, each with as many cells as there are headings.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// Rows under headings.
    pub(crate) fn new(
        title: impl Into<String>,
        headings: &[(&str, Align)],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let columns = headings.iter().map(|&(name, align)| (name.to_owned(), align)).collect();
        Self { title: title.into(), columns, rows: rows.into_iter().collect() }
    }

    /// One fact per row, with its name.
    pub(crate) fn facts<'a>(title: &str, facts: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let rows = facts.into_iter().map(|(name, value)| vec![name.to_owned(), value]);
        Self::new(title, &[("what", Align::Left), ("value", Align::Left)], rows)
    }

    /// A row for each record, with the keys of its JSON as headings. Nested fields have names with a
    /// dot: `stages_ms.kernel`. Columns are those that any row has.
    pub(crate) fn records<T: Serialize>(title: &str, things: impl IntoIterator<Item = T>) -> Self {
        let fields = |thing: T| match serde_json::to_value(thing).expect("a row has only numbers, strings and lists") {
            Value::Object(map) => flat(map),
            _ => Map::new(),
        };
        let rows: Vec<Map<String, Value>> = things.into_iter().map(fields).collect();
        let mut columns: Vec<(String, Align)> = Vec::new();
        for (key, value) in rows.iter().flatten() {
            let align = if value.is_number() || value.is_null() { Align::Right } else { Align::Left };
            match columns.iter_mut().find(|(name, _)| name == key) {
                Some((_, known)) if align == Align::Left => *known = Align::Left,
                Some(_) => {}
                None => columns.push((key.clone(), align)),
            }
        }
        let cell = |row: &Map<String, Value>, key: &str| row.get(key).map_or_else(String::new, plain);
        let rows = rows.iter().map(|row| columns.iter().map(|(key, _)| cell(row, key)).collect()).collect();
        Self { title: title.into(), columns, rows }
    }

    /// For terminals: aligned columns without a frame, so that other tools can split it easily.
    pub(crate) fn text(&self) -> String {
        let mut table = filled(&self.columns, &self.rows);
        table.load_style(presets::NOTHING);
        table.column_iter_mut().for_each(|column| {
            column.set_padding((0, 2));
        });
        lines(&table)
    }

    /// As Markdown, aligned for terminals too.
    pub(crate) fn markdown(&self) -> String {
        // A bar would begin a new cell, and a new line a new row.
        let escaped = |row: &Vec<String>| row.iter().map(|text| text.replace('|', "\\|").replace('\n', " ")).collect();
        let rows: Vec<Vec<String>> = self.rows.iter().map(escaped).collect();
        let mut table = filled(&self.columns, &rows);
        table.load_style(presets::ASCII_MARKDOWN);
        lines(&table)
    }
}

fn flat(map: Map<String, Value>) -> Map<String, Value> {
    let mut all = Map::new();
    for (key, value) in map {
        match value {
            Value::Object(inner) => all.extend(inner.into_iter().map(|(k, v)| (format!("{key}.{k}"), v))),
            other => {
                all.insert(key, other);
            }
        }
    }
    all
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn filled(columns: &[(String, Align)], rows: &[Vec<String>]) -> comfy_table::Table {
    let cell = |text: &str, align: Align| {
        let align = if align == Align::Left { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(align)
    };
    let mut table = comfy_table::Table::new();
    table.set_header(columns.iter().map(|(name, align)| cell(name, *align)));
    for row in rows {
        table.add_row(row.iter().zip(columns).map(|(text, (_, align))| cell(text, *align)));
    }
    table
}

fn lines(table: &comfy_table::Table) -> String {
    let mut out = String::new();
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn two(first: &str) -> Table {
        let rows = [vec![first.to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "100".to_owned()]];
        Table::new("two", &[("name", Align::Left), ("n", Align::Right)], rows)
    }

    #[test]
    fn columns_align() {
        assert_eq!(two("a").text(), "name    n\na       1\nbcd   100\n");
    }

    #[test]
    fn markdown_is_aligned_too() {
        let expected = "| name |   n |\n|------|-----|\n| a\\|b |   1 |\n| bcd  | 100 |\n";
        assert_eq!(two("a|b").markdown(), expected);
    }

    #[test]
    fn rows_with_different_keys_share_a_table() {
        let rows = [json!({"a": 1.5, "b": {"c": "x", "d": [1, 2]}}), json!({"a": null, "e": 7})];
        let table = Table::records("both", &rows);
        let columns = [("a", Align::Right), ("b.c", Align::Left), ("b.d", Align::Left), ("e", Align::Right)];
        assert_eq!(table.columns, columns.map(|(name, align)| (name.to_owned(), align)));
        assert_eq!(table.rows, [["1.5", "x", "[1,2]", ""], ["null", "", "", "7"]]);
    }
}

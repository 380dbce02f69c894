//! Comma-separated values: a heading, then one line per row.

use super::{Exporter, Form, Table};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "csv",
    about: "Comma-separated values, one line per row, for spreadsheets",
    forms: &[Form::Records(write)],
};

fn write(table: &Table) -> String {
    let line =
        |cells: &mut dyn Iterator<Item = &String>| cells.map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
    let heading = line(&mut table.columns.iter().map(|(name, _)| name));
    table.rows.iter().fold(heading, |out, row| out + &line(&mut row.iter()))
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_commas_are_quoted() {
        let table = Table::facts("facts", [("a", "b \"c\", d".to_owned()), ("e", String::new())]);
        assert_eq!(write(&table), "what,value\na,\"b \"\"c\"\", d\"\ne,\n");
    }
}

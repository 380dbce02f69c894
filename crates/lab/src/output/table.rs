//! Tables for terminals: aligned columns, no frame, so that they are easy to cut up with other tools.

use comfy_table::{Cell, CellAlignment, Table, presets};

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows under headings, aligned.
pub(crate) fn table(headings: &[(&str, Align)], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = filled(headings, rows);
    table.load_style(presets::NOTHING);
    table.column_iter_mut().for_each(|column| {
        column.set_padding((0, 2));
    });
    lines(&table)
}

/// Rows under headings as a Markdown table, aligned for terminals too.
pub(crate) fn markdown(headings: &[(&str, Align)], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    // A bar would begin a new cell.
    let rows = rows.into_iter().map(|row| row.iter().map(|text| text.replace('|', "\\|")).collect());
    let mut table = filled(headings, rows);
    table.load_style(presets::ASCII_MARKDOWN);
    lines(&table)
}

fn filled(headings: &[(&str, Align)], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let cell = |text: &str, align: Align| {
        let align = if align == Align::Left { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(text).set_alignment(align)
    };
    let mut table = Table::new();
    table.set_header(headings.iter().map(|&(name, align)| cell(name, align)));
    for row in rows {
        table.add_row(row.iter().zip(headings).map(|(text, &(_, align))| cell(text, align)));
    }
    table
}

fn lines(table: &Table) -> String {
    let mut out = String::new();
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A duration in the unit that fits.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 || s == 0.0 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ns", s * 1e9),
    }
}

/// A number of operations a second in the unit that fits: `1.24 GFLOP/s`.
pub(crate) fn flops(value: f64) -> String {
    match value {
        v if v >= 1e12 => format!("{:.2} TFLOP/s", v / 1e12),
        v if v >= 1e9 => format!("{:.2} GFLOP/s", v / 1e9),
        v if v >= 1e6 => format!("{:.2} MFLOP/s", v / 1e6),
        v => format!("{:.2} kFLOP/s", v / 1e3),
    }
}

/// A number as C writes it with `%.6e`: two digits of exponent at least.
pub(crate) fn scientific(value: f64) -> String {
    let text = format!("{value:.6e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, size) = match exponent.strip_prefix('-') {
                Some(size) => ('-', size),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{size:0>2}")
        }
        // NaN and infinities have no exponent.
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "100".to_owned()]];
        let text = table(&[("name", Align::Left), ("n", Align::Right)], rows);
        assert_eq!(text, "name    n\na       1\nbcd   100\n");
    }

    #[test]
    fn markdown_is_aligned_too() {
        let rows = [vec!["a|b".to_owned(), "1".to_owned()], vec!["c".to_owned(), "100".to_owned()]];
        let text = markdown(&[("name", Align::Left), ("n", Align::Right)], rows);
        assert_eq!(text, "| name |   n |\n|------|-----|\n| a\\|b |   1 |\n| c    | 100 |\n");
    }

    #[test]
    fn numbers_as_c_writes_them() {
        assert_eq!(scientific(0.0), "0.000000e+00");
        assert_eq!(scientific(-123.456), "-1.234560e+02");
        assert_eq!(scientific(1.5e-7), "1.500000e-07");
        assert_eq!(scientific(1e123), "1.000000e+123");
        assert_eq!(scientific(f64::INFINITY), "inf");
    }
}

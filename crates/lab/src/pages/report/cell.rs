//! Numbers on the page, each with its row and field.

use crate::output::number::significant;
use crate::pages::plot::escape;
use crate::pages::tour::TourRow;
use serde_json::Value;

/// Where a number comes from: counted, measured, estimated or published by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Measured,
    Emulated,
    Estimated,
    Published,
}

impl Origin {
    pub(super) fn of(row: &TourRow) -> Self {
        if row.row.emulated { Self::Emulated } else { Self::Measured }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Emulated => "emulated",
            Self::Estimated => "estimated",
            Self::Published => "published",
        }
    }

    /// A word with a mark: distinguished by shape, not by colour alone.
    pub(super) fn badge(self) -> String {
        let mark = match self {
            Self::Measured => "●",
            Self::Emulated => "◐",
            Self::Estimated => "≈",
            Self::Published => "○",
        };
        let name = self.name();
        format!("<span class=\"badge {name}\"><span aria-hidden=\"true\">{mark}</span> {name}</span>")
    }
}

/// The attributes that say where a number comes from; several fields are added up with `+`. A cell with them is a number,
/// and needs no class that says so.
pub(super) fn from(id: &str, field: &str) -> String {
    format!(" data-row=\"{}\" data-field=\"{}\"", escape(id), escape(field))
}

/// A number as an element.
pub(super) fn traced(tag: &str, id: &str, field: &str, text: &str) -> String {
    format!("<{tag}{}>{text}</{tag}>", from(id, field))
}

/// The field of one row divided by that of another, as an element.
pub(super) fn ratio(tag: &str, (above, below): (&str, &str), field: &str, value: f64) -> String {
    format!("<{tag} data-over=\"{}\"{}>{}×</{tag}>", escape(above), from(below, field), significant(value))
}

/// An empty cell.
pub(super) fn nothing() -> String {
    "<td class=\"number none\">–</td>".to_owned()
}

/// Milliseconds in the unit that fits.
pub(super) fn time(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if ms >= 999.5 => (ms / 1e3, "s"),
        ms if ms >= 0.9995 => (ms, "ms"),
        ms if ms >= 0.000_999_5 || ms == 0.0 => (ms * 1e3, "µs"),
        ms => (ms * 1e6, "ns"),
    };
    format!("{}\u{a0}{unit}", significant(value))
}

/// A count with gaps between thousands.
pub(super) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// The sum of some counters of a row, named with `+` between them.
pub(super) fn counter(row: &TourRow, field: &str) -> Option<u64> {
    let values: Option<Vec<u64>> = field.split('+').map(|name| row.row.counters.get(name)?.as_u64()).collect();
    values.map(|values| values.iter().fold(0_u64, |sum, &value| sum.saturating_add(value)))
}

/// A stage of a row in milliseconds.
pub(super) fn stage(row: &TourRow, name: &str) -> f64 {
    row.row.stages_ms.get(name).and_then(Value::as_f64).filter(|ms| ms.is_finite() && *ms >= 0.0).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_they_are_shown() {
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((count(0).as_str(), count(999).as_str()), ("0", "999"));
        let shown: Vec<String> = [0.0, 1234.4, 45.678, 2.0, 0.5, 0.0123].iter().map(|&x| significant(x)).collect();
        assert_eq!(shown, ["0", "1234", "45.7", "2.00", "0.50", "0.0123"]);
    }

    #[test]
    fn times_have_three_digits() {
        let shown: Vec<String> = [1234.0, 21.16, 0.7447, 0.000_25, 0.0].iter().map(|&ms| time(ms)).collect();
        assert_eq!(shown, ["1.23 s", "21.2 ms", "745 µs", "250 ns", "0 µs"].map(|text| text.replace(' ', "\u{a0}")));
    }

    #[test]
    fn badges_differ_in_their_mark() {
        let all = [Origin::Measured, Origin::Emulated, Origin::Estimated, Origin::Published].map(Origin::badge);
        assert!(all.iter().zip(['●', '◐', '≈', '○']).all(|(badge, mark)| badge.contains(mark)), "{all:?}");
    }
}

//! Numbers in reports: the first few and the last.

use crate::files::{Array, Number, with_numbers};
use crate::kernels::run::Value;
use serde::Serialize;

/// How many of the first values a summary shows.
const HEAD: usize = 16;

/// An array as reports show it.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Element type.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The length of every dimension.
    pub shape: Vec<usize>,
    /// The first 16 values.
    pub head: Vec<Value>,
    /// The last value; omitted for an empty array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Value>,
}

impl Summary {
    pub(super) fn of(array: &Array) -> Self {
        let (head, last) = with_numbers!(&array.numbers, xs => (
            xs.iter().take(HEAD).map(|x| x.value()).collect(),
            xs.last().map(|x| x.value()),
        ));
        Self { ty: array.numbers.type_name(), shape: array.shape.clone(), head, last }
    }

    /// The same with more numbers behind these.
    pub(super) fn extend(&mut self, more: &Array) {
        let more = Self::of(more);
        self.head.extend(more.head.into_iter().take(HEAD - self.head.len()));
        self.last = more.last.or(self.last);
    }

    /// `1 2 3 … 9`.
    pub(super) fn line(&self) -> String {
        const SHOWN: usize = 8;
        let length: usize = self.shape.iter().product();
        let mut values: Vec<String> = self.head.iter().take(SHOWN).map(ToString::to_string).collect();
        if length > values.len() + 1 {
            values.push("…".into());
        }
        if let Some(last) = self.last.filter(|_| length > SHOWN) {
            values.push(last.to_string());
        }
        values.join(" ")
    }
}

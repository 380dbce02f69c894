//! Tells texts by their difference to a relative, as `relative.rs` reads it. The build script uses it; tests of the
//! library check it.

/// Bytes that are looked up at once.
const WORD: usize = 8;
/// The relative's words are known at every fourth byte; what is alike around them is found from there.
const STEP: usize = 4;
/// Shorter copies are not worth a step.
const SHORTEST: usize = 20;

/// A text that others resemble.
pub(crate) struct Relative<'a> {
    text: &'a [u8],
    /// Where words begin, by their hash: one place each, plus one.
    places: Vec<u32>,
}

impl<'a> Relative<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        let mut places = vec![0; (text.len() / STEP + 1).next_power_of_two() * 2];
        for at in (0..text.len().saturating_sub(WORD - 1)).step_by(STEP).rev() {
            let hash = hash(&text[at..], places.len());
            places[hash] = at as u32 + 1;
        }
        Self { text, places }
    }

    /// The difference of a text to this one.
    pub(crate) fn difference(&self, text: &[u8]) -> Vec<u8> {
        let (mut steps, mut new) = (Vec::new(), Vec::new());
        // What is told already, where the relative goes on, and the place that is looked at.
        let (mut told, mut next, mut at) = (0, 0, 0);
        while at + WORD <= text.len() {
            let Some(from) = self.find(text, at, next + (at - told)) else {
                at += 1;
                continue;
            };
            // To both sides as far as they are alike.
            let before = alike(text[told..at].iter().rev(), self.text[..from].iter().rev());
            let length = before + alike(text[at..].iter(), self.text[from..].iter());
            if length < SHORTEST {
                at += 1;
                continue;
            }
            let (start, from) = (at - before, from - before);
            let jump = if from < next { (next - from) * 2 + 1 } else { (from - next) * 2 };
            [start - told, length, jump].into_iter().for_each(|value| push(&mut steps, value));
            new.extend_from_slice(&text[told..start]);
            (told, next, at) = (start + length, from + length, start + length);
        }
        new.extend_from_slice(&text[told..]);
        let mut difference = Vec::new();
        push(&mut difference, steps.len());
        difference.extend(steps);
        difference.extend(new);
        difference
    }

    /// Where the relative has the word at a place: best where it would go on as before.
    fn find(&self, text: &[u8], at: usize, expected: usize) -> Option<usize> {
        let word = &text[at..at + WORD];
        let has = |place: usize| self.text.get(place..place + WORD) == Some(word);
        if has(expected) {
            return Some(expected);
        }
        let place = self.places[hash(word, self.places.len())].checked_sub(1)? as usize;
        has(place).then_some(place)
    }
}

/// How many bytes at the beginning are the same.
fn alike<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// The place of a word in a table whose length is a power of two.
fn hash(text: &[u8], length: usize) -> usize {
    let word = u64::from_le_bytes(text[..WORD].try_into().expect("a whole word"));
    (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (length - 1)
}

/// Appends a number.
fn push(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

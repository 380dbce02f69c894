//! How text may be styled.

/// The style of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colours, for terminals.
    pub colour: bool,
}

impl Style {
    /// The text in a colour (an SGR code), if there are colours.
    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A text for one line of a terminal, without the control characters that names and messages may contain.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

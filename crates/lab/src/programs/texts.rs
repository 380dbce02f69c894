//! The texts of sources, read when a finding quotes them.

use super::host_lines::shown;
use crate::kernels::source::Line;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Lines of files by their names in reports.
#[derive(Default)]
pub(super) struct Texts {
    files: HashMap<String, OnceCell<Option<String>>>,
    names: HashMap<String, String>,
}

impl Texts {
    /// A line as reports show it, of a file as debug information names it.
    pub(super) fn line(&mut self, file: &str, number: u32) -> Line {
        let name = self.names.entry(file.to_owned()).or_insert_with(|| shown(file)).clone();
        self.files.entry(name.clone()).or_default();
        Line { file: name, number }
    }

    /// The text of a line of a file that was named before.
    pub(super) fn text(&self, line: &Line) -> Option<&str> {
        let text = self.files.get(&line.file)?.get_or_init(|| std::fs::read_to_string(&line.file).ok());
        text.as_ref()?.lines().nth((line.number as usize).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::folder;

    #[test]
    fn lines_are_those_of_the_file() {
        let root = folder("texts");
        let file = root.join("a.cu").display().to_string();
        std::fs::write(&file, "one\ntwo\n").expect("written");
        let mut texts = Texts::default();
        let second = texts.line(&file, 2);
        assert_eq!(texts.text(&second), Some("two"));
        for number in [0, 3] {
            let line = texts.line(&file, number);
            assert_eq!(texts.text(&line), None);
        }
        let missing = texts.line("/no/such/file", 1);
        assert_eq!(texts.text(&missing), None);
        std::fs::remove_dir_all(root).expect("removed");
    }
}

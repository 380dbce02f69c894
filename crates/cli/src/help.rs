//! Texts below the options of a verb. They are wrapped where the terminal ends, and so must not be where the source does.

use clap::Command;

/// The command, with every paragraph of such a text in one line.
pub(crate) fn in_paragraphs(command: Command) -> Command {
    let text = command.get_after_help().map(|text| paragraphs(&text.to_string()));
    let command = command.mut_subcommands(in_paragraphs);
    match text {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Joins the lines of paragraphs. Lines that are indented stay as they are: examples and tables.
fn paragraphs(text: &str) -> String {
    let mut joined = String::new();
    let mut in_prose = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        joined.push_str(match (in_prose && is_prose, joined.is_empty()) {
            (true, _) => " ",
            (false, true) => "",
            (false, false) => "\n",
        });
        joined.push_str(line);
        in_prose = is_prose && !line.ends_with(':');
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::paragraphs;
    use clap::{Command, CommandFactory};

    /// Every text below options, with the name of its command.
    fn texts(command: &Command) -> Vec<(String, String)> {
        let own = command.get_after_help().map(|text| (command.get_name().to_owned(), text.to_string()));
        own.into_iter().chain(command.get_subcommands().flat_map(texts)).collect()
    }

    #[test]
    fn no_example_is_wrapped() {
        for (name, text) in texts(&crate::Cli::command()) {
            for line in text.lines().filter(|line| line.starts_with(' ')) {
                assert!(line.chars().count() < 100, "{name}: {line}");
            }
        }
    }

    #[test]
    fn paragraphs_are_joined_and_what_is_indented_is_not() {
        let text = "Everything is\ncompared.\n\nExamples:\n  one\n  two\n\nExit status: 0 good,\n2 bad.";
        let joined = "Everything is compared.\n\nExamples:\n  one\n  two\n\nExit status: 0 good, 2 bad.";
        assert_eq!(paragraphs(text), joined);
        assert_eq!(paragraphs("A list:\n  one\nand more"), "A list:\n  one\nand more");
        assert_eq!(paragraphs(""), "");
    }
}

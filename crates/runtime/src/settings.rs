//! How the run was started.

use std::sync::OnceLock;

/// Whether what is not supported is said on standard error: the settings of `warpwise exec` ask for it.
pub fn verbose() -> bool {
    static VERBOSE: OnceLock<bool> = OnceLock::new();
    *VERBOSE.get_or_init(|| {
        let Some(path) = std::env::var_os("WARPWISE_EXEC") else { return false };
        std::fs::read_to_string(path).is_ok_and(|settings| says_verbose(&settings))
    })
}

/// Whether settings hold `"verbose": true`.
fn says_verbose(settings: &str) -> bool {
    let spaced: String = settings.chars().filter(|letter| !letter.is_whitespace()).collect();
    spaced.contains("\"verbose\":true")
}

#[cfg(test)]
mod tests {
    use super::says_verbose;

    #[test]
    fn settings_say_whether_a_run_is_verbose() {
        assert!(says_verbose("{\"gpu\": \"H100\", \"verbose\" : true}"));
        assert!(!says_verbose("{\"verbose\": false}"));
        assert!(!says_verbose(""));
    }
}

//! Reading results back: from a file written by `tour --json`, or from a page.

use super::{KIND, Results, SCHEMA};
use crate::pages::embedded;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Maximum bytes of a file.
pub(in crate::pages) const MOST_BYTES: u64 = 256 << 20;

/// Results that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file that cannot be read.
    #[error("cannot read {path}: {problem}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Incomplete, or not results.
    #[error("{path} is not a complete file of a tour ({problem}): write it again with `warpwise tour --json FILE`")]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// From a later version.
    #[error("{path} has schema {found}, and this version reads up to {SCHEMA}: use a newer warpwise")]
    Future {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u64,
    },
}

/// Reads the results of a tour, from a file of JSON or from a page.
pub fn load(path: &Path) -> Result<Results, LoadError> {
    let read = |problem: String| LoadError::Read { path: path.to_owned(), problem };
    let size = std::fs::metadata(path).map_err(|e| read(e.to_string()))?.len();
    if size > MOST_BYTES {
        return Err(read(format!("{size} bytes are too many for the results of a tour")));
    }
    let bytes = std::fs::read(path).map_err(|e| read(e.to_string()))?;
    parse(path, &bytes)
}

/// Parses results; the path is for messages.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Results, LoadError> {
    let form = |problem: String| LoadError::Form { path: path.to_owned(), problem };
    let text = std::str::from_utf8(bytes).map_err(|e| form(e.to_string()))?;
    let is_page = text.trim_start().starts_with('<');
    let json = if is_page { embedded::read(text).map_err(form)? } else { text.into() };
    let value: serde_json::Value = serde_json::from_str(&json).map_err(|e| form(e.to_string()))?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        Some(found) if found > u64::from(SCHEMA) => return Err(LoadError::Future { path: path.to_owned(), found }),
        Some(schema) if schema == u64::from(SCHEMA) => {}
        _ => return Err(form("it has no schema".into())),
    }
    if value.get("kind").and_then(serde_json::Value::as_str) != Some(KIND) {
        return Err(form("these are other results: `warpwise bench --html` makes pages of its own".into()));
    }
    let mut results: Results = serde_json::from_value(value).map_err(|e| form(e.to_string()))?;
    if is_page {
        for (id, png) in results.pictures_mut().into_iter().filter(|(_, png)| png.is_empty()) {
            *png = picture(text, id).ok_or_else(|| form(format!("the page has no picture {id}")))?.to_owned();
        }
    }
    sane(&results).map_err(form)?;
    Ok(results)
}

/// The picture in the element of a page with an id; pages hold them once, outside of the results.
fn picture<'a>(page: &'a str, id: &str) -> Option<&'a str> {
    let element = page.split_once(&format!(" id=\"{id}\">"))?.1;
    let (before, data) = element.split_once("src=\"data:image/png;base64,")?;
    let is_its_own = !before.contains(" id=\"");
    Some(data.split_once('"')?.0).filter(|_| is_its_own)
}

/// Checks what the types do not: ids are unique and plain, times are positive, pictures are base64.
fn sane(results: &Results) -> Result<(), String> {
    let mut seen = HashSet::new();
    let mut ids: Vec<&str> = results.rows.iter().map(|row| row.id.as_str()).collect();
    for kernel in &results.kernels {
        ids.push(&kernel.id);
        ids.extend(kernel.measures.iter().map(|m| m.id.as_str()));
        ids.extend(kernel.lines.iter().map(|line| line.id.as_str()));
    }
    let frames = || results.heat.iter().flat_map(|heat| &heat.frames);
    let shots = || results.smoothing.iter().flat_map(|s| [&s.before, &s.after]);
    ids.extend(frames().map(|frame| frame.id.as_str()));
    ids.extend(shots().map(|shot| shot.id.as_str()));
    ids.extend(results.figures.iter().flat_map(|figure| &figure.entries).map(|entry| entry.id.as_str()));
    for id in ids {
        if id.is_empty() || id.len() > 32 || !id.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err("an id has other characters than letters and digits".into());
        }
        if !seen.insert(id) {
            return Err(format!("the id {id} occurs twice"));
        }
    }
    let positive = |value: Option<f64>| value.is_none_or(|x| x.is_finite() && x > 0.0);
    for row in &results.rows {
        if !positive(row.row.median_ms) || row.row.noise_pct.is_some_and(|noise| noise.is_nan() || noise < 0.0) {
            return Err(format!("a time of row {} is not a positive number", row.id));
        }
    }
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    if frames().map(|f| &f.png).chain(shots().map(|s| &s.png)).any(|png| !png.chars().all(letter)) {
        return Err("a picture is not in base64".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Report;

    fn error(text: &str) -> String {
        parse(Path::new("r.json"), text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_a_whole_file_of_a_tour() {
        let whole = Results { schema: SCHEMA, kind: KIND.into(), ..Results::default() }.to_json();
        assert!(parse(Path::new("r.json"), whole.as_bytes()).is_ok());
        for cut in 0..whole.len() {
            assert!(error(&whole[..cut]).starts_with("r.json is not a complete file of a tour ("), "{cut}");
        }
        for text in [r#"{"schema":1}"#, r#"{"schema":1,"kind":"bench"}"#, "<html></html>", r#"{"kind":"tour"}"#] {
            assert!(error(text).contains("is not a complete file of a tour"), "{text}: {}", error(text));
        }
        assert!(error(&format!("<p id=\"warpwise-results\">{whole}")).contains("cut off"));
    }

    #[test]
    fn what_is_from_the_future() {
        assert_eq!(
            error(r#"{"schema":7,"rows":"other"}"#),
            "r.json has schema 7, and this version reads up to 1: use a newer warpwise"
        );
    }

    #[test]
    fn what_would_break_a_page_is_refused() {
        let with = |part: &str| format!(r#"{{"schema":1,"kind":"tour",{part}}}"#);
        let row = r#"{"id":"ID","primitive":"p","variant":"v","device":"cpu","type":"f32","ok":true,"median_ms":MS}"#;
        let row = |id: &str, ms: &str| row.replace("ID", id).replace("MS", ms);
        let rows = |list: &[String]| with(&format!(r#""rows":[{}]"#, list.join(",")));
        assert!(parse(Path::new("r"), rows(&[row("r1", "1"), row("r2", "2")]).as_bytes()).is_ok());
        assert!(error(&rows(&[row("r1", "1"), row("r1", "2")])).contains("occurs twice"));
        assert!(error(&rows(&[row("a b", "1")])).contains("letters and digits"));
        assert!(error(&rows(&[row("r1", "-1")])).contains("not a positive number"));
        let frame = r#"{"id":"h1","iterations":0,"lowest":0,"highest":1,"png":"\" onload=\"x"}"#;
        let heat = with(&format!(r#""heat":{{"device":"cpu","rows":1,"columns":1,"frames":[{frame}]}}"#));
        assert!(error(&heat).contains("base64"));
    }
}

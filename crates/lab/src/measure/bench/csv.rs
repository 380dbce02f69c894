//! The report as comma-separated values: one line a row, the keys of the JSON as headings.

use super::Report;
use serde_json::{Map, Value};

/// All rows. Parts of parts have names with a dot: `stages_ms.kernel`. Columns are those that any row has.
pub fn to_csv(report: &Report) -> String {
    let rows: Vec<Map<String, Value>> = report
        .results
        .iter()
        .map(|row| match serde_json::to_value(row).expect("a row has only numbers and strings") {
            Value::Object(map) => flat(&map),
            _ => Map::new(),
        })
        .collect();
    let mut headings: Vec<&String> = Vec::new();
    for key in rows.iter().flat_map(Map::keys) {
        if !headings.contains(&key) {
            headings.push(key);
        }
    }
    let mut out = headings.iter().map(|key| quoted(key)).collect::<Vec<_>>().join(",") + "\n";
    for row in &rows {
        let cell = |key: &&String| row.get(*key).map_or_else(String::new, text);
        out += &(headings.iter().map(|key| quoted(&cell(key))).collect::<Vec<_>>().join(",") + "\n");
    }
    out
}

fn flat(map: &Map<String, Value>) -> Map<String, Value> {
    let mut all = Map::new();
    for (key, value) in map {
        match value {
            Value::Object(inner) => all.extend(inner.iter().map(|(k, v)| (format!("{key}.{k}"), v.clone()))),
            other => {
                all.insert(key.clone(), other.clone());
            }
        }
    }
    all
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{emulated, measured, report};
    use super::*;

    #[test]
    fn rows_with_different_keys_share_a_table() {
        let mut first = measured("cpu-par", 8, 1.5);
        first.error = Some("a \"b\", c".into());
        let text = to_csv(&report(vec![first, emulated("gpu-1", 8, 77)]));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("primitive,variant,device,type,n,input,op,ok,max_error,error,samples"), "{text}");
        assert!(lines[0].ends_with(",counters.warp_instructions"), "{text}");
        assert!(lines[1].contains(r#","a ""b"", c","#) && lines[1].contains(",1.5,"), "{text}");
        assert!(lines[2].ends_with(",77"), "{text}");
        let cells = |line: &str| line.split(',').count();
        assert_eq!(cells(lines[0]), cells(lines[2]));
    }
}

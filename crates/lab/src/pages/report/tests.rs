//! The page from a small file of results that does not change.

use super::to_html;
use crate::output::Report;
use crate::pages::tour::{Results, parse};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

const SMALL: &str = include_str!("small.json");

fn small() -> Results {
    parse(Path::new("small.json"), SMALL.as_bytes()).unwrap()
}

/// The values of an attribute, in order.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let begin = format!(" {name}=\"");
    page.split(&begin).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Every object with an id, anywhere in the results.
fn objects<'a>(value: &'a Value, found: &mut HashMap<&'a str, &'a Value>) {
    match value {
        Value::Object(map) => {
            if let Some(id) = map.get("id").and_then(Value::as_str) {
                found.insert(id, value);
            }
            map.values().for_each(|value| objects(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| objects(value, found)),
        _ => {}
    }
}

#[test]
fn the_structure_of_the_page() {
    let page = to_html(&small());
    let outline: Vec<String> = page
        .split("<h")
        .skip(1)
        .filter_map(|rest| {
            let (level, text) = (rest.get(..1)?.parse::<u8>().ok()?, rest.split_once('>')?.1.split("</h").next()?);
            Some(format!("{level} {text}"))
        })
        .collect();
    let expected = [
        "1 A tour of warpwise",
        "2 Contents",
        "2 In short",
        "3 What is fast",
        "3 What is right",
        "2 All primitives at a glance",
        "2 reduce",
        "3 On the CPU",
        "3 As GPU kernels, on the emulator",
        "4 What each idea did, 2¹⁸",
        "3 Source of the rungs",
        "2 Kernels, line by line",
        "3 reduce gpu-1-interleaved",
        "4 What costs most",
        "2 Two applications, in pictures",
        "3 Heat on a cylinder",
        "3 A picture, smoothed",
        "2 Published figures beside ours",
        "3 vecadd",
        "2 What was run, and on what",
        "2 How to read the numbers",
    ];
    assert_eq!(outline, expected);
    let counted = |part: &str| page.matches(part).count();
    assert_eq!((counted("<svg"), counted("<img"), counted("<table")), (7, 3, 6));
    assert!(page.contains("divergent branches: <span data-row=\"r5\""), "what an idea did is said");
    assert!(page.contains("not run: too large"), "what was refused is said");
}

#[test]
fn contents_lead_somewhere_and_ids_are_unique() {
    let page = to_html(&small());
    let ids = attributes(&page, "id");
    for link in attributes(&page, "href").into_iter().filter_map(|href| href.strip_prefix('#')) {
        assert!(ids.contains(&link), "{link}");
    }
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert!(attributes(&page, "src").iter().all(|src| src.starts_with("data:")), "nothing comes from elsewhere");
}

#[test]
fn every_number_names_a_row_that_has_it() {
    let results = small();
    let page = to_html(&results);
    let json: Value = serde_json::from_str(&results.to_json()).unwrap();
    let mut rows = HashMap::new();
    objects(&json, &mut rows);
    let mut seen = 0;
    for element in page.split('<').filter(|element| element.contains(" data-row=\"")) {
        let (id, fields) = (attributes(element, "data-row")[0], attributes(element, "data-field")[0]);
        let row = rows.get(id).unwrap_or_else(|| panic!("no row {id}"));
        for field in fields.split('+') {
            let inside = || field.split('.').try_fold(*row, |part, name| part.get(name));
            let value = row.get(field).or_else(|| row.get("counters")?.get(field)).or_else(inside);
            assert!(value.is_some_and(Value::is_number), "{id} has no {field}");
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
    for id in attributes(&page, "data-rows").iter().flat_map(|ids| ids.split(' ')) {
        assert!(rows.contains_key(id), "{id}");
    }
}

#[test]
fn numbers_are_those_of_the_rows() {
    let page = to_html(&small());
    for part in [
        "data-row=\"r2\" data-field=\"median_ms\">2.50\u{a0}ms<",
        "data-over=\"r1\" data-row=\"r2\" data-field=\"median_ms\">4.00×<",
        "data-row=\"r5\" data-field=\"warp_instructions\">1\u{202f}000\u{202f}000<",
        "data-per=\"warp_instructions\" data-row=\"r5\" data-field=\"thread_instructions\">24.9<",
        "data-row=\"p1\" data-field=\"published_ms\">5.00\u{a0}ms<",
        "data-published=\"p1\">2.50×<",
        "data-row=\"k1l119\" data-field=\"instructions_percent\"",
    ] {
        assert!(page.contains(part), "`{part}`");
    }
}

#[test]
fn markup_in_results_is_text() {
    let evil = "</script><img src=x onerror=alert(1)>\"'&";
    let mut json: Value = serde_json::from_str(SMALL).unwrap();
    /// Puts markup into every free-form string.
    fn spoil(value: &mut Value, evil: &str) {
        const FIXED: [&str; 7] = ["kind", "id", "png", "row", "device", "primitive", "variant"];
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut().filter(|(key, _)| !FIXED.contains(&key.as_str())) {
                    if value.is_string() {
                        *value = Value::from(format!("{evil}{key}"));
                    } else {
                        spoil(value, evil);
                    }
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|value| spoil(value, evil)),
            other if other.is_string() => *other = Value::from(evil),
            _ => {}
        }
    }
    spoil(&mut json, evil);
    let results = parse(Path::new("x"), json.to_string().as_bytes()).unwrap();
    let page = to_html(&results);
    assert!(!page.contains("<img src=x") && page.contains("&lt;img src=x"));
    assert_eq!(page.matches("<script").count(), 2, "the results, and what the page can do");
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(parse(Path::new("page"), page.as_bytes()).unwrap(), results, "the page has its results in it");
}

#[test]
fn evil_names_of_primitives_too() {
    let text = SMALL.replace("\"reduce\"", "\"<b>x\"").replace("gpu-1-interleaved", "<i>y");
    let page = to_html(&parse(Path::new("x"), text.as_bytes()).unwrap());
    assert!(!page.contains("<b>") && !page.contains("<i>") && page.contains("&lt;b&gt;x"));
}

#[test]
fn little_or_nothing_is_a_page_too() {
    let nothing = Results { schema: 1, kind: "tour".into(), ..Results::default() };
    let page = to_html(&nothing);
    assert!(page.contains("Nothing was run.") && page.ends_with("</html>\n"));
    let mut wrong = small();
    wrong.interrupted = true;
    wrong.rows[1].row.ok = false;
    wrong.rows[1].row.error = Some("1 differs".into());
    let page = to_html(&wrong);
    assert!(!wrong.ok() && page.contains("✗ wrong") && page.contains("1 differs") && page.contains("ended early"));
}

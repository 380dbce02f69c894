//! The page: the record, a script that shows it step by step, and the same steps as a list for whoever has no scripts.

use super::record::{Record, StepRecord};
use crate::pages::plot::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the script is built around.
const CONTROLS: &str = r#"<div id="app" hidden>
<div class="bar" role="group" aria-label="Steps">
<button id="first" type="button">First</button>
<button id="back" type="button">Back<kbd>←</kbd></button>
<button id="play" type="button">Play<kbd>Space</kbd></button>
<button id="step" type="button">Step<kbd>→</kbd></button>
<button id="end" type="button">Last</button>
<label>Steps a second <select id="speed"><option>1<option>2<option selected>5<option>15<option>30<option>60</select></label>
<input id="time" type="range" min="0" value="0" aria-label="Time">
<span class="clock" id="clock"></span>
</div>
<p>Jump to the next
<button type="button" data-jump="conflict">bank conflict <span class="count"></span><kbd>c</kbd></button>
<button type="button" data-jump="divergence">divergence <span class="count"></span><kbd>d</kbd></button>
<button type="button" data-jump="waste">wasteful access <span class="count"></span><kbd>m</kbd></button>
<button type="button" data-jump="collision">atomic collision <span class="count"></span><kbd>a</kbd></button>
<button type="button" data-jump="barrier">barrier <span class="count"></span><kbd>b</kbd></button>
<button type="button" data-jump="finding">race or other finding <span class="count"></span><kbd>r</kbd></button>
</p>
<p class="sr" id="spoken" role="status"></p>
<div class="views" id="views"></div>
<h2>Keys</h2>
<dl class="keys">
<div><dt><kbd>→</kbd> <kbd>←</kbd></dt><dd>step, back</dd></div>
<div><dt><kbd>Space</kbd></dt><dd>play, pause</dd></div>
<div><dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>next, previous warp</dd></div>
<div><dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>first, last step</dd></div>
<div><dt><kbd>+</kbd> <kbd>-</kbd></dt><dd>faster, slower</dd></div>
<div><dt><kbd>c</kbd></dt><dd>next bank conflict</dd></div>
<div><dt><kbd>d</kbd></dt><dd>next divergence</dd></div>
<div><dt><kbd>m</kbd></dt><dd>next access that moves more than it uses</dd></div>
<div><dt><kbd>a</kbd></dt><dd>next atomic collision</dd></div>
<div><dt><kbd>b</kbd></dt><dd>next barrier</dd></div>
<div><dt><kbd>r</kbd></dt><dd>next race or other finding</dd></div>
<div><dt><kbd>Shift</kbd> + letter</dt><dd>the previous one</dd></div>
</dl>
</div>
"#;

/// The words that the page uses.
const WORDS: &str = r#"<details>
<summary>What the words mean</summary>
<dl class="words">
<dt>Lane, warp</dt><dd>A GPU runs threads 32 at a time. The 32 together are a warp, each of them is a lane. All lanes of a
warp execute the same instruction, or sit idle.</dd>
<dt>Divergence</dt><dd>Some lanes take a branch and others do not. The warp runs both ways, one after the other, and the
lanes of the other way are idle meanwhile.</dd>
<dt>Bank, pass</dt><dd>Shared memory lies in 32 banks: word 0 in bank 0, word 1 in bank 1, word 32 in bank 0 again. In one
pass every bank gives one word, to all lanes that want it. Lanes that want different words of the same bank are served one
after the other: a bank conflict, and one more pass for each further word.</dd>
<dt>Sector, line</dt><dd>Global memory is moved in sectors of 32 bytes, four to a line of 128. A warp that uses one word of a
sector pays for all eight.</dd>
<dt>Atomic collision</dt><dd>Atomic operations of several lanes on one address are done one after the other.</dd>
<dt>Barrier</dt><dd>A place where every warp of a block waits until all have arrived, such as __syncthreads().</dd>
<dt>Race</dt><dd>Two threads use the same memory, at least one of them writes, and no barrier lies between: the result
depends on which of them happens to be first.</dd>
</dl>
</details>
"#;

/// What the time of a page means.
const TIME: &str = "Every warp executes one instruction in each unit of time, and warps that meet at a barrier go on \
                    together when the last has arrived. A GPU takes longer over some instructions than over others; what \
                    happens in each step is the same there.";

/// The page of one record, or of two beside each other.
pub(super) fn page(records: &[Record]) -> String {
    let titles: Vec<&str> = records.iter().map(|record| record.title.as_str()).collect();
    let title = format!("Watch {}", titles.join(" beside "));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        title = escape(&title)
    );
    for (number, record) in records.iter().enumerate() {
        facts(&mut out, number, record);
    }
    let _ = writeln!(out, "<p class=\"aside\">{TIME}</p>");
    out.push_str(CONTROLS);
    out.push_str(WORDS);
    out.push_str("<details id=\"list\" open>\n<summary>All steps as a list</summary>\n");
    for record in records {
        list(&mut out, record);
    }
    out.push_str("</details>\n</main>\n");
    // `</script>` in a source would end the data.
    let data = serde_json::to_string(&Data { records }).unwrap_or_default().replace("</", "<\\/");
    let _ = writeln!(out, "<script type=\"application/json\" id=\"warpwise-watch\">{data}</script>");
    let _ = writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>");
    out
}

#[derive(serde::Serialize)]
struct Data<'a> {
    records: &'a [Record],
}

/// What is recorded, and what is not.
fn facts(out: &mut String, number: usize, record: &Record) {
    if let Some(idea) = &record.idea {
        let _ = writeln!(out, "<p>{}: {}.</p>", escape(&record.title), escape(idea));
    }
    let shape = |[x, y, z]: [u32; 3], what| match (x, y, z) {
        (1, 1, 1) => format!("1 {what}"),
        (_, 1, 1) => format!("{x} {what}s"),
        (_, _, 1) => format!("{x} × {y} {what}s"),
        _ => format!("{x} × {y} × {z} {what}s"),
    };
    let _ = writeln!(
        out,
        "<p class=\"aside\">Kernel <code>{}</code>, {} of {}, on an emulated {}. Recorded: {} steps of {} warps.",
        escape(&record.kernel),
        shape(record.grid, "block"),
        shape(record.block, "thread"),
        escape(&record.gpu),
        record.steps.len(),
        record.warps.len()
    );
    if !record.left_out.is_empty() {
        let _ = writeln!(out, "Not recorded: {}.", escape(&record.left_out.join("; ")));
    }
    out.push_str("</p>\n");
    for (index, found) in record.findings.iter().enumerate() {
        let (kind, message) = (escape(found.finding.kind), escape(&found.finding.message));
        let _ = writeln!(out, "<p class=\"found\" data-finding=\"{number} {index}\">{kind}: {message} </p>");
    }
}

/// The steps, those of warps that do the same at the same time in one row.
fn list(out: &mut String, record: &Record) {
    let label = escape(&record.title);
    let _ =
        writeln!(out, "<h2>{label}</h2>\n<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{label}\">");
    out.push_str("<table>\n<thead><tr><th scope=\"col\">Time<th scope=\"col\">Warps<th scope=\"col\">Line");
    out.push_str("<th scope=\"col\">PTX<th scope=\"col\">What happens</thead>\n<tbody>\n");
    let mut rows: BTreeMap<(u64, usize, usize), Vec<usize>> = BTreeMap::new();
    for step in &record.steps {
        rows.entry((step.t, step.i, step.s)).or_default().push(step.w);
    }
    let found: BTreeMap<(u64, usize, usize), &StepRecord> =
        record.steps.iter().filter(|step| !step.f.is_empty()).map(|step| ((step.t, step.i, step.s), step)).collect();
    for (key @ (time, instruction, sentence), warps) in &rows {
        let instruction = &record.instructions[*instruction];
        let line = instruction.line.map(|line| line.to_string()).unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td>{time}<td>{}<td>{line}<td><code>{}</code><td>{}",
            ranges(warps),
            escape(&instruction.ptx),
            escape(&record.sentences[*sentence])
        );
        for &number in found.get(key).map_or(&[][..], |step| &step.f) {
            let finding = &record.findings[number].finding;
            let _ = write!(out, " <strong>{}: {}</strong>", escape(finding.kind), escape(&finding.message));
        }
        out.push('\n');
    }
    out.push_str("</table></div>\n");
}

/// `0–3, 5`.
fn ranges(sorted: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &number in sorted {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let text = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}–{last}"),
    };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_that_do_the_same_are_one_row() {
        assert_eq!(ranges(&[0, 1, 2, 3, 5, 7, 8]), "0–3, 5, 7–8");
        assert_eq!(ranges(&[]), "");
    }
}

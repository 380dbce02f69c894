//! What published and estimated times say beside each other, in words.

use crate::output::number::duration;

/// A published time with what is beside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    /// The authors' name for it.
    pub(crate) name: String,
    /// What it is a way to do: rows with the same problem compete.
    pub(crate) problem: String,
    /// The time as published.
    pub(crate) published_ms: f64,
    /// The estimated time; none for what runs on a CPU or fails.
    pub(crate) estimated_ms: Option<f64>,
    /// The measured time.
    pub(crate) measured_ms: Option<f64>,
    /// Whether its launch fails.
    pub(crate) fails: bool,
}

/// The fastest of some rows.
fn fastest<'a>(rows: &[&'a Compared], time: fn(&Compared) -> Option<f64>) -> Option<(&'a Compared, f64)> {
    let timed = rows.iter().filter(|row| !row.fails).filter_map(|row| Some((*row, time(row)?)));
    timed.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// What the rows of a table say; `chosen` is what its authors chose, where they said so.
pub(crate) fn sentences(rows: &[Compared], chosen: Option<&str>) -> Vec<String> {
    let mut problems: Vec<(&str, Vec<&Compared>)> = Vec::new();
    for row in rows {
        match problems.iter_mut().find(|(problem, _)| *problem == row.problem) {
            Some((_, of)) => of.push(row),
            None => problems.push((&row.problem, vec![row])),
        }
    }
    let mut out = Vec::new();
    for (name, time) in
        [("estimated", (|row| row.estimated_ms) as fn(&Compared) -> Option<f64>), ("measured", |row| row.measured_ms)]
    {
        out.extend(agreement(&problems, name, time));
    }
    if let Some(chosen) = chosen {
        out.extend(choice(rows, chosen));
    }
    out.extend(distance(rows));
    for row in rows.iter().filter(|row| row.fails) {
        out.push(format!(
            "{}: the {} are not a time of the work, and are left out of every comparison.",
            row.name,
            duration(row.published_ms / 1e3)
        ));
    }
    out
}

/// Whether the fastest as published is the fastest here, problem by problem.
fn agreement(problems: &[(&str, Vec<&Compared>)], name: &str, time: fn(&Compared) -> Option<f64>) -> Option<String> {
    let mut agreeing = Vec::new();
    let mut differing = Vec::new();
    for (problem, rows) in problems {
        // Only rows that have both times compete.
        let both: Vec<&Compared> = rows.iter().copied().filter(|row| time(row).is_some()).collect();
        if both.len() < 2 {
            continue;
        }
        let (theirs, _) = fastest(&both, |row| Some(row.published_ms))?;
        let (ours, ms) = fastest(&both, time)?;
        // Within a hundredth, times say nothing about which is faster.
        if theirs.name == ours.name || time(theirs)? <= 1.01 * ms {
            agreeing.push((problem, theirs));
        } else {
            differing.push((problem, theirs, ours));
        }
    }
    let all = agreeing.len() + differing.len();
    match (all, &agreeing[..], &differing[..]) {
        (0, ..) => None,
        (1, [(_, row)], _) => Some(format!("The fastest as published, {}, is the fastest as {name} too.", row.name)),
        (1, _, [(_, theirs, ours)]) => {
            Some(format!("The fastest as published is {}; as {name}, it is {}.", theirs.name, ours.name))
        }
        (_, _, []) => Some(format!("In all {all} cases the fastest as published is the fastest as {name} too.")),
        (_, _, [first, ..]) => Some(format!(
            "In {} of {all} cases the fastest as published is the fastest as {name} too; not at {}, where {} was \
             published as the fastest and {} is {name} so.",
            agreeing.len(),
            first.0,
            first.1.name,
            first.2.name
        )),
    }
}

/// Whether the authors chose what their own numbers say is fastest.
fn choice(rows: &[Compared], chosen: &str) -> Option<String> {
    let all: Vec<&Compared> = rows.iter().collect();
    let (best, ms) = fastest(&all, |row| Some(row.published_ms))?;
    let theirs = rows.iter().find(|row| row.name == chosen)?;
    if best.name == chosen {
        return Some(format!("The authors chose {chosen}, the minimum of their own numbers."));
    }
    Some(format!(
        "The authors chose {chosen} ({}), but the minimum of their own numbers is {} ({}), {:.1} % less.",
        duration(theirs.published_ms / 1e3),
        best.name,
        duration(ms / 1e3),
        100.0 * (1.0 - ms / theirs.published_ms)
    ))
}

/// How far estimates are from what was published.
fn distance(rows: &[Compared]) -> Option<String> {
    let ratio = |row: &Compared| row.estimated_ms.map(|ms| ms / row.published_ms);
    let mut ratios: Vec<f64> = rows.iter().filter(|row| !row.fails).filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let (first, last) = (*ratios.first()?, *ratios.last()?);
    let shown = |ratio: f64| if ratio < 0.1 { format!("{ratio:.3}") } else { format!("{ratio:.2}") };
    Some(format!(
        "Estimated times are {} to {} times the published ones, {} in the middle.",
        shown(first),
        shown(last),
        shown(ratios[ratios.len() / 2])
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, problem: &str, published: f64, estimated: f64) -> Compared {
        Compared {
            name: name.into(),
            problem: problem.into(),
            published_ms: published,
            estimated_ms: Some(estimated),
            ..Compared::default()
        }
    }

    #[test]
    fn agreement_is_told_by_problem() {
        let one = sentences(&[row("a", "n", 2.0, 3.0), row("b", "n", 1.0, 1.5)], None);
        assert_eq!(one[0], "The fastest as published, b, is the fastest as estimated too.");
        assert_eq!(one[1], "Estimated times are 1.50 to 1.50 times the published ones, 1.50 in the middle.");
        let two = [row("a", "8", 2.0, 1.0), row("b", "8", 1.0, 2.0), row("a", "9", 1.0, 1.0), row("b", "9", 2.0, 2.0)];
        let two = sentences(&two, None);
        assert!(
            two[0].starts_with("In 1 of 2 cases the fastest as published is the fastest as estimated too; not at 8,")
        );
    }

    #[test]
    fn a_choice_that_the_numbers_contradict_is_told() {
        let rows = [row("2048 blocks of 512", "n", 0.12387, 0.1), row("2048 blocks of 256", "n", 0.12253, 0.1)];
        let told = sentences(&rows, Some("2048 blocks of 512")).join("\n");
        assert!(
            told.contains("but the minimum of their own numbers is 2048 blocks of 256 (122.53 us), 1.1 % less"),
            "{told}"
        );
    }

    #[test]
    fn a_failed_launch_is_not_fast() {
        let mut failed = row("one block", "n", 0.007, 0.1);
        (failed.fails, failed.estimated_ms) = (true, None);
        let told = sentences(&[failed, row("a", "n", 0.45, 0.5), row("b", "n", 17.0, 9.0)], None);
        assert!(told[0].contains("published, a, is the fastest"), "{told:?}");
        assert!(told.last().unwrap().contains("the 7.00 us are not a time of the work"), "{told:?}");
    }
}

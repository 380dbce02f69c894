//! Questions that the authors of published tables left open, answered from what was counted for their experiments.

use super::Section;
use super::cell::{count, time, traced};
use crate::measure::figures::Estimated;
use crate::output::number::significant;
use crate::pages::plot::escape;
use crate::pages::tour::{Published, Results};
use std::fmt::Write;

/// A question, what answers it, and the command that goes deeper.
type Question = (&'static str, fn(&Results) -> Option<String>, &'static str);

/// The section; none if no published row has its counters.
pub(super) fn section(results: &Results) -> Option<Section> {
    let asked: [Question; 7] = [
        (
            "Why does unrolling gain so much?",
            unrolling,
            "warpwise explain reduce gpu-5-unroll-last-warp --compare gpu-6-unrolled -n 2^20 --gpu rtx-2080-ti",
        ),
        (
            "Why is occupancy lower in kernels 4 and 6?",
            occupancy,
            "warpwise explain reduce gpu-6-unrolled -n 2^24 --block 512 --gpu rtx-2080-ti",
        ),
        (
            "Why does f64 cost the naive radiator twice the time?",
            radiator,
            "warpwise bench --like radiator --variant gpu-1-naive",
        ),
        (
            "What does a division cost?",
            division,
            "warpwise explain radiator gpu-1-naive --compare gpu-2-registers --size 512x512 --type f64 --gpu rtx-2080-ti",
        ),
        ("What do 16-byte loads bring?", wide_loads, "warpwise explain vecadd gpu-grid --compare gpu-vec4 -n 2^20"),
        (
            "Which block and grid are best, and why?",
            block_size,
            "warpwise sweep reduce gpu-7-multi-add --block 128,256,512,1024 --grid 512,1024,2048,4096 -n 2^24 --gpu rtx-2080-ti",
        ),
        (
            "How does contention grow when values fall into one bin?",
            contention,
            "warpwise bench histogram --variant gpu-2-interleaved,gpu-3-shared --bins 8,64,256 -n 2^20 --device emulator",
        ),
    ];
    let mut html = String::new();
    for (question, answer, command) in asked {
        let Some(answer) = answer(results) else { continue };
        let _ = write!(
            html,
            "<h3>{}</h3>\n<p>{answer}</p>\n<p class=\"aside\"><code>{}</code></p>\n",
            escape(question),
            escape(command)
        );
    }
    let intro = "<p>Questions that published tables raise and leave open, answered from what the emulator counted for the \
                 same experiments; times are estimates for the GPU of the table. The command below each answer goes \
                 deeper.</p>\n";
    (!html.is_empty()).then(|| Section {
        id: "questions".into(),
        title: "Questions left open".into(),
        html: intro.to_owned() + &html,
    })
}

/// A published row of a table with its estimate, by the rung and what else must hold.
fn row<'a>(
    results: &'a Results,
    table: &str,
    variant: &str,
    fits: impl Fn(&Published) -> bool,
) -> Option<(&'a Published, &'a Estimated)> {
    let table = results.figures.iter().find(|figure| figure.name == table)?;
    let row = table.entries.iter().find(|entry| entry.variant == variant && fits(entry))?;
    Some((row, row.estimated.as_ref()?))
}

fn counter((entry, estimated): (&Published, &Estimated), name: &str) -> Option<(u64, String)> {
    let value = estimated.counters.get(name)?.as_u64()?;
    Some((value, traced("strong", &entry.id, &format!("estimated.counters.{name}"), &count(value))))
}

fn ms((entry, estimated): (&Published, &Estimated)) -> String {
    traced("strong", &entry.id, "estimated.ms", &time(estimated.ms))
}

fn unrolling(results: &Results) -> Option<String> {
    let of = |variant| row(results, "reduce-ladder", variant, |_| true);
    let (four, five, six) = (of("gpu-4-first-add")?, of("gpu-5-unroll-last-warp")?, of("gpu-6-unrolled")?);
    let (first, last) = (counter(four, "barriers")?, counter(five, "barriers")?);
    let (before, after) = (counter(five, "warp_instructions")?, counter(six, "warp_instructions")?);
    let start = counter(four, "warp_instructions")?;
    Some(format!(
        "Because most instructions of the loop do not work on data: they count, test, jump, and wait for the block. \
         Without the loop for the last warp, {} instructions of warps become {}, and {} waits at barriers become {}; \
         unrolling the rest leaves {}. Kernel 6 is then held by {}, so that the next gain must come from elsewhere.",
        start.1,
        before.1,
        first.1,
        last.1,
        after.1,
        escape(&six.1.held_by)
    ))
}

fn occupancy(results: &Results) -> Option<String> {
    let of = |variant| row(results, "reduce-ladder", variant, |_| true);
    let shown = |variant| {
        let (entry, estimated) = of(variant)?;
        let percent = estimated.occupancy_percent?;
        Some(traced("strong", &entry.id, "estimated.occupancy_percent", &format!("{percent:.1}")))
    };
    Some(format!(
        "No resource runs out: blocks of 512 threads fill a multiprocessor in any of them. But the blocks live shorter from \
         kernel to kernel, and while one ends and the next begins its warps are missing: {} % on average in kernel 3, {} % \
         in kernel 4, {} % in kernel 5, {} % in kernel 6. Kernel 7, whose blocks stay for many elements, is at {} % again.",
        shown("gpu-3-sequential")?,
        shown("gpu-4-first-add")?,
        shown("gpu-5-unroll-last-warp")?,
        shown("gpu-6-unrolled")?,
        shown("gpu-7-multi-add")?
    ))
}

fn radiator(results: &Results) -> Option<String> {
    let of = |ty: &'static str| row(results, "radiator", "gpu-1-naive", move |entry| entry.ty == ty);
    let (single, double) = (of("f32")?, of("f64")?);
    let (few, many) = (counter(single, "global_load_sectors")?, counter(double, "global_load_sectors")?);
    let bytes = format!(
        "{} sectors are loaded for f32 and {} for f64, {}× as many",
        few.1,
        many.1,
        significant(many.0 as f64 / few.0.max(1) as f64)
    );
    let (held_by, times) = (escape(&double.1.held_by), format!("{} and {}", ms(single), ms(double)));
    Some(match double.1.held_by.contains("memory") {
        true => format!(
            "Because it moves twice the bytes: {bytes}, and it is held by {held_by}. The estimates are {times}. The \
             arithmetic of f64 is slow on such a GPU, but it waits in the shadow of memory; a version that keeps its cells \
             on chip would feel it."
        ),
        false => format!(
            "It moves twice the bytes, {bytes}, and a GPU with many units for f64 takes twice the time for that. The GPU \
             assumed here, {}, has few: it is held by {held_by}, and the estimates are {times}.",
            escape(&double.1.device)
        ),
    })
}

fn division(results: &Results) -> Option<String> {
    let of = |variant, ty: &'static str| row(results, "radiator", variant, move |entry| entry.ty == ty);
    let busy = |(entry, estimated): (&Published, &Estimated)| {
        let percent = estimated.compute_percent?;
        Some(traced("strong", &entry.id, "estimated.compute_percent", &format!("{percent:.0}")))
    };
    let (single, double) = (of("gpu-1-naive", "f32")?, of("gpu-1-naive", "f64")?);
    let (few, many) = (of("gpu-2-registers", "f32")?, of("gpu-2-registers", "f64")?);
    Some(format!(
        "It is no instruction but a small program: a reciprocal, and the steps that make it exact. Kernel 1 divides once for \
         every cell and step, and the busiest pipe of arithmetic works for {} % of the time in f32 and {} % in f64, where \
         it is held by {} and by {}. Kernel 2 multiplies by a fifth instead: {} % and {} %. What waits for memory does not \
         notice a division; f64 on a GPU with few units for it, and what has its cells on chip, pay for every one.",
        busy(single)?,
        busy(double)?,
        escape(&single.1.held_by),
        escape(&double.1.held_by),
        busy(few)?,
        busy(many)?
    ))
}

fn wide_loads(results: &Results) -> Option<String> {
    let of = |variant: &str| {
        let here = |row: &&crate::pages::tour::TourRow| {
            let c = &row.row.configuration;
            !row.figure && c.primitive == "vecadd" && c.device == "emulator" && c.variant == variant
        };
        results.rows.iter().filter(here).max_by_key(|row| row.row.configuration.elements())
    };
    let (plain, wide) = (of("gpu-grid")?, of("gpu-vec4")?);
    let shown = |row: &crate::pages::tour::TourRow, name: &str| {
        Some(traced("strong", &row.id, name, &count(super::cell::counter(row, name)?)))
    };
    Some(format!(
        "Fewer instructions for the same bytes: {} instructions of warps become {}, and {} accesses of warps to global \
         memory become {}, while {} sectors stay {}. Memory moves no less; what is gained is the issue slots, and more \
         bytes under way per thread.",
        shown(plain, "warp_instructions")?,
        shown(wide, "warp_instructions")?,
        shown(plain, "global_load_requests")?,
        shown(wide, "global_load_requests")?,
        shown(plain, "global_load_sectors")?,
        shown(wide, "global_load_sectors")?
    ))
}

fn block_size(results: &Results) -> Option<String> {
    let table = results.figures.iter().find(|figure| figure.name == "reduce-block-grid")?;
    let rows: Vec<(&Published, &Estimated)> =
        table.entries.iter().filter_map(|entry| Some((entry, entry.estimated.as_ref()?))).collect();
    let best = rows.iter().min_by(|a, b| a.1.ms.total_cmp(&b.1.ms))?;
    let worst = rows.iter().max_by(|a, b| a.1.ms.total_cmp(&b.1.ms))?;
    let near = rows.iter().filter(|row| row.1.ms <= 1.03 * best.1.ms).count();
    Some(format!(
        "Hardly any choice matters: {near} of {} are within three per cent of the best estimate, {} for {}. All of them are \
         held by {}; a grid only has to fill every multiprocessor with enough loads under way, and to give its threads \
         enough elements. Too many threads lose: {} takes an estimated {}.",
        rows.len(),
        ms(*best),
        escape(&best.0.published_as),
        escape(&best.1.held_by),
        escape(&worst.0.published_as),
        ms(*worst)
    ))
}

fn contention(results: &Results) -> Option<String> {
    let of = |variant: &'static str, black: bool| {
        let fits = move |entry: &Published| entry.size == "1000x1000" && entry.published_as.contains("black") == black;
        row(results, "histogram-image", variant, fits)
    };
    let (random, black) = (of("gpu-2-interleaved", false)?, of("gpu-2-interleaved", true)?);
    let (few, many) = (counter(random, "atomic_collisions")?, counter(black, "atomic_collisions")?);
    let tree = of("gpu-4-tree", true)?;
    Some(format!(
        "With 256 levels spread evenly, {} lanes meet another at their address; in a black image {} do, and every warp needs \
         32 turns where it needed one or two: {} become {}. With block histograms in shared memory the black image takes an \
         estimated {}: turns in shared memory are shorter, but there are as many.",
        few.1,
        many.1,
        ms(random),
        ms(black),
        ms(tree)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::figures::{self, Effort, Estimator};
    use crate::pages::tour::FigureTable;

    /// A published table with estimates for its rows on GPUs.
    fn table(name: &str) -> FigureTable {
        let figure = figures::all().into_iter().find(|figure| figure.name == name).unwrap();
        let estimator = Estimator::new(Effort::GLANCE);
        let on_gpus = figure.entries.iter().enumerate().filter(|(_, entry)| entry.variant.starts_with("gpu-"));
        let entries = on_gpus.map(|(i, entry)| Published {
            id: format!("p{i}"),
            variant: entry.variant.into(),
            ty: entry.ty.into(),
            estimated: Some(estimator.estimate(&figure, entry).unwrap()),
            ..Published::default()
        });
        FigureTable { name: figure.name.into(), entries: entries.collect(), ..FigureTable::default() }
    }

    #[test]
    fn questions_are_answered_from_what_was_counted() {
        let answers = |tables: Vec<FigureTable>| section(&Results { figures: tables, ..Results::default() });
        let ladder = answers(vec![table("reduce-ladder")]).unwrap().html;
        assert!(ladder.contains("Why does unrolling gain so much?"), "{ladder}");
        assert!(ladder.contains("data-row=\"p4\" data-field=\"estimated.counters.warp_instructions\""));
        assert!(ladder.contains("Why is occupancy lower") && !ladder.contains("radiator"), "only these");
        let radiator = answers(vec![table("radiator")]).unwrap().html;
        assert!(
            radiator.contains("Why does f64 cost") && radiator.contains("What does a division cost?"),
            "{radiator}"
        );
        assert!(radiator.contains("data-field=\"estimated.compute_percent\""), "{radiator}");
        assert!(answers(Vec::new()).is_none());
    }
}

//! What happens in a step, in a sentence or two for people who have not seen a warp at work before.

use super::access::Seen;
use super::lanes::{self, SECTOR, lanes};
use super::recorder::{Known, Step};
use warpwise_simt::observe::Space;

/// The sentences about a step.
pub(super) fn sentence(step: &Step, known: &Known) -> String {
    let mut text = what(step, known);
    if let Some(idle) = idle(step).filter(|_| !step.diverges) {
        text.push(' ');
        text.push_str(&idle);
    }
    text
}

fn what(step: &Step, known: &Known) -> String {
    let opcode = known.ptx.as_ref().map_or("ret", |ptx| &*ptx.opcode);
    let guarded = known.ptx.as_ref().is_some_and(|ptx| ptx.guard.is_some());
    let who = who(step.on);
    if step.on == 0 {
        return match opcode {
            "bra" => "No lane takes the branch: the warp goes straight on.".to_owned(),
            _ => "The guard is off for all lanes: nothing happens.".to_owned(),
        };
    }
    if let Some(arrival) = step.barrier {
        let (id, here, of) = (arrival.id, arrival.here, arrival.of);
        return match (arrival.last, arrival.waits) {
            (true, _) => format!("The last to arrive at barrier {id}: all {} continue.", warps(here)),
            (false, true) => format!("Arrives at barrier {id} and waits: {here} of {} are there.", warps(of)),
            (false, false) => format!("Arrives at barrier {id} and goes on: {here} of {} have arrived.", warps(of)),
        };
    }
    if step.diverges {
        let (taken, rest) = (count(step.on), count(step.off));
        return format!(
            "The warp diverges: {taken} {} the branch, {rest} {} not. It runs the two ways one after the other, each \
             with the lanes of the other idle.",
            verb(step.on, "take"),
            if step.off.count_ones() == 1 { "does" } else { "do" }
        );
    }
    if !step.accesses.is_empty() {
        return step.accesses.iter().map(access).collect::<Vec<_>>().join(" ");
    }
    match opcode {
        "bra" if guarded => format!("{who} {} the branch.", verb(step.on, "take")),
        "bra" | "brx" => format!("{who} {} to another place in the code.", verb(step.on, "jump")),
        "ret" | "exit" if step.off == 0 => format!("{who} {}.", verb(step.on, "end")),
        "ret" | "exit" => format!("{who} {}; the others go on.", verb(step.on, "end")),
        "shfl" => format!("{who} {} values to each other, from register to register.", verb(step.on, "hand")),
        "vote" | "match" | "redux" => format!("{who} {} their values, without memory.", verb(step.on, "combine")),
        "call" => format!("{who} {} a function.", verb(step.on, "call")),
        "membar" | "fence" => format!("{who} {} until their writes can be seen by others.", verb(step.on, "wait")),
        _ => {
            let results: Vec<&str> = known.results.iter().map(|register| &*register.name).collect();
            match results.as_slice() {
                [] => format!("{who} {} it.", verb(step.on, "execute")),
                names => format!("{who} {} {}.", verb(step.on, "compute"), names.join(", ")),
            }
        }
    }
}

/// Lanes that do nothing in a step, and why.
fn idle(step: &Step) -> Option<String> {
    let reasons = [
        (step.off, "the guard is off"),
        (step.other, "they go another way from a branch"),
        (step.met, "they wait where the ways from a branch meet"),
        (step.wait, "they wait for others"),
        (step.gone, "they have ended"),
    ];
    let said: Vec<String> = reasons
        .into_iter()
        .filter(|(mask, _)| *mask != 0 && step.on != 0)
        .map(|(mask, why)| format!("{} ({why})", mask.count_ones()))
        .collect();
    (!said.is_empty()).then(|| format!("Idle lanes: {}.", said.join(", ")))
}

fn access(seen: &Seen) -> String {
    let who = who(seen.mask);
    let does = match seen.kind_name() {
        "load" => format!("{who} {} {} each from", verb(seen.mask, "load"), bytes(seen.bytes.into())),
        "store" => format!("{who} {} {} each to", verb(seen.mask, "store"), bytes(seen.bytes.into())),
        _ => format!("{who} {} {} each atomically in", verb(seen.mask, "update"), bytes(seen.bytes.into())),
    };
    let does = format!("{does} {} memory", seen.space_name());
    if seen.is_atomic() {
        let (meeting, most) = lanes::collisions(seen.mask, &seen.addresses);
        return match meeting {
            0 => format!("{does}, each at an address of its own."),
            _ => format!(
                "{does}: {meeting} of them collide, up to {most} at one address. Those are done one after the other."
            ),
        };
    }
    match seen.space {
        Space::Shared => shared(seen, &does),
        Space::Global => {
            let (sectors, asked) = lanes::sectors(seen.mask, seen.bytes, &seen.addresses);
            let moved = u64::from(sectors) * SECTOR;
            let part = (u64::from(asked) * 100).div_ceil(moved.max(1));
            let sectors = if sectors == 1 { "1 sector".to_owned() } else { format!("{sectors} sectors") };
            format!(
                "{does}: {} asked for, {} moved ({sectors} of 32 bytes): {part} % of it is used.",
                bytes(asked.into()),
                bytes(moved)
            )
        }
        Space::Local | Space::Constant | Space::Parameter => format!("{does}."),
    }
}

fn shared(seen: &Seen, does: &str) -> String {
    let found = lanes::passes(seen.mask, seen.bytes, &seen.addresses);
    let passes = if found.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", found.passes) };
    match &found.worst {
        None => format!("{does}: no two want different words of one bank, so {passes} through the banks."),
        Some((bank, who)) => {
            let listed = match who.as_slice() {
                [a, b] => format!("{a} and {b}"),
                [a, b, c] => format!("{a}, {b} and {c}"),
                [a, b, rest @ ..] => format!("{a}, {b} and {} more", rest.len()),
                _ => String::new(),
            };
            format!(
                "{does}: a bank conflict. Lanes {listed} want {} different words of bank {bank}, and a bank gives one \
                 at a time: {passes} instead of {}.",
                who.len(),
                found.passes - found.conflicts
            )
        }
    }
}

/// `All lanes`, `Lane 3`, `16 lanes`.
fn who(mask: u32) -> String {
    match mask.count_ones() {
        32 => "All 32 lanes".to_owned(),
        1 => format!("Lane {}", lanes(mask).next().unwrap_or(0)),
        n => format!("{n} lanes"),
    }
}

fn count(mask: u32) -> String {
    match mask.count_ones() {
        1 => "1 lane".to_owned(),
        n => format!("{n} lanes"),
    }
}

fn verb(mask: u32, plural: &str) -> String {
    if mask.count_ones() == 1 { format!("{plural}s") } else { plural.to_owned() }
}

fn warps(count: usize) -> String {
    if count == 1 { "1 warp".to_owned() } else { format!("{count} warps") }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_simt::observe::AccessKind;

    fn seen(kind: AccessKind, space: Space, mask: u32, step: u64) -> Seen {
        let addresses = std::array::from_fn(|lane| lane as u64 * step);
        Seen { kind, space, bytes: 4, mask, addresses, counted: true }
    }

    #[test]
    fn conflicts_name_lanes_and_bank() {
        assert_eq!(
            access(&seen(AccessKind::Load, Space::Shared, u32::MAX, 8)),
            "All 32 lanes load 4 bytes each from shared memory: a bank conflict. Lanes 0 and 16 want 2 different words \
             of bank 0, and a bank gives one at a time: 2 passes instead of 1."
        );
        let many = access(&seen(AccessKind::Store, Space::Shared, u32::MAX, 128));
        assert!(many.contains("Lanes 0, 1 and 30 more want 32 different words of bank 0"), "{many}");
        let none = access(&seen(AccessKind::Load, Space::Shared, 1 << 7, 4));
        assert!(none.starts_with("Lane 7 loads 4 bytes each") && none.contains("so 1 pass through"), "{none}");
    }

    #[test]
    fn global_accesses_say_what_is_used() {
        let good = access(&seen(AccessKind::Load, Space::Global, u32::MAX, 4));
        assert!(good.ends_with("128 bytes asked for, 128 bytes moved (4 sectors of 32 bytes): 100 % of it is used."));
        let bad = access(&seen(AccessKind::Store, Space::Global, u32::MAX, 128));
        assert!(bad.ends_with("128 bytes asked for, 1024 bytes moved (32 sectors of 32 bytes): 13 % of it is used."));
    }

    #[test]
    fn atomics_say_who_collides() {
        let all = access(&seen(AccessKind::Reduction, Space::Global, u32::MAX, 0));
        assert!(all.contains("32 of them collide, up to 32 at one address"), "{all}");
        assert!(access(&seen(AccessKind::Atomic, Space::Shared, 0b11, 4)).contains("an address of its own"));
    }
}

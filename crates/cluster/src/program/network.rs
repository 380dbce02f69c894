//! `warpwise-cluster network`: what the network between two ranks does, for `plan`.

use super::Done;
use super::report::Report;
use super::run::{Common, Run};
use crate::communicator::{Communicator, exchange};
use crate::{Error, agree};

/// Measure the latency and the bandwidth between rank 0 and the last rank, for `plan --network`
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
}

/// Bytes of the message that shows the bandwidth.
const LARGE: usize = 1 << 22;

pub(super) fn run(run: &mut Run, arguments: &Arguments) -> Done {
    run.place(&arguments.common)?;
    if run.ranks.size() < 2 {
        return agree(&run.ranks, Err(Error::flag("network", "start at least two ranks: mpirun -n 2")));
    }
    let small = one_way(run, 8, 300);
    let large = one_way(run, LARGE, 9);
    let bandwidth = LARGE as f64 / (large - small).max(1e-12);
    // A third of the time of a small message each: sending, on its way, receiving.
    let part = small / 3.0 * 1e6;
    let network = format!("latency={part:.3}us,overhead={part:.3}us,bandwidth={:.3}GB/s", bandwidth / 1e9);
    Ok(Report::new("network", &arguments.common)
        .with("message_us", small * 1e6)
        .with("gb_per_s", bandwidth / 1e9)
        .with("network", network.clone())
        .text(network))
}

/// The median time of a message, from half of the time there and back.
fn one_way(run: &Run, bytes: usize, rounds: usize) -> f64 {
    let (me, last) = (run.ranks.rank(), run.ranks.size() - 1);
    let (out, mut back) = (vec![1_u8; bytes], vec![0_u8; bytes]);
    let mut times = Vec::new();
    for _ in 0..rounds {
        let begin = run.log.seconds();
        if me == 0 {
            exchange(&run.ranks, &[(last, &out[..])], Vec::new());
            exchange(&run.ranks, &[], vec![(last, &mut back[..])]);
        } else if me == last {
            exchange(&run.ranks, &[], vec![(0, &mut back[..])]);
            exchange(&run.ranks, &[(0, &out[..])], Vec::new());
        }
        times.push((run.log.seconds() - begin) / 2.0);
    }
    times.sort_by(f64::total_cmp);
    let mut median = [times[rounds / 2]];
    crate::communicator::broadcast(&run.ranks, 0, &mut median);
    median[0]
}

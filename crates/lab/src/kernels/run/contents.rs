//! Runs whose arguments are data, and whose results are too: for callers that have arrays in memory.

use super::{Request, RunError, RunReport, execute_keeping};

/// Numbers of arguments that are buffers, with their bytes.
pub type BufferBytes = Vec<(usize, Vec<u8>)>;

/// Runs a kernel and reports, with the bytes of all buffers that are arguments, afterwards. There are none if the kernel
/// did not run, or was stopped on a real GPU.
pub fn run_with_contents(request: &Request) -> Result<(RunReport, BufferBytes), RunError> {
    let all: Vec<usize> = (0..request.values.len().max(request.arguments.len())).collect();
    let done = execute_keeping(request, &all)?;
    Ok((done.report, done.contents.into_iter().map(|kept| (kept.arg, kept.bytes)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::files::testing::folder;
    use crate::kernels::run::{Argument, DEFAULT_MAX_INSTRUCTIONS, ElementType, Fill};
    use warpwise_simt::Checks;

    const TWICE: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 xs, .param .u32 by) {
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d1, %r1, 4;
    ld.param.u64 %d2, [xs];
    ld.param.u32 %r3, [by];
    add.s64 %d3, %d2, %d1;
    ld.global.u32 %r2, [%d3];
    mul.lo.s32 %r2, %r2, %r3;
    st.global.u32 [%d3], %r2;
    ret;
}
";

    fn request(values: Vec<Argument>, arguments: &[&str]) -> Request {
        let root = folder(&format!("contents-{}", arguments.len()));
        let file = root.join("twice.ptx");
        std::fs::write(&file, TWICE).expect("written");
        Request {
            values,
            file,
            entry: None,
            grid: [1; 3],
            block: [4, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster: None,
            arguments: arguments.iter().map(|&text| text.to_owned()).collect(),
            symbols: Vec::new(),
            device: Place::Emulator,
            gpu: "h200".to_owned(),
            max_instructions: DEFAULT_MAX_INSTRUCTIONS,
            time_limit: None,
            checks: Checks::NONE,
            dump: None,
            defines: Vec::new(),
            includes: Vec::new(),
            debug: false,
            record: None,
        }
    }

    fn bytes(values: [i32; 4]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn data_goes_in_and_comes_out() {
        let xs = Argument::Buffer { ty: ElementType::I32, len: 4, fill: Fill::Numbers(bytes([1, 2, 3, 4])) };
        let by = Argument::parse(1, "u32=3").expect("an argument");
        let (report, contents) = run_with_contents(&request(vec![xs, by], &[])).expect("it runs");
        assert!(report.ok && report.counters.is_some());
        assert_eq!(contents, [(0, bytes([3, 6, 9, 12]))]);
    }

    #[test]
    fn arguments_in_words_have_contents_too() {
        let (_, contents) = run_with_contents(&request(Vec::new(), &["i32[4]:iota", "u32=2"])).expect("it runs");
        assert_eq!(contents, [(0, bytes([0, 2, 4, 6]))]);
    }
}

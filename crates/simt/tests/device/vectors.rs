//! Vectors are stored and loaded as a whole: blocks that post a state beside a value rely on it.

use std::sync::Arc;

use warpwise_simt::{Gpu, Launch, Machine, Program};

/// The first block stores vectors of equal words, the second counts how often it loads one whose words differ.
fn torn(vector: &str, elements: usize, bits: u32) -> u32 {
    let all = |register: &str| (0..elements).map(|i| format!("%{register}{i}")).collect::<Vec<_>>().join(", ");
    let make: String = (0..elements).map(|i| format!("cvt.u{bits}.u32 %v{i}, %r1;\n")).collect();
    let compare: String =
        (1..elements).map(|i| format!("setp.ne.u{bits} %p2, %w0, %w{i};\n@%p2 add.u32 %r3, %r3, 1;\n")).collect();
    let text = format!(
        "
.version 7.0
.target sm_70
.address_size 64
.visible .entry post(.param .u64 place, .param .u64 count)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    .reg .b{bits} %v<4>;
    .reg .b{bits} %w<4>;
    ld.param.u64 %rd1, [place];
    ld.param.u64 %rd2, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r1, 0;
    mov.u32 %r3, 0;
    setp.ne.u32 %p1, %r2, 0;
again:
    @%p1 bra look;
    {make}
    st.relaxed.gpu.global.{vector} [%rd1], {{{}}};
    bra next;
look:
    ld.relaxed.gpu.global.{vector} {{{}}}, [%rd1];
    {compare}
next:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p3, %r1, 300000;
    @%p3 bra again;
    @%p1 st.global.u32 [%rd2], %r3;
    ret;
}}",
        all("v"),
        all("w"),
    );
    let mut machine = Machine::new(Gpu::named("h200").expect("in the table"));
    let program = Arc::new(Program::load(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}")));
    let module = machine.load(program).expect("nothing to resolve");
    let (place, count) = (machine.alloc(16).expect("memory"), machine.alloc(4).expect("memory"));
    let params = [place, count].iter().flat_map(|p| p.0.to_le_bytes()).collect();
    let mut launch = Launch::new([2, 1, 1], [1, 1, 1], params);
    launch.workers = 2;
    machine.launch(module, "post", &launch).expect("it runs");
    let mut found = [0; 4];
    machine.read(count, &mut found).expect("it is there");
    u32::from_le_bytes(found)
}

#[test]
fn no_vector_is_torn() {
    assert_eq!(torn("v2.u32", 2, 32), 0);
    // Sixteen bytes are whole where the host has vectors of them.
    if cfg!(target_arch = "x86_64") {
        assert_eq!(torn("v4.u32", 4, 32), 0);
        assert_eq!(torn("v2.u64", 2, 64), 0);
    }
}

//! Clusters: their shape and limits, and what the checks know of them.

use crate::rig::Rig;

/// Each thread writes a word of its block's shared memory and of global memory; the cluster meets; it reads both words
/// from the next block of the cluster. `unordered` does the same without the meeting, `unwritten` without the writes.
const NEXT: &str = r"
    .visible .entry ordered(.param .u64 out)
    {
        .shared .align 4 .b32 tile[32];
        .reg .b64 %out, %mine, %theirs;
        .reg .b32 %t, %b, %r, %n, %s, %v, %w;
        ld.param.u64 %out, [out];
        mov.u32 %t, %tid.x;
        mov.u32 %b, %ctaid.x;
        mov.u32 %r, %cluster_ctarank;
        mov.u32 %n, %cluster_nctarank;
        mov.u32 %s, tile;
        mad.lo.u32 %s, %t, 4, %s;
        mad.lo.u32 %v, %b, 32, %t;
        mad.wide.u32 %mine, %v, 4, %out;
        st.shared.u32 [%s], %v;
        st.global.u32 [%mine], %v;
        barrier.cluster.arrive.release;
        barrier.cluster.wait.acquire;
        sub.u32 %b, %b, %r;
        add.u32 %r, %r, 1;
        rem.u32 %r, %r, %n;
        add.u32 %b, %b, %r;
        mapa.shared::cluster.u32 %s, %s, %r;
        ld.shared::cluster.u32 %v, [%s];
        mad.lo.u32 %w, %b, 32, %t;
        mad.wide.u32 %theirs, %w, 4, %out;
        ld.global.u32 %w, [%theirs];
        add.u32 %v, %v, %w;
        barrier.cluster.arrive.release;
        barrier.cluster.wait.acquire;
        st.global.u32 [%mine], %v;
        ret;
    }
    .visible .entry unordered(.param .u64 out)
    {
        .reg .b64 %out, %mine;
        .reg .b32 %b, %v;
        ld.param.u64 %out, [out];
        mov.u32 %b, %cluster_ctarank;
        st.global.u32 [%out], %b;
        barrier.cluster.arrive;
        ld.global.u32 %v, [%out];
        barrier.cluster.wait;
        ret;
    }
    .visible .entry unwritten(.param .u64 out)
    {
        .shared .align 4 .b32 tile[32];
        .reg .b64 %out;
        .reg .b32 %t, %r, %s, %v;
        ld.param.u64 %out, [out];
        mov.u32 %t, %tid.x;
        mov.u32 %r, %cluster_ctarank;
        mad.lo.u32 %v, %r, 32, %t;
        mad.wide.u32 %out, %v, 4, %out;
        xor.b32 %r, %r, 1;
        mov.u32 %s, tile;
        mad.lo.u32 %s, %t, 4, %s;
        mapa.shared::cluster.u32 %s, %s, %r;
        ld.shared::cluster.u32 %v, [%s];
        st.global.u32 [%out], %v;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ret;
    }
    .visible .entry received(.param .u64 out)
    {
        .shared .align 4 .b32 tile[32];
        .reg .b64 %out;
        .reg .b32 %t, %b, %r, %s, %d, %v;
        ld.param.u64 %out, [out];
        mov.u32 %t, %tid.x;
        mov.u32 %b, %ctaid.x;
        mov.u32 %r, %cluster_ctarank;
        xor.b32 %r, %r, 1;
        mov.u32 %s, tile;
        mad.lo.u32 %s, %t, 4, %s;
        mapa.shared::cluster.u32 %d, %s, %r;
        mad.lo.u32 %b, %b, 32, %t;
        st.shared::cluster.u32 [%d], %b;
        barrier.cluster.arrive;
        barrier.cluster.wait;
        ld.shared.u32 %v, [%s];
        mad.wide.u32 %out, %b, 4, %out;
        st.global.u32 [%out], %v;
        ret;
    }
    .visible .entry gone(.param .u64 out)
    {
        .shared .align 4 .b32 word;
        .reg .b64 %out;
        .reg .b32 %r, %s, %v;
        .reg .pred %p;
        mov.u32 %r, %cluster_ctarank;
        setp.ne.u32 %p, %r, 0;
        @%p exit;
        ld.param.u64 %out, [out];
    WAIT:
        ld.volatile.global.u32 %v, [%out];
        setp.eq.u32 %p, %v, 0;
        mov.u32 %s, word;
        mapa.shared::cluster.u32 %s, %s, 1;
        ld.shared::cluster.u32 %v, [%s];
        @%p bra WAIT;
        ret;
    }
    .visible .entry declared(.param .u64 out) .reqnctapercluster 2
    {
        ret;
    }";

fn clusters(x: u32) -> impl Fn(&mut warpwise_simt::Launch) {
    move |launch| launch.cluster = Some([x, 1, 1])
}

#[test]
fn blocks_read_what_others_of_their_cluster_wrote() {
    let mut rig = Rig::new(NEXT, 256);
    for size in [1, 2, 4, 8] {
        for workers in [1, 2] {
            let report = rig.good("ordered", (8, 32), |launch| {
                clusters(size)(launch);
                (launch.workers, launch.watch.counters) = (workers, true);
            });
            assert_eq!(report.profile.map(|profile| profile.total.barriers), Some(16), "two for each of eight warps");
            let next = |word: u32| {
                let block = word / 32;
                (block / size * size + (block % size + 1) % size) * 32 + word % 32
            };
            assert_eq!(rig.words(), (0..256).map(|word| 2 * next(word)).collect::<Vec<_>>(), "clusters of {size}");
        }
    }
}

#[test]
fn memory_that_others_write_counts_as_written() {
    let mut rig = Rig::new(NEXT, 64);
    rig.good("received", (2, 32), clusters(2));
    assert_eq!(rig.words(), (32..64).chain(0..32).collect::<Vec<_>>());
    let report = rig.launch("unwritten", (2, 32), clusters(2)).expect("ends well");
    let kinds: Vec<&str> = report.findings.iter().map(|finding| finding.kind.name()).collect();
    assert_eq!(kinds, ["uninitialized"]);
}

#[test]
fn blocks_of_a_cluster_that_do_not_meet_race() {
    let mut rig = Rig::new(NEXT, 1);
    let report = rig.launch("unordered", (2, 1), clusters(2)).expect("ends well");
    assert!(!report.findings.is_empty() && report.findings.iter().all(|finding| finding.kind.name() == "race"));
}

#[test]
fn the_memory_of_a_block_that_has_exited_is_gone() {
    let (kind, message) = Rig::new(NEXT, 1).fault("gone", (2, 1), clusters(2));
    assert_eq!(kind, "out_of_bounds");
    assert!(message.contains("block 1 of the cluster has exited"), "{message}");
}

#[test]
fn limits_are_named() {
    let mut rig = Rig::new(NEXT, 256);
    let mut refused = |grid: u32, cluster: [u32; 3]| {
        let (kind, message) = rig.fault("ordered", (grid, 32), |launch| launch.cluster = Some(cluster));
        assert_eq!(kind, "launch_limit");
        message
    };
    let message = refused(16, [16, 1, 1]);
    assert!(message.contains("16 blocks") && message.contains("h200 allows at most 8"), "{message}");
    let message = refused(6, [4, 1, 1]);
    assert!(message.contains("not made of whole clusters"), "{message}");
    let message = refused(8, [0, 1, 1]);
    assert!(message.contains("at least 1"), "{message}");
    let message = refused(8, [u32::MAX, u32::MAX, u32::MAX]);
    assert!(message.contains("at most 8"), "{message}");
    let (_, message) = rig.fault("declared", (8, 32), clusters(4));
    assert!(message.contains("compiled for clusters of 2x1x1 blocks only"), "{message}");
    let (_, message) = rig.fault("declared", (3, 32), |_| ());
    assert!(message.contains("not made of whole clusters"), "{message}");
    rig.good("declared", (8, 32), clusters(2));
    let (kind, message) = Rig::on("a100", NEXT, 256).fault("ordered", (8, 32), clusters(2));
    assert_eq!(kind, "launch_limit");
    assert!(message.contains("compute capability 9.0") && message.contains("a100 has 8.0"), "{message}");
    Rig::on("a100", NEXT, 256).good("ordered", (8, 32), clusters(1));
}

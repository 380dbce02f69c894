"""What tests have in common."""

import os

import pytest

try:
    from hypothesis import HealthCheck, settings

    # A slow machine is not a mistake: nothing here depends on time.
    settings.register_profile("package", deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)
    settings.register_profile("thorough", deadline=None, suppress_health_check=list(HealthCheck), max_examples=1000)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "package"))
except ImportError:
    pass

PTX_TWICE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 xs, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<7>; .reg .b64 %d<4>;
    ld.param.u32 %r6, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r6;
    @%p bra done;
    mul.wide.u32 %d1, %r4, 4;
    ld.param.u64 %d2, [xs];
    add.s64 %d3, %d2, %d1;
    ld.global.u32 %r5, [%d3];
    add.s32 %r5, %r5, %r5;
    st.global.u32 [%d3], %r5;
done:
    ret;
}
"""

# Every thread adds to one element without an atomic operation.
PTX_RACE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry race(.param .u64 xs) {
    .reg .b32 %r<3>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [xs];
    ld.global.u32 %r1, [%d1];
    add.s32 %r2, %r1, 1;
    st.global.u32 [%d1], %r2;
    ret;
}
"""


@pytest.fixture
def twice():
    import warpwise as ww

    return ww.Kernel(PTX_TWICE)


@pytest.fixture
def race():
    import warpwise as ww

    return ww.Kernel(PTX_RACE)


@pytest.fixture
def compiler():
    """CUDA C++ is compiled; with CI set a missing compiler is a mistake."""
    import warpwise as ww

    try:
        ww.Kernel("__global__ void nothing() {}\n")
    except ww.CompileError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"needs NVRTC: {str(error).splitlines()[0]}")

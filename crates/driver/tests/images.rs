//! Arrays, textures and surfaces, and memory that is mapped by hand.

mod support;

use support::{alloc, at, context, kernel, launch, module, ok, read};
use warpwise_driver::api::*;

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry sample(.param .u64 texture, .param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .f32 %f<8>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [texture];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	cvt.rn.f32.u32 %f1, %r1;
	add.f32 %f1, %f1, 0f3F000000;
	mov.f32 %f2, 0f3FC00000;
	tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd4, %rd2, %rd3;
	st.global.f32 [%rd4], %f3;
	ret;
}
.visible .entry draw(.param .u64 surface)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [surface];
	mov.u32 %r1, %tid.x;
	mul.lo.u32 %r2, %r1, 4;
	mov.u32 %r3, 1;
	sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};
	ret;
}
.visible .entry fill(.param .u64 data, .param .u32 value)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [data];
	ld.param.u32 %r1, [value];
	st.global.u32 [%rd1], %r1;
	ret;
}
";

/// `CUDA_RESOURCE_DESC` of an array.
fn of_array(array: u64) -> [u64; 18] {
    let mut description = [0; 18];
    description[1] = array;
    description
}

fn array(width: u64, height: u64) -> u64 {
    // CUDA_ARRAY_DESCRIPTOR: floats, one channel.
    let descriptor = [width, height, 0x20 | 1 << 32];
    let mut array = 0;
    // SAFETY: a description as the API has it.
    ok(unsafe { cuArrayCreate_v2(&raw mut array, descriptor.as_ptr().cast()) });
    array
}

#[test]
fn a_texture_reads_its_array() {
    context();
    let module = module(PTX);
    let array = array(4, 2);
    let texels: Vec<f32> = (0..8).map(|n| n as f32 * 1.5).collect();
    // CUDA_MEMCPY2D from the host (1) to an array (3).
    let copy: [u64; 16] = [0, 0, 1, texels.as_ptr() as u64, 0, 0, 16, 0, 0, 3, 0, 0, array, 0, 16, 2];
    let (mut texture, resource, how) = (0, of_array(array), [0u64; 13]);
    // SAFETY: descriptions as the API has them.
    unsafe {
        ok(cuMemcpy2D_v2(copy.as_ptr().cast()));
        let (resource, how) = (resource.as_ptr().cast(), how.as_ptr().cast());
        ok(cuTexObjectCreate(&raw mut texture, resource, how, std::ptr::null()));
    }
    let out = alloc(16);
    ok(launch(kernel(module, "sample"), 1, 4, 0, &[at(&texture), at(&out)]));
    assert_eq!(read(out, 4).into_iter().map(f32::from_bits).collect::<Vec<_>>(), [6.0, 7.5, 9.0, 10.5]);
    // SAFETY: what was made above, once each.
    unsafe {
        ok(cuTexObjectDestroy(texture));
        ok(cuArrayDestroy(array));
        assert_eq!(cuArrayDestroy(array), 400);
    }
}

#[test]
fn a_surface_writes_its_array() {
    context();
    let module = module(PTX);
    let array = array(4, 2);
    let (mut surface, resource) = (0, of_array(array));
    // SAFETY: a description as the API has it.
    ok(unsafe { cuSurfObjectCreate(&raw mut surface, resource.as_ptr().cast()) });
    ok(launch(kernel(module, "draw"), 1, 4, 0, &[at(&surface)]));
    let mut back = [9u32; 8];
    // CUDA_MEMCPY2D from an array (3) to the host (1).
    let copy: [u64; 16] = [0, 0, 3, 0, 0, array, 0, 0, 0, 1, back.as_mut_ptr() as u64, 0, 0, 16, 16, 2];
    // SAFETY: a description as the API has it.
    ok(unsafe { cuMemcpy2D_v2(copy.as_ptr().cast()) });
    assert_eq!(back, [0, 0, 0, 0, 0, 1, 2, 3]);
}

#[test]
fn a_texture_reads_pitched_memory() {
    context();
    let module = module(PTX);
    let (mut address, mut pitch, mut texture) = (0, 0, 0);
    // SAFETY: variables of the right types.
    ok(unsafe { cuMemAllocPitch_v2(&raw mut address, &raw mut pitch, 16, 2, 4) });
    support::write(address + pitch as u64, &[1f32, 2.0, 3.0, 4.0].map(f32::to_bits));
    let mut resource = [0u64; 18];
    resource[0] = 3;
    resource[1..6].copy_from_slice(&[address, 0x20 | 1 << 32, 4, 2, pitch as u64]);
    let how = [0u64; 13];
    // SAFETY: descriptions as the API has them.
    ok(unsafe { cuTexObjectCreate(&raw mut texture, resource.as_ptr().cast(), how.as_ptr().cast(), std::ptr::null()) });
    let out = alloc(16);
    ok(launch(kernel(module, "sample"), 1, 4, 0, &[at(&texture), at(&out)]));
    assert_eq!(read(out, 4).into_iter().map(f32::from_bits).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn memory_is_mapped_twice_and_is_one() {
    context();
    let fill = kernel(module(PTX), "fill");
    // CUmemAllocationProp: pinned, on device 0, shareable; CUmemAccessDesc: device 0, reading and writing.
    let properties: [u32; 8] = [1, 1, 1, 0, 0, 0, 0, 0];
    let access: [u32; 3] = [1, 0, 3];
    let (mut unit, mut handle, mut first, mut second) = (0, 0, 0, 0);
    // SAFETY: descriptions as the API has them, and variables of the right types.
    unsafe {
        ok(cuMemGetAllocationGranularity(&raw mut unit, properties.as_ptr().cast(), 0));
        ok(cuMemCreate(&raw mut handle, unit, properties.as_ptr().cast(), 0));
        assert_eq!(cuMemCreate(&raw mut first, unit - 1, properties.as_ptr().cast(), 0), 1);
        for place in [&raw mut first, &raw mut second] {
            ok(cuMemAddressReserve(place, unit, 0, 0, 0));
            ok(cuMemMap(*place, unit, 0, handle, 0));
            ok(cuMemSetAccess(*place, unit, access.as_ptr().cast(), 1));
        }
        assert_eq!(cuMemMap(first, unit, 0, handle, 0), 1);
    }
    assert_ne!(first, second);
    ok(launch(fill, 1, 1, 0, &[at(&first), at(&4711u32)]));
    assert_eq!(read(second, 1), [4711]);
    // SAFETY: what was made above, once each.
    unsafe {
        ok(cuMemUnmap(first, unit));
        ok(cuMemRelease(handle));
        assert_eq!(cuMemAddressFree(second, unit), 1);
        ok(cuMemUnmap(second, unit));
        ok(cuMemAddressFree(second, unit));
        ok(cuMemAddressFree(first, unit));
        // Nothing is there any more: a kernel that uses it is stopped.
        ok(launch(fill, 1, 1, 0, &[at(&first), at(&1u32)]));
        assert_eq!(cuCtxSynchronize(), 700);
    }
}

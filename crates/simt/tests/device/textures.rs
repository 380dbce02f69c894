//! Texture and surface objects, as kernels read and write them.

use std::sync::Arc;

use warpwise_simt::{
    Addressing, Channel, Fault, Filter, Gpu, ImageKind, ImageShape, Launch, Machine, MachineError, Program, Sampler,
};

/// Each kernel takes a handle and a buffer of words; most read or write at coordinates that are numbers in the text.
const KERNELS: &str = r"
    .version 8.0
    .target sm_90
    .address_size 64
    .visible .entry fetch(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .b32 %i;
        .reg .u32 %r<4>;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        mov.u32 %i, %tid.x;
        tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%i}];
        mad.wide.u32 %out, %i, 16, %out;
        st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};
        ret;
    }
    .visible .entry plane(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .b32 %i;
        .reg .f32 %x, %y, %f<4>;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        mov.u32 %i, %tid.x;
        cvt.rn.f32.u32 %x, %i;
        mul.f32 %x, %x, 0f3E800000;
        mov.f32 %y, 0f3F800000;
        tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y}];
        mad.wide.u32 %out, %i, 16, %out;
        st.global.v4.f32 [%out], {%f0, %f1, %f2, %f3};
        ret;
    }
    .visible .entry others(.param .u64 volume, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .f32 %x, %f<4>;
        ld.param.u64 %t, [volume];
        ld.param.u64 %out, [out];
        mov.f32 %x, 0f3F800000;
        tex.3d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x, %x, %x}];
        st.global.f32 [%out], %f0;
        ret;
    }
    .visible .entry layers(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .b32 %l;
        .reg .f32 %x, %f<4>;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        mov.f32 %x, 0f3F000000;
        mov.u32 %l, %tid.x;
        tex.level.a2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%l, %x, %x, %x}], %x;
        mad.wide.u32 %out, %l, 4, %out;
        st.global.f32 [%out], %f0;
        ret;
    }
    .visible .entry slope(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .f32 %x, %f<4>;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        mov.f32 %x, 0f3F800000;
        tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}], {%x, %x}, {%x, %x};
        st.global.f32 [%out], %f0;
        ret;
    }
    .visible .entry corners(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .f32 %x, %f<4>;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        mov.f32 %x, 0f3F800000;
        tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}];
        st.global.v4.f32 [%out], {%f0, %f1, %f2, %f3};
        ret;
    }
    .visible .entry size(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %t, %out;
        .reg .b32 %w, %h;
        ld.param.u64 %t, [image];
        ld.param.u64 %out, [out];
        txq.width.b32 %w, [%t];
        txq.height.b32 %h, [%t];
        st.global.v2.u32 [%out], {%w, %h};
        ret;
    }
    // Mirrors each row of a surface of bytes, 4 wide, one row a thread.
    .visible .entry mirror(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %s;
        .reg .b32 %y, %v;
        .reg .b16 %a, %b;
        ld.param.u64 %s, [image];
        mov.u32 %y, %tid.x;
        suld.b.2d.b8.trap {%a}, [%s, {0, %y}];
        suld.b.2d.b8.trap {%b}, [%s, {3, %y}];
        sust.b.2d.b8.trap [%s, {0, %y}], {%b};
        sust.b.2d.b8.trap [%s, {3, %y}], {%a};
        ret;
    }
    // Beyond the edge, in two ways that are allowed.
    .visible .entry edge(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %s, %out;
        .reg .b16 %a, %b;
        .reg .b32 %v, %w;
        ld.param.u64 %s, [image];
        ld.param.u64 %out, [out];
        suld.b.2d.b8.clamp {%a}, [%s, {9, -1}];
        suld.b.2d.b8.zero {%b}, [%s, {9, 0}];
        sust.b.2d.b8.zero [%s, {0, 7}], {%a};
        mov.u32 %v, 300;
        sust.p.2d.b32.clamp [%s, {-5, 0}], {%v};
        sust.p.2d.b32.trap [%s, {1, 1}], {%v};
        cvt.u32.u16 %v, %a;
        cvt.u32.u16 %w, %b;
        st.global.v2.u32 [%out], {%v, %w};
        ret;
    }
    .visible .entry beyond(.param .u64 image, .param .u64 out)
    {
        .reg .b64 %s;
        .reg .b32 %a;
        ld.param.u64 %s, [image];
        suld.b.2d.b32.trap {%a}, [%s, {4, 0}];
        ret;
    }";

struct Rig {
    machine: Machine,
    program: Arc<Program>,
}

impl Rig {
    fn new() -> Self {
        let program = Program::load(KERNELS).unwrap_or_else(|error| panic!("does not load: {error}"));
        Self { machine: Machine::new(Gpu::named("h200").expect("a known GPU")), program: Arc::new(program) }
    }

    /// Runs a kernel with that object; returns the words of its buffer.
    fn run(&mut self, kernel: &str, threads: u32, object: u64, words: usize) -> Result<Vec<u32>, Box<Fault>> {
        let module = self.machine.load(Arc::clone(&self.program)).expect("the module fits");
        let out = self.machine.alloc(words as u64 * 4).expect("a small buffer");
        let params = [object.to_le_bytes(), out.0.to_le_bytes()].concat();
        let launch = Launch::new([1; 3], [threads, 1, 1], params);
        self.machine.launch(module, kernel, &launch)?;
        let mut bytes = vec![0; words * 4];
        self.machine.read(out, &mut bytes).expect("as long as the buffer");
        Ok(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect())
    }

    fn floats(&mut self, kernel: &str, threads: u32, object: u64, words: usize) -> Vec<f32> {
        let words = self.run(kernel, threads, object, words).unwrap_or_else(|fault| panic!("{}", fault.message));
        words.into_iter().map(f32::from_bits).collect()
    }
}

fn shape(kind: ImageKind, [width, height, depth]: [u32; 3], channels: u32, channel: Channel) -> ImageShape {
    ImageShape { kind, width, height, depth, channels, channel }
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

const LINEAR: Sampler = Sampler {
    filter: Filter::Linear,
    addressing: [Addressing::Clamp; 3],
    normalized: false,
    reads_fractions: false,
    border: [0.0; 4],
    seamless: false,
};

#[test]
fn elements_are_fetched_by_number() {
    let mut rig = Rig::new();
    let line = shape(ImageKind::Line, [3, 1, 1], 2, Channel::I16);
    let texels: Vec<u8> = [1i16, -1, 2, -2, 3, -3].iter().flat_map(|v| v.to_le_bytes()).collect();
    let texture = rig.machine.texture(line, &texels, Sampler::default()).expect("as many texels as it has");
    let words = rig.run("fetch", 4, texture, 16).expect("ends well");
    let signed: Vec<i32> = words.into_iter().map(|word| word as i32).collect();
    assert_eq!(signed, [1, -1, 0, 1, 2, -2, 0, 1, 3, -3, 0, 1, 0, 0, 0, 0]);
}

#[test]
fn planes_are_filtered() {
    let mut rig = Rig::new();
    let plane = shape(ImageKind::Plane, [2, 2, 1], 1, Channel::F32);
    let texture = rig.machine.texture(plane, &bytes(&[0.0, 8.0, 16.0, 24.0]), LINEAR).expect("four texels");
    // x goes from 0 in quarters, y is 1: in the middle between both rows.
    let seen = rig.floats("plane", 8, texture, 32);
    let first: Vec<f32> = seen.iter().step_by(4).copied().collect();
    assert_eq!(first, [8.0, 8.0, 8.0, 10.0, 12.0, 14.0, 16.0, 16.0]);
    assert_eq!(seen[1..4], [0.0, 0.0, 1.0], "channels that the image does not have");
    assert_eq!(rig.floats("corners", 1, texture, 4), [16.0, 24.0, 8.0, 0.0]);
    assert_eq!(rig.floats("slope", 1, texture, 1), [12.0], "there is one level");
    let size = rig.run("size", 1, texture, 2).expect("ends well");
    assert_eq!(size, [2, 2]);
    let point = rig.machine.texture(plane, &bytes(&[0.0, 8.0, 16.0, 24.0]), Sampler::default()).expect("four texels");
    let first: Vec<f32> = rig.floats("plane", 8, point, 32).into_iter().step_by(4).collect();
    assert_eq!(first, [16.0, 16.0, 16.0, 16.0, 24.0, 24.0, 24.0, 24.0]);
}

#[test]
fn coordinates_are_normalised_and_wrapped() {
    let mut rig = Rig::new();
    let plane = shape(ImageKind::Plane, [2, 1, 1], 4, Channel::U8);
    let sampler = Sampler {
        addressing: [Addressing::Wrap, Addressing::Clamp, Addressing::Clamp],
        normalized: true,
        reads_fractions: true,
        ..Sampler::default()
    };
    let texture = rig.machine.texture(plane, &[255, 0, 51, 255, 0, 255, 0, 0], sampler).expect("two texels");
    let seen = rig.floats("plane", 8, texture, 32);
    let texels = [[1.0, 0.0, 0.2, 1.0], [0.0, 1.0, 0.0, 0.0]];
    for (quarter, texel) in seen.chunks(4).enumerate() {
        assert_eq!(texel, texels[quarter / 2 % 2], "at {quarter} / 4");
    }
}

#[test]
fn volumes_and_layers_are_read() {
    let mut rig = Rig::new();
    let volume = shape(ImageKind::Volume, [2, 2, 2], 1, Channel::F32);
    let texels = bytes(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let texture = rig.machine.texture(volume, &texels, LINEAR).expect("eight texels");
    assert_eq!(rig.floats("others", 1, texture, 1), [3.5]);
    let layers = shape(ImageKind::Planes, [2, 2, 2], 1, Channel::F32);
    let texture = rig.machine.texture(layers, &texels, Sampler::default()).expect("eight texels");
    assert_eq!(rig.floats("layers", 2, texture, 2), [0.0, 4.0]);
}

#[test]
fn surfaces_are_written() {
    let mut rig = Rig::new();
    let plane = shape(ImageKind::Plane, [4, 2, 1], 1, Channel::U8);
    let surface = rig.machine.surface(plane, &[1, 2, 3, 4, 5, 6, 7, 8]).expect("eight texels");
    rig.run("mirror", 2, surface, 1).expect("ends well");
    assert_eq!(rig.machine.texels(surface), Some(&[4, 2, 3, 1, 8, 6, 7, 5][..]));
    assert_eq!(rig.run("edge", 1, surface, 2).expect("ends well"), [1, 0]);
    assert_eq!(rig.machine.texels(surface), Some(&[255, 2, 3, 1, 8, 255, 7, 5][..]), "clamped to a byte");
    let fault = rig.run("beyond", 1, surface, 1).expect_err("outside");
    assert_eq!(fault.kind.name(), "out_of_bounds");
    assert!(fault.message.contains("byte 4, row 0") && fault.message.contains("4 bytes x 2 rows"), "{}", fault.message);
}

#[test]
fn images_over_memory_see_it_as_it_is() {
    let mut rig = Rig::new();
    let memory = rig.machine.alloc(64).expect("little memory");
    // Two rows of two numbers, 32 bytes apart; what lies between is not part of the image.
    let rows = bytes(&[0.0, 8.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 16.0, 24.0]);
    rig.machine.write(memory, &rows).expect("allocated");
    let plane = shape(ImageKind::Plane, [2, 2, 1], 1, Channel::F32);
    let texture = rig.machine.texture_over(plane, memory, 32, Some(LINEAR)).expect("inside the allocation");
    let first = |seen: Vec<f32>| seen.into_iter().step_by(4).collect::<Vec<f32>>();
    assert_eq!(first(rig.floats("plane", 8, texture, 32)), [8.0, 8.0, 8.0, 10.0, 12.0, 14.0, 16.0, 16.0]);
    rig.machine.write(memory, &bytes(&[100.0, 108.0])).expect("allocated");
    assert_eq!(first(rig.floats("plane", 1, texture, 4)), [58.0], "what was written since");
    // The same memory as a line of elements, and as a surface.
    let line = shape(ImageKind::Line, [10, 1, 1], 1, Channel::U32);
    let fetched = rig.machine.texture_over(line, memory, 0, Some(Sampler::default())).expect("inside the allocation");
    let words = rig.run("fetch", 10, fetched, 40).expect("ends well");
    assert_eq!((words[0], words[36]), (100f32.to_bits(), 24f32.to_bits()));
    let texels = shape(ImageKind::Plane, [4, 2, 1], 1, Channel::U8);
    let surface = rig.machine.texture_over(texels, memory, 32, None).expect("inside the allocation");
    rig.machine.write(memory, &[1, 2, 3, 4]).expect("allocated");
    rig.run("mirror", 2, surface, 1).expect("ends well");
    assert_eq!(rig.machine.bytes(memory, 4), Ok(&[4, 2, 3, 1][..]));
    assert_eq!(rig.machine.texels_at(surface), Some((memory, 36)));
}

#[test]
fn volumes_and_layers_lie_row_by_row() {
    let mut rig = Rig::new();
    let memory = rig.machine.alloc(64).expect("little memory");
    let rows: Vec<u8> = (0..8).step_by(2).flat_map(|v| bytes(&[v as f32, v as f32 + 1.0, -9.0, -9.0])).collect();
    rig.machine.write(memory, &rows).expect("allocated");
    let volume = shape(ImageKind::Volume, [2, 2, 2], 1, Channel::F32);
    let texture = rig.machine.texture_over(volume, memory, 16, Some(LINEAR)).expect("inside the allocation");
    assert_eq!(rig.floats("others", 1, texture, 1), [3.5]);
    let layers = shape(ImageKind::Planes, [2, 2, 2], 1, Channel::F32);
    let texture = rig.machine.texture_over(layers, memory, 16, Some(Sampler::default())).expect("inside");
    assert_eq!(rig.floats("layers", 2, texture, 2), [0.0, 4.0]);
}

#[test]
fn objects_and_their_memory_come_to_an_end() {
    let mut rig = Rig::new();
    let memory = rig.machine.alloc(64).expect("little memory");
    let line = shape(ImageKind::Line, [4, 1, 1], 1, Channel::U32);
    let outside = MachineError::BadAddress { address: memory.0, bytes: 68 };
    let wide = shape(ImageKind::Line, [17, 1, 1], 1, Channel::U32);
    assert_eq!(rig.machine.texture_over(wide, memory, 68, None), Err(outside));
    let plane = shape(ImageKind::Plane, [4, 2, 1], 1, Channel::U32);
    assert_eq!(rig.machine.texture_over(plane, memory, 15, None), Err(MachineError::BadImage { bytes: 15 }));
    let texture = rig.machine.texture_over(line, memory, 16, Some(Sampler::default())).expect("inside");
    rig.machine.free(memory).expect("allocated");
    let fault = rig.run("fetch", 1, texture, 4).expect_err("freed");
    assert!(fault.message.contains("was freed"), "{}", fault.message);
    assert!(rig.machine.drop_object(texture) && !rig.machine.drop_object(texture));
    let fault = rig.run("fetch", 1, texture, 4).expect_err("dropped");
    assert!(fault.message.contains("is not the handle of a texture object"), "{}", fault.message);
    let before = rig.machine.allocated();
    let own = rig.machine.surface(line, &[0; 16]).expect("as many texels as it has");
    assert_eq!(rig.machine.allocated(), before + 16);
    assert!(rig.machine.drop_object(own));
    assert_eq!(rig.machine.allocated(), before);
}

#[test]
fn other_values_are_no_handles() {
    let mut rig = Rig::new();
    let line = shape(ImageKind::Line, [1, 1, 1], 1, Channel::F32);
    let surface = rig.machine.surface(line, &[0; 4]).expect("one texel");
    let texture = rig.machine.texture(line, &[0; 4], Sampler::default()).expect("one texel");
    for (kernel, handle, text) in [
        ("plane", 5, "0x5 is not the handle of a texture object"),
        ("plane", surface, "is not the handle of a texture object"),
        ("mirror", texture, "is not the handle of a surface object"),
        ("mirror", texture + 16, "is not the handle of a surface object"),
        ("plane", texture, "for plane images, the object is a line"),
    ] {
        let fault = rig.run(kernel, 1, handle, 4).expect_err("no such object");
        assert_eq!(fault.kind.name(), "out_of_bounds");
        assert!(fault.message.contains(text), "{}", fault.message);
    }
    let flat = shape(ImageKind::Line, [2, 2, 1], 1, Channel::U8);
    assert_eq!(rig.machine.surface(flat, &[0; 4]), Err(MachineError::BadImage { bytes: 4 }));
    assert_eq!(rig.machine.surface(line, &[0; 5]), Err(MachineError::BadImage { bytes: 5 }));
    let many = shape(ImageKind::Volume, [u32::MAX, u32::MAX, u32::MAX], 4, Channel::F32);
    assert_eq!(rig.machine.surface(many, &[]), Err(MachineError::BadImage { bytes: 0 }));
}

//! Cube maps and images in several sizes, with values that an H200 gives.

use std::sync::Arc;

use warpwise_simt::{
    Addressing, Channel, Filter, Gpu, ImageKind, ImageShape, Launch, LevelSampler, Machine, Program, Sampler,
};

/// A kernel for each way to sample: a thread reads three numbers, samples there, and writes the value in front of them.
fn kernels() -> String {
    let sample = [
        ("cube", "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y, %z, %z}];"),
        ("cubes", "sub.u32 %l, %i, 2; tex.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%l, %x, %y, %z}];"),
        ("level", "tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %y}], %z;"),
    ];
    let kernel = |(name, sample): (&str, &str)| {
        format!(
            ".visible .entry {name}(.param .u64 image, .param .u64 data)
            {{
                .reg .b64 %t, %d;
                .reg .b32 %i, %l;
                .reg .f32 %x, %y, %z, %f<4>;
                ld.param.u64 %t, [image];
                ld.param.u64 %d, [data];
                mov.u32 %i, %tid.x;
                mad.wide.u32 %d, %i, 16, %d;
                ld.global.f32 %x, [%d+4];
                ld.global.v2.f32 {{%y, %z}}, [%d+8];
                {sample}
                st.global.f32 [%d], %f0;
                ret;
            }}
            "
        )
    };
    sample
        .map(kernel)
        .into_iter()
        .fold(".version 8.0\n.target sm_90\n.address_size 64\n".to_owned(), |all, one| all + &one)
}

/// The value of each sample.
fn sampled(machine: &mut Machine, kernel: &str, texture: u64, at: &[[f32; 3]]) -> Vec<f32> {
    let program = Program::load(&kernels()).unwrap_or_else(|error| panic!("does not load: {error}"));
    let module = machine.load(Arc::new(program)).expect("the module fits");
    let data = machine.alloc(at.len() as u64 * 16).expect("a small buffer");
    let places: Vec<u8> = at.iter().flat_map(|&[x, y, z]| [0.0, x, y, z]).flat_map(f32::to_le_bytes).collect();
    machine.write(data, &places).expect("as long as the buffer");
    let params = [texture.to_le_bytes(), data.0.to_le_bytes()].concat();
    let launch = Launch::new([1; 3], [at.len() as u32, 1, 1], params);
    machine.launch(module, kernel, &launch).unwrap_or_else(|fault| panic!("{}", fault.message));
    let mut bytes = vec![0; at.len() * 16];
    machine.read(data, &mut bytes).expect("as long as the buffer");
    bytes.chunks(16).map(|row| f32::from_le_bytes(row[..4].try_into().expect("four bytes"))).collect()
}

fn machine() -> Machine {
    Machine::new(Gpu::named("h200").expect("a known GPU"))
}

/// Texels that are numbered.
fn numbered(kind: ImageKind, size: u32, depth: u32) -> (ImageShape, Vec<u8>) {
    let shape = ImageShape { kind, width: size, height: size, depth, channels: 1, channel: Channel::F32 };
    (shape, (0..size * size * depth).flat_map(|n| (n as f32).to_le_bytes()).collect())
}

const SAMPLER: Sampler = Sampler {
    filter: Filter::Linear,
    addressing: [Addressing::Wrap; 3],
    normalized: true,
    reads_fractions: false,
    border: [0.0; 4],
    seamless: false,
};

const DIRECTIONS: [[f32; 3]; 9] = [
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0],
    [0.0, 0.0, 0.0],
    [1.0, 0.9, 0.1],
    [-2.0, 1.9, 0.4],
    [0.3, -0.99, 0.98],
];

#[test]
fn directions_choose_texels_of_faces() {
    let mut machine = machine();
    let (shape, texels) = numbered(ImageKind::Cube, 4, 6);
    let clamp = [Addressing::Clamp; 3];
    let point = Sampler { filter: Filter::Point, addressing: clamp, normalized: false, ..SAMPLER };
    let texture = machine.texture(shape, &texels, point).expect("as many texels as it has");
    let seen = sampled(&mut machine, "cube", texture, &DIRECTIONS);
    assert_eq!(seen, [10.0, 43.0, 75.0, 67.0, 95.0, 74.0, 1.0, 18.0, 50.0]);
}

#[test]
fn faces_end_at_their_edges_or_go_on() {
    let mut machine = machine();
    let (shape, texels) = numbered(ImageKind::Cube, 4, 6);
    let apart = machine.texture(shape, &texels, SAMPLER).expect("as many texels as it has");
    let seen = sampled(&mut machine, "cube", apart, &DIRECTIONS);
    assert_eq!(seen, [7.5, 39.5, 71.5, 71.5, 87.5, 71.5, 4.910_156_3, 22.679_688, 55.871_094]);
    let clamp = [Addressing::Clamp; 3];
    let together = Sampler { addressing: clamp, seamless: true, ..SAMPLER };
    let texture = machine.texture(shape, &texels, together).expect("as many texels as it has");
    let seen = sampled(&mut machine, "cube", texture, &DIRECTIONS);
    assert_eq!(seen, [7.5, 21.25, 39.5, 38.113_28, 61.132_813, 71.5, 13.484_375, 26.546_875, 63.558_594]);
}

#[test]
fn cubes_have_numbers() {
    let mut machine = machine();
    let (shape, texels) = numbered(ImageKind::Cubes, 2, 18);
    let point = Sampler { filter: Filter::Point, ..SAMPLER };
    let texture = machine.texture(shape, &texels, point).expect("as many texels as it has");
    let axes = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
    // From -2 on; there are three.
    assert_eq!(sampled(&mut machine, "cubes", texture, &axes), [51.0, 55.0, 11.0, 39.0, 67.0, 71.0]);
    let (wrong, texels) = numbered(ImageKind::Cubes, 2, 17);
    assert!(machine.texture(wrong, &texels, point).is_err());
}

#[test]
fn levels_are_mixed_like_planes_of_a_volume() {
    let mut machine = machine();
    let base = machine.alloc(5 * 1024).expect("little memory");
    let mut levels = Vec::new();
    for level in 0..5u32 {
        let (shape, _) = numbered(ImageKind::Plane, 16 >> level, 1);
        let place = warpwise_simt::DevicePtr(base.0 + u64::from(level) * 1024);
        let texel = |i: u32| ((i.wrapping_mul(2_654_435_761).wrapping_add(level * 40503)) >> 8 & 0xffff) as f32 * 0.37;
        let texels: Vec<u8> = (0..shape.width * shape.height).flat_map(|i| (texel(i) + 1.0).to_le_bytes()).collect();
        machine.write(place, &texels).expect("allocated");
        levels.push((shape, place, u64::from(shape.width) * 4));
    }
    let clamp = [Addressing::Clamp; 3];
    let sampler = Sampler { addressing: clamp, ..SAMPLER };
    let choice = LevelSampler { filter: Filter::Linear, bias: 0.0, clamp: [0.0, 99.0] };
    let texture = machine.mipmapped_over(&levels, sampler, choice).expect("inside the allocation");
    let asked = [-1.0, 0.0038, 0.004, 0.25, 0.7, 1.0, 1.3, 2.5, 3.999, 9.0, f32::NAN];
    let seen = sampled(&mut machine, "level", texture, &asked.map(|level| [0.37, 0.61, level]));
    let gpu =
        [12175.71, 12175.71, 12139.2, 11375.49, 9936.422, 8952.822, 12827.75, 15466.11, 275.6643, 234.84, 12175.71];
    for ((asked, seen), gpu) in asked.into_iter().zip(seen).zip(gpu) {
        assert!((seen - gpu).abs() <= gpu * 1e-6, "level {asked}: {seen}, not {gpu}");
    }
    let nearest = LevelSampler { filter: Filter::Point, ..choice };
    let texture = machine.mipmapped_over(&levels, sampler, nearest).expect("inside the allocation");
    let seen = sampled(&mut machine, "level", texture, &[0.4999, 0.5, 1.5, 3.7].map(|level| [0.37, 0.61, level]));
    for (seen, gpu) in seen.into_iter().zip([12175.71f32, 8952.822, 21826.96, 234.84]) {
        assert!((seen - gpu).abs() <= gpu * 1e-6, "{seen}, not {gpu}");
    }
}

//! Textures and surfaces as arguments: `tex2d=photo.png,filter=linear,address=wrap,normalized`.

use crate::files::{Numbers, Picture, looks_like_picture, read, read_array};
use std::path::Path;
use warpwise_gpu::{Addressing, Channel, Filter, ImageKind, ImageShape, Sampler};

/// The kinds of objects that can be arguments.
const KINDS: [(&str, ImageKind, bool); 10] = [
    ("tex1d", ImageKind::Line, true),
    ("tex2d", ImageKind::Plane, true),
    ("tex3d", ImageKind::Volume, true),
    ("tex1dlayered", ImageKind::Lines, true),
    ("tex2dlayered", ImageKind::Planes, true),
    ("surf1d", ImageKind::Line, false),
    ("surf2d", ImageKind::Plane, false),
    ("surf3d", ImageKind::Volume, false),
    ("surf1dlayered", ImageKind::Lines, false),
    ("surf2dlayered", ImageKind::Planes, false),
];

/// A texture or surface object.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureArgument {
    /// What it was called: `tex2d`.
    pub name: &'static str,
    /// Its dimensions.
    pub shape: ImageShape,
    /// Its texels.
    pub texels: Vec<u8>,
    /// How it is read; none for a surface.
    pub sampler: Option<Sampler>,
}

impl TextureArgument {
    /// Reads `NAME=FILE[,OPTION...]`; `None` if the name is none of these.
    pub(super) fn parse(text: &str) -> Option<Result<Self, String>> {
        let (name, rest) = text.split_once('=')?;
        let &(name, kind, sampled) = KINDS.iter().find(|(known, ..)| *known == name.trim())?;
        let (file, options) = rest.split_once(',').map_or((rest, None), |(file, options)| (file, Some(options)));
        let sampler = options.map_or(Ok(Sampler::default()), sampler);
        let object = || -> Result<Self, String> {
            let mut sampler = sampler?;
            if matches!(kind, ImageKind::Line | ImageKind::Lines) {
                // What lies above and below a line is nobody's wish.
                sampler.addressing[1] = Addressing::Clamp;
            }
            if !sampled && options.is_some() {
                return Err("a surface takes no options: it is read and written as it is".into());
            }
            let (shape, texels) = image(Path::new(file.trim()), kind)?;
            Ok(Self { name, shape, texels, sampler: sampled.then_some(sampler) })
        };
        Some(object())
    }

    /// Its size, in short: `tex2d 640 x 480`.
    pub(super) fn kind(&self) -> String {
        let ImageShape { kind, width, height, depth, .. } = self.shape;
        let sizes = match kind {
            ImageKind::Line => vec![width],
            ImageKind::Plane => vec![width, height],
            ImageKind::Lines => vec![width, depth],
            _ => vec![width, height, depth],
        };
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        format!("{} {}", self.name, sizes.join(" x "))
    }
}

/// The options of a texture.
fn sampler(options: &str) -> Result<Sampler, String> {
    let mut sampler = Sampler::default();
    for option in options.split(',').map(str::trim) {
        match option.split_once('=').unwrap_or((option, "")) {
            ("filter", "point") => sampler.filter = Filter::Point,
            ("filter", "linear") => sampler.filter = Filter::Linear,
            ("address", "wrap") => sampler.addressing = [Addressing::Wrap; 3],
            ("address", "mirror") => sampler.addressing = [Addressing::Mirror; 3],
            ("address", "clamp") => sampler.addressing = [Addressing::Clamp; 3],
            ("address", "border") => sampler.addressing = [Addressing::Border; 3],
            ("read", "element") => sampler.reads_fractions = false,
            ("read", "float") => sampler.reads_fractions = true,
            ("normalized", "") => sampler.normalized = true,
            _ => {
                return Err(format!(
                    "`{option}` is not an option of a texture: write filter=point|linear, \
                     address=wrap|mirror|clamp|border, read=element|float or normalized"
                ));
            }
        }
    }
    Ok(sampler)
}

/// The texels of a file.
fn image(path: &Path, kind: ImageKind) -> Result<(ImageShape, Vec<u8>), String> {
    let bytes = read(path).map_err(|error| error.to_string())?;
    let size = |n: usize| u32::try_from(n).map_err(|_| format!("{n} texels in one dimension are too many"));
    if looks_like_picture(path, &bytes) {
        if kind != ImageKind::Plane {
            return Err("a picture has two dimensions: use tex2d or surf2d, or a .npy file".into());
        }
        let picture = Picture::read(path).map_err(|error| error.to_string())?;
        let (width, height) = (size(picture.columns)?, size(picture.rows)?);
        let texels = match &picture.planes[..] {
            [red, green, blue] => {
                let colours = red.iter().zip(green).zip(blue);
                colours.flat_map(|((&red, &green), &blue)| [red, green, blue, u8::MAX]).collect()
            }
            planes => planes.concat(),
        };
        let channels = if picture.planes.len() == 3 { 4 } else { 1 };
        return Ok((ImageShape { kind, width, height, depth: 1, channels, channel: Channel::U8 }, texels));
    }
    let array = read_array(path).map_err(|error| error.to_string())?;
    let (channel, texels): (Channel, Vec<u8>) = match &array.numbers {
        Numbers::U8(values) => (Channel::U8, values.clone()),
        Numbers::I32(values) => (Channel::I32, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        Numbers::U32(values) => (Channel::U32, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        Numbers::F32(values) => (Channel::F32, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        other => return Err(format!("texels cannot be {}: use u8, i32, u32 or f32", other.type_name())),
    };
    let axes = match kind {
        ImageKind::Line => 1,
        ImageKind::Plane | ImageKind::Lines => 2,
        _ => 3,
    };
    let (dimensions, channels) = match &array.shape[..] {
        shape if shape.len() == axes => (shape, 1),
        [shape @ .., channels @ (1 | 2 | 4)] if shape.len() == axes => (shape, *channels),
        _ => {
            return Err(format!(
                "its shape is {}: {axes} dimensions are needed, and 1, 2 or 4 channels if there is one more",
                array.shape_text()
            ));
        }
    };
    let sizes = dimensions.iter().map(|&n| size(n)).collect::<Result<Vec<_>, _>>()?;
    // The last dimension of an array is the fastest: the columns.
    let (width, height, depth) = match (kind, &sizes[..]) {
        (ImageKind::Lines, &[layers, width]) => (width, 1, layers),
        (_, &[width]) => (width, 1, 1),
        (_, &[height, width]) => (width, height, 1),
        (_, &[depth, height, width]) => (width, height, depth),
        _ => return Err(format!("its shape is {}", array.shape_text())),
    };
    let shape = ImageShape { kind, width, height, depth, channels: channels as u32, channel };
    if shape.bytes() != Some(texels.len() as u64) {
        return Err("it has no texels".into());
    }
    Ok((shape, texels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Array, write_array};

    fn file(name: &str, shape: &[usize], numbers: Numbers) -> String {
        let path = std::env::temp_dir().join(format!("warpwise-texture-{}-{name}.npy", std::process::id()));
        write_array(&path, &Array { shape: shape.to_vec(), numbers }).unwrap();
        path.display().to_string()
    }

    fn parse(text: &str) -> Result<TextureArgument, String> {
        TextureArgument::parse(text).expect("the name of a texture or surface")
    }

    #[test]
    fn arrays_become_images() {
        let volume = file("volume", &[2, 3, 4], Numbers::F32(vec![0.5; 24]));
        let object = parse(&format!("tex3d={volume}")).unwrap();
        let ImageShape { width, height, depth, channels, .. } = object.shape;
        assert_eq!((width, height, depth, channels), (4, 3, 2, 1));
        assert_eq!((object.kind().as_str(), object.texels.len()), ("tex3d 4 x 3 x 2", 96));
        let colours = parse(&format!("tex2d={volume}")).unwrap();
        assert_eq!((colours.shape.width, colours.shape.height, colours.shape.channels), (3, 2, 4));
        let layers = parse(&format!("surf1dlayered={}", file("layers", &[5, 7], Numbers::U8(vec![1; 35])))).unwrap();
        assert_eq!((layers.shape.width, layers.shape.height, layers.shape.depth), (7, 1, 5));
        assert_eq!((layers.sampler, layers.kind().as_str()), (None, "surf1dlayered 7 x 5"));
    }

    #[test]
    fn options_make_a_sampler() {
        let line = file("line", &[4], Numbers::U8(vec![1, 2, 3, 4]));
        let sampler = |options: &str| parse(&format!("tex1d={line}{options}")).unwrap().sampler.unwrap();
        assert_eq!(sampler(""), Sampler::default());
        let all = sampler(",filter=linear,address=mirror,read=float,normalized");
        assert_eq!((all.filter, all.addressing[0]), (Filter::Linear, Addressing::Mirror));
        assert!(all.normalized && all.reads_fractions);
        for (text, problem) in [
            (format!("tex1d={line},filter=cubic"), "`filter=cubic` is not an option"),
            (format!("surf1d={line},normalized"), "takes no options"),
            (format!("tex3d={line}"), "3 dimensions are needed"),
            ("tex2d=/no/such/file.png".to_owned(), "/no/such/file.png"),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
        assert!(TextureArgument::parse("u32=5").is_none() && TextureArgument::parse("tex4d=x").is_none());
        let doubles = file("doubles", &[2], Numbers::F64(vec![0.0; 2]));
        assert!(parse(&format!("tex1d={doubles}")).unwrap_err().contains("cannot be f64"));
    }
}

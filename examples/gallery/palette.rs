//! Pictures of few colours, which take a third of the bytes.
//!
//! P. Heckbert, *Color image quantization for frame buffer display*, 1982: the median cut.

use std::collections::BTreeMap;

use ecotone_interchange::Picture;

const COLOURS: usize = 256;

type Rgb = [u8; 3];

/// Colours of a picture with how many pixels have each.
type Lot = Vec<(Rgb, u32)>;

/// The bytes of a PNG of a picture.
pub fn png(picture: &Picture) -> Vec<u8> {
    let colours: Vec<Rgb> = picture.rgb.as_chunks::<3>().0.to_vec();
    let lots = lots(&colours);
    let palette: Vec<Rgb> = lots.iter().map(mean).collect();
    let places = lots.iter().zip(0..);
    let places = places.flat_map(|(lot, k): (&Lot, u8)| lot.iter().map(move |own| (own.0, k)));
    let places: BTreeMap<Rgb, u8> = places.collect();
    let pixels: Vec<u8> = colours.iter().map(|colour| places[colour]).collect();

    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    // Places in a palette are no quantities.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

/// Lots of like colours, no more than a palette holds.
fn lots(colours: &[Rgb]) -> Vec<Lot> {
    let mut counts = BTreeMap::<Rgb, u32>::new();
    for colour in colours {
        *counts.entry(*colour).or_default() += 1;
    }
    let mut lots: Vec<Lot> = vec![counts.into_iter().collect()];
    while lots.len() < COLOURS {
        let worst = (0..lots.len()).max_by_key(|&k| badness(&lots[k])).unwrap();
        if lots[worst].len() < 2 {
            break;
        }
        let lot = lots.swap_remove(worst);
        lots.extend(cut(lot));
    }
    lots
}

/// How wide a lot is along a channel.
fn width(lot: &Lot, channel: usize) -> u64 {
    let values = lot.iter().map(|(colour, _)| u64::from(colour[channel]));
    let (low, high) = values.fold((255, 0), |(low, high), v| (v.min(low), v.max(high)));
    high - low
}

/// How much a lot has to gain from a cut: wide above all, for the colours of a legend are of few pixels.
fn badness(lot: &Lot) -> u64 {
    let widest = (0..3).map(|channel| width(lot, channel)).max().unwrap_or(0);
    let pixels: u64 = lot.iter().map(|(_, n)| u64::from(*n)).sum();
    widest.pow(4) * pixels.isqrt()
}

/// Cuts a lot of two colours or more across its widest channel, half of the pixels on either side.
fn cut(mut lot: Lot) -> [Lot; 2] {
    let channel = (0..3)
        .max_by_key(|&channel| width(&lot, channel))
        .unwrap_or(0);
    lot.sort_by_key(|(colour, _)| (colour[channel], *colour));
    let half = lot.iter().map(|(_, n)| n).sum::<u32>() / 2;
    let mut sum = 0;
    let within = lot.iter().take_while(|(_, n)| {
        sum += n;
        sum <= half
    });
    let at = within.count().clamp(1, lot.len() - 1);
    let upper = lot.split_off(at);
    [lot, upper]
}

fn mean(lot: &Lot) -> Rgb {
    let pixels: u32 = lot.iter().map(|(_, n)| n).sum();
    [0, 1, 2].map(|channel| {
        let sum: u64 = lot
            .iter()
            .map(|(c, n)| u64::from(c[channel]) * u64::from(*n))
            .sum();
        (sum as f64 / f64::from(pixels)).round() as u8
    })
}

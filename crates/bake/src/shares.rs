//! How the memory budget is shared among what a bake keeps at hand.

use ecotone_geotiff::{Layout, Source};
use ecotone_grid::Rect;

use crate::inputs::Inputs;
use crate::plan::Plan;

/// Shares in sixteenths of the budget; one is left over, for what the caches themselves take.
const SOURCES: u64 = 1;
const WEIGHTS: u64 = 4;
const SDF: u64 = 7;
const PATTERNS: u64 = 3;

/// The most that decoded blocks of inputs get, where a row of tiles reads that much. What they get beyond [`SOURCES`]
/// comes from weights and distances, which are read back from their own files where they do not fit.
const MOST_SOURCES: u64 = 4;

/// Files with blocks this many times as wide as a tile are decoded again for every tile, unless they are kept.
const WIDE: u64 = 2;

/// Bytes for each of the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) sources: usize,
    pub(crate) weights: usize,
    pub(crate) sdf: usize,
    pub(crate) patterns: usize,
}

impl Shares {
    /// Shares a budget out where `wanted_bytes` of decoded blocks of inputs are of use.
    pub(crate) fn new(memory_bytes: u64, wanted_bytes: u64) -> Self {
        let part = |sixteenths: u64| memory_bytes / 16 * sixteenths;
        let sources = wanted_bytes.clamp(part(SOURCES), part(MOST_SOURCES));
        // As large a part from each, so that both still hold as many rows of tiles.
        let taken = (sources - part(SOURCES)) / (WEIGHTS + SDF);
        let bytes = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Self {
            sources: bytes(sources),
            weights: bytes(part(WEIGHTS) - taken * WEIGHTS),
            sdf: bytes(part(SDF) - taken * SDF),
            patterns: bytes(part(PATTERNS)),
        }
    }
}

/// What jobs that run close together read of the inputs, at the most.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Decoded blocks of all files under one window of the plan.
    pub(crate) bytes: u64,
    /// The file that most of them are of, where its blocks are far wider than a tile, and how wide they are in pixels.
    wide: Option<(String, u64)>,
}

impl Wanted {
    /// Looks at every window in which jobs share what they read.
    pub(crate) fn new(plan: &Plan, inputs: &Inputs) -> Self {
        let windows = plan.shared_windows();
        let most = windows
            .map(|window| (under(inputs, window), window))
            .max_by_key(|(bytes, _)| *bytes);
        let Some((bytes, window)) = most else {
            return Self::default();
        };
        let (mut largest, mut wide) = (0, None);
        inputs.sources_under(window, &mut |source, part| {
            let bytes = source.decoded_bytes(part);
            if bytes > largest {
                largest = bytes;
                let width = block_width(source);
                let is_wide = width > WIDE * u64::from(plan.tiles.size());
                wide = is_wide.then(|| (source.path().display().to_string(), width));
            }
        });
        Self { bytes, wide }
    }

    /// What to say where the budget cannot hold what neighbouring tiles read of a file in wide blocks.
    pub(crate) fn warning(&self, memory_bytes: u64) -> Option<String> {
        let (file, width) = self.wide.as_ref()?;
        let enough = self.bytes.div_ceil(MOST_SOURCES).saturating_mul(16);
        if enough <= memory_bytes {
            return None;
        }
        Some(format!(
            "{file} is compressed in blocks {width} pixels wide, which tiles and chunks beside each other decode again: \
             give --memory {}M to keep them, or cut the file into tiles: \
             gdal_translate -co TILED=YES -co COMPRESS=ZSTD {file} tiled.tif",
            enough.div_ceil(1 << 20)
        ))
    }
}

fn under(inputs: &Inputs, window: Rect) -> u64 {
    let mut sum: u64 = 0;
    inputs.sources_under(window, &mut |source, part| {
        sum = sum.saturating_add(source.decoded_bytes(part));
    });
    sum
}

fn block_width(source: &Source) -> u64 {
    let header = source.header();
    u64::from(match header.layout {
        Layout::Strips { .. } => header.width,
        Layout::Tiles { width, .. } => width,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MIB: u64 = 1 << 20;

    fn mib(shares: Shares) -> [usize; 4] {
        [shares.sources, shares.weights, shares.sdf, shares.patterns].map(|n| n >> 20)
    }

    #[test]
    fn inputs_get_what_they_want_within_their_bounds_and_the_sum_stays() {
        assert_eq!(mib(Shares::new(176 * MIB, 0)), [11, 44, 77, 33]);
        assert_eq!(mib(Shares::new(176 * MIB, 22 * MIB)), [22, 40, 70, 33]);
        assert_eq!(mib(Shares::new(176 * MIB, u64::MAX)), [44, 32, 56, 33]);
        for wanted in [0, 12_345_678, 39_999_999, u64::MAX] {
            let shares = Shares::new(192 * MIB, wanted);
            let sum = shares.sources + shares.weights + shares.sdf + shares.patterns;
            // A remainder of the division may stay over, eleven bytes at most.
            assert!((180 * MIB..180 * MIB + 11).contains(&(sum as u64)), "{sum}");
        }
        Shares::new(0, 7);
        Shares::new(u64::MAX, u64::MAX);
    }

    #[test]
    fn the_warning_says_how_much_is_enough() {
        let wanted = Wanted {
            bytes: 50 * MIB + 1,
            wide: Some(("map.tif".into(), 25_000)),
        };
        let text = wanted.warning(192 * MIB).unwrap();
        assert!(text.contains("--memory 201M"), "{text}");
        assert!(text.starts_with("map.tif"), "{text}");
        assert_eq!(wanted.warning(201 * MIB), None);
        assert_eq!(
            Shares::new(201 * MIB, wanted.bytes).sources as u64,
            wanted.bytes
        );
        let narrow = Wanted {
            wide: None,
            ..wanted
        };
        assert_eq!(narrow.warning(0), None);
    }
}

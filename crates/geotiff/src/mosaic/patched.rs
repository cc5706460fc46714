//! A map under a stack of patches.

use std::path::Path;
use std::sync::Arc;

use ecotone_grid::{Raster, Rect};

use super::grid::moved;
use super::{Mosaic, MosaicError, MosaicFile, lay};
use crate::map::FileStamp;
use crate::{BlockCache, Options, Source, SourceError};

/// What becomes of a height h under a patch p whose share is α.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchMode {
    /// h + α·(p − h); p where h is void.
    Replace,
    /// h + α·p.
    Add,
    /// h + α·(max(h, p) − h).
    Max,
    /// h + α·(min(h, p) − h).
    Min,
}

/// How much of a patch takes hold, from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub enum Alpha<T> {
    /// As much everywhere.
    Everywhere(f64),
    /// As much as each pixel of a raster says; on a patch's own grid.
    Raster(T),
}

/// A raster that lies over a part of a map, and reaches beyond it where it likes.
#[derive(Debug)]
pub struct Patch {
    heights: Mosaic,
    /// Column and row of its north-west corner in the map.
    at: (i64, i64),
    mode: PatchMode,
    /// With the raw value that stands for 1.
    alpha: Alpha<(Mosaic, f64)>,
}

impl Patch {
    /// Opens a patch that lies where its georeference says over `base`.
    ///
    /// Its heights are what the file and `options` say. A raster of shares must lie on the patch's own grid; its integers
    /// are divided by the largest of their type, but for those of 8 and 16 bits that hold only 0 and 1.
    ///
    /// # Errors
    /// Those of the files, and [`SourceError::Mosaic`] where they are not on the grids they must be on.
    pub fn open(
        file: &Path,
        options: &Options,
        mode: PatchMode,
        alpha: &Alpha<&Path>,
        base: &Mosaic,
        cache: &Arc<BlockCache>,
    ) -> Result<Self, SourceError> {
        let mut patch = Self::open_at(file, options, (0, 0), mode, alpha, cache)?;
        patch.at = base.offset_to(&patch.heights)?;
        Ok(patch)
    }

    /// Opens a patch whose place in the map is known.
    ///
    /// # Errors
    /// As [`Patch::open`].
    pub fn open_at(
        file: &Path,
        options: &Options,
        at: (i64, i64),
        mode: PatchMode,
        alpha: &Alpha<&Path>,
        cache: &Arc<BlockCache>,
    ) -> Result<Self, SourceError> {
        let open = |path: &Path, options: &Options| {
            Mosaic::open(&[MosaicFile::new(path)], 0, options, Arc::clone(cache))
        };
        let heights = open(file, options)?;
        let alpha = match *alpha {
            Alpha::Everywhere(share) => Alpha::Everywhere(share),
            Alpha::Raster(path) => {
                // Raw values are wanted: 0 … 255 is a share whatever a scale says.
                let raw = Options {
                    scale: Some(1.0),
                    offset: Some(0.0),
                    ..Options::default()
                };
                let shares = open(path, &raw)?;
                check_alpha(&heights, &shares)?;
                let one = largest_share(&shares)?;
                Alpha::Raster((shares, one))
            }
        };
        Ok(Self {
            heights,
            at,
            mode,
            alpha,
        })
    }

    /// Its heights, a map of their own.
    pub fn heights(&self) -> &Mosaic {
        &self.heights
    }

    /// The raster that says how much of it takes hold, where there is one.
    pub fn alpha(&self) -> Option<&Mosaic> {
        match &self.alpha {
            Alpha::Everywhere(_) => None,
            Alpha::Raster((shares, _)) => Some(shares),
        }
    }

    /// Reads how much of its own pixels takes hold, from 0 to 1, where a raster says so; `false` where none does.
    ///
    /// # Errors
    /// Those of the raster's file.
    pub fn read_shares(&self, own: Rect, out: &mut Raster<f64>) -> Result<bool, SourceError> {
        let Alpha::Raster((shares, one)) = &self.alpha else {
            return Ok(false);
        };
        shares.read(own, out)?;
        let pixels = out.pixels_mut().iter_mut();
        pixels.for_each(|raw| *raw = share(*raw, *one));
        Ok(true)
    }

    /// Whether its shares are integers that are read as 0 and 1, holding nothing else.
    pub fn has_shares_of_0_and_1(&self) -> bool {
        let Alpha::Raster((shares, one)) = &self.alpha else {
            return false;
        };
        *one == 1.0 && shares.parts()[0].sample().max().is_some()
    }

    /// The pixels of the map that it lies over, those beyond the map included.
    pub fn rect(&self) -> Rect {
        moved(self.heights.rect(), self.at)
    }

    /// As [`Mosaic::stamps_under`] of a window of the map: of its heights, and of the raster of its shares.
    pub fn stamps_under(&self, window: Rect, each: &mut dyn FnMut(FileStamp, Rect)) {
        let own = moved(window, (-self.at.0, -self.at.1));
        for layer in [Some(&self.heights), self.alpha()].into_iter().flatten() {
            layer.stamps_under(own, each);
        }
    }

    /// Lays the patch over what `out` holds of `map`.
    fn apply(
        &self,
        map: Rect,
        scratch: &mut [Raster<f64>; 2],
        out: &mut Raster<f64>,
    ) -> Result<(), SourceError> {
        let shared = self.rect().intersect(&map).intersect(&out.rect());
        if shared.is_empty() {
            return Ok(());
        }
        let own = moved(shared, (-self.at.0, -self.at.1));
        let [patch, shares] = scratch;
        self.heights.read(own, patch)?;
        patch.cover(shared, 1, f64::NAN);
        match &self.alpha {
            Alpha::Everywhere(share) => lay(patch, out, |height, patch| {
                *height = self.mode.over(*height, patch, *share);
            }),
            Alpha::Raster((alpha, one)) => {
                alpha.read(own, shares)?;
                // In the order in which `lay` goes.
                let mut shares = shares.pixels().iter();
                lay(patch, out, |height, patch| {
                    let share = shares.next().map_or(0.0, |raw| share(*raw, *one));
                    *height = self.mode.over(*height, patch, share);
                });
            }
        }
        Ok(())
    }
}

/// Refuses a raster of shares that does not lie pixel for pixel over its patch.
fn check_alpha(heights: &Mosaic, shares: &Mosaic) -> Result<(), SourceError> {
    let size = |rect: Rect| [rect.width() as u64, rect.height() as u64];
    let sizes = [size(heights.rect()), size(shares.rect())];
    let refuse = |bounds| MosaicError::Alpha {
        patch: heights.path().to_owned(),
        alpha: shares.path().to_owned(),
        sizes,
        bounds,
    };
    let place = |mosaic: &Mosaic| mosaic.georeference().ok().flatten();
    let (Some(ours), Some(_)) = (place(heights), place(shares)) else {
        // Of the same size, one without a place lies over the other.
        return match sizes[0] == sizes[1] {
            true => Ok(()),
            false => Err(refuse(None).into()),
        };
    };
    match heights.offset_to(shares) {
        Ok((0, 0)) if sizes[0] == sizes[1] => Ok(()),
        Err(SourceError::Mosaic(reason)) if matches!(*reason, MosaicError::Systems { .. }) => {
            Err(SourceError::Mosaic(reason))
        }
        _ => Err(refuse(Some(ours.transform.bounds(heights.rect()))).into()),
    }
}

/// The raw value that stands for all of a patch.
fn largest_share(shares: &Mosaic) -> Result<f64, SourceError> {
    let sample = shares.parts()[0].sample();
    match sample.max() {
        Some(_) if sample.size() <= 2 && shares.holds_only_zero_and_one()? => Ok(1.0),
        largest => Ok(largest.unwrap_or(1.0)),
    }
}

/// A raw value as a share; nothing where there is no value.
fn share(raw: f64, one: f64) -> f64 {
    if raw.is_nan() {
        return 0.0;
    }
    (raw / one).clamp(0.0, 1.0)
}

impl PatchMode {
    /// The height under a patch of which a share takes hold; void only where numbers run over, or where it was.
    pub fn over(self, height: f64, patch: f64, share: f64) -> f64 {
        // Not a NaN either.
        let takes_hold = share > 0.0 && !patch.is_nan();
        if !takes_hold || (height.is_nan() && self != Self::Replace) {
            return height;
        }
        let wanted = match self {
            Self::Replace => patch,
            Self::Max => height.max(patch),
            Self::Min => height.min(patch),
            Self::Add => return finite(height + share * patch),
        };
        if share == 1.0 || height.is_nan() {
            return wanted;
        }
        finite(height + share * (wanted - height))
    }
}

/// Void where numbers have run over.
fn finite(height: f64) -> f64 {
    if height.is_finite() { height } else { f64::NAN }
}

/// A map and the patches that lie over it, in their order.
///
/// Where a patch is void, or beyond the map, nothing changes.
#[derive(Debug)]
pub struct Patched {
    base: Mosaic,
    patches: Vec<Patch>,
}

impl Patched {
    /// A map under patches.
    pub fn new(base: Mosaic, patches: Vec<Patch>) -> Self {
        Self { base, patches }
    }

    /// The map without its patches.
    pub fn base(&self) -> &Mosaic {
        &self.base
    }

    /// The patches, the lowest first.
    pub fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// Every file that pixels come from.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let patches = self.patches.iter().flat_map(|patch| {
            let shares = patch.alpha().into_iter().flat_map(Mosaic::sources);
            patch.heights().sources().chain(shares)
        });
        self.base.sources().chain(patches)
    }

    /// As [`Mosaic::sources_under`], of the map and of its patches.
    pub fn sources_under(&self, window: Rect, each: &mut dyn FnMut(&Source, Rect)) {
        self.base.sources_under(window, each);
        let window = window.intersect(&self.base.rect());
        for patch in &self.patches {
            let own = moved(window, (-patch.at.0, -patch.at.1));
            for layer in [Some(&patch.heights), patch.alpha()].into_iter().flatten() {
                layer.sources_under(own, each);
            }
        }
    }

    /// Reads the heights of a window, as [`Mosaic::read`]; the same values in any window.
    ///
    /// # Errors
    /// Those of the files under the window.
    pub fn read(&self, rect: Rect, out: &mut Raster<f64>) -> Result<(), SourceError> {
        self.base.read(rect, out)?;
        let mut scratch = [Raster::default(), Raster::default()];
        for patch in &self.patches {
            patch.apply(self.base.rect(), &mut scratch, out)?;
        }
        Ok(())
    }
}

//! Masks drawn by lines, points and polygons of a GeoJSON file.

pub mod geojson;
mod index;
mod onto_map;
mod unseen;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ecotone_grid::{PixelSize, Raster, Rect};
use ecotone_store::Digest;
use ecotone_terrain::{Canvas, ShapeScratch, Stroke};

use super::{Inputs, MaskKeys, found};
use crate::config::Loaded;
use crate::error::BakeError;
use crate::fingerprint::Look;
use geojson::{Collection, Crs, ShapeKind};
use index::Index;

/// The shapes of one mask.
pub(crate) struct Shapes {
    path: PathBuf,
    index: Index,
    pixel: PixelSize,
    /// How lines are drawn, where there are any.
    lines: Option<Stroke>,
    /// How points are drawn, where there are any.
    points: Option<Stroke>,
    feather_m: f64,
    is_inverted: bool,
    n_shapes: usize,
    /// Of all that was read of the file.
    digest: Digest,
}

impl Shapes {
    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file and how much is in it, for people.
    pub(crate) fn describe(&self) -> String {
        format!("{}: {} shapes", self.path.display(), self.n_shapes)
    }

    /// Looks at the file and at how it is drawn, unless that leaves a rectangle of the map bare; whether it does not.
    pub(crate) fn look_at(&self, rect: Rect, look: &mut Look) -> bool {
        let strokes = [self.lines, self.points];
        let reaches = strokes.map(|stroke| stroke.map_or(0.0, |stroke| stroke.reach_m()));
        let reach_m = reaches.into_iter().fold(0.5 * self.feather_m, f64::max);
        let PixelSize { x, y } = self.pixel;
        let start = [rect.x0 as f64 * x, rect.y0 as f64 * y];
        let end = [rect.x1 as f64 * x, rect.y1 as f64 * y];
        let is_bare = !self.is_inverted && !self.index.reaches(start, end, reach_m);
        if !is_bare {
            let how = (self.digest, strokes, self.feather_m, self.is_inverted);
            look.text(&format!("{how:?}"));
        }
        !is_bare
    }

    /// Fills band `band` of `out` with coverage in [0, 1]; the same bits from any window.
    pub(crate) fn read(&self, scratch: &mut ShapeScratch, band: usize, out: &mut Raster<f32>) {
        out.band_mut(band).fill(0.0);
        let mut canvas = Canvas {
            pixel: self.pixel,
            scratch,
            band,
            out,
        };
        if let Some(stroke) = &self.lines {
            self.index.draw_lines(stroke, &mut canvas);
        }
        if let Some(stroke) = &self.points {
            self.index.draw_points(stroke, &mut canvas);
        }
        self.index.draw_polygons(self.feather_m, &mut canvas);
        if self.is_inverted {
            for coverage in out.band_mut(band) {
                *coverage = 1.0 - *coverage;
            }
        }
    }
}

impl Inputs {
    /// Opens a mask that is a GeoJSON file; the heights must be open and placed.
    pub(super) fn open_shapes(
        &mut self,
        loaded: &Loaded,
        keys: &MaskKeys<'_>,
    ) -> Result<Shapes, BakeError> {
        let path = found(loaded, &keys.key, keys.file)?;
        let refuse = |(message, help)| loaded.error_at(&keys.key, message, help);
        let (mut shapes, digest) = parsed(&path).map_err(refuse)?;
        self.check_sizes(keys, &shapes, &path).map_err(refuse)?;
        self.warn_of(&shapes, &path);
        let sizes = Sizes::of(keys, &shapes);
        let is_off = self
            .turn_onto_map(&mut shapes, &path, sizes.reach_m(), keys.is_inverted)
            .map_err(refuse)?;
        let is_near = is_off.is_none();
        match is_off {
            Some(warning) => self.warnings.push(warning),
            None => self.warn_of_unseen(keys, &shapes, &sizes, &path),
        }
        let n_shapes = shapes.n_shapes;
        let index = Index::new(shapes);
        let pixel = self.transform.pixel;
        let (width, height) = (self.map().width(), self.map().height());
        let end = [width as f64 * pixel.x, height as f64 * pixel.y];
        if n_shapes > 0 && is_near && !index.reaches([0.0; 2], end, sizes.reach_m()) {
            self.warnings.push(format!(
                "no shape of {} reaches the map, though they lie around it",
                path.display()
            ));
        }
        Ok(Shapes {
            path,
            n_shapes,
            index,
            pixel,
            lines: sizes.lines,
            points: sizes.points,
            feather_m: sizes.feather_m,
            is_inverted: keys.is_inverted,
            digest,
        })
    }

    /// Refuses lines or points without a size, and warns of sizes without any.
    fn check_sizes(
        &mut self,
        keys: &MaskKeys<'_>,
        shapes: &Collection,
        path: &Path,
    ) -> Result<(), Refusal> {
        let file = path.display();
        for (kind, word, what, is_given) in sizes(keys) {
            match shapes.first(kind) {
                Some(shape) if !is_given => {
                    let feature = shape.feature;
                    let message = format!(
                        "feature {feature} of {file} is a {what}, and this {} has no `{word}`",
                        keys.what
                    );
                    return Err((
                        message,
                        Some(format!("for example `{word} = 6`, in metres")),
                    ));
                }
                None if is_given => self.warnings.push(format!(
                    "{file} has no {what}s, so `{word}` of \"{}\" says nothing",
                    keys.owner
                )),
                _ => {}
            }
        }
        Ok(())
    }

    /// Warns of what is odd in a file, though it can be drawn.
    fn warn_of(&mut self, shapes: &Collection, path: &Path) {
        let file = path.display();
        if shapes.shapes.is_empty() {
            self.warnings.push(format!("{file} holds no shape"));
        }
        if let Some((feature, n_rings)) = shapes.unclosed {
            self.warnings.push(format!(
                "{file} has rings that do not end where they began ({n_rings}, the first in feature {feature}): they are closed"
            ));
        }
        if let Some((feature, n_lists)) = shapes.empty {
            self.warnings.push(format!(
                "{file} has empty parts ({n_lists}, the first in feature {feature}): they are skipped"
            ));
        }
        if let Some(Crs::Other(name)) = &shapes.crs {
            let what = match name.as_str() {
                "" => "a `crs` without a name".to_owned(),
                name => format!("the `crs` {name:?}, which is no EPSG code"),
            };
            self.warnings.push(format!(
                "{file} has {what}: its shapes are taken to be in the map's coordinates"
            ));
        }
    }
}

/// What is wrong, and what to do where that can be guessed.
type Refusal = (String, Option<String>);

/// Digests what is read through it.
struct Digesting<R> {
    inner: R,
    hasher: blake3::Hasher,
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(out)?;
        self.hasher.update(&out[..n]);
        Ok(n)
    }
}

/// What a file draws, in its own coordinates, and the digest of what was read of it.
fn parsed(path: &Path) -> Result<(Collection, Digest), Refusal> {
    let named = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let file = File::open(path).map_err(|source| {
        let help = "whoever runs the bake must be allowed to read it".to_owned();
        (named(&format_args!("cannot be read: {source}")), Some(help))
    })?;
    let mut file = Digesting {
        inner: file,
        hasher: blake3::Hasher::new(),
    };
    let shapes = geojson::parse(&mut file).map_err(|error| {
        let help =
            "mend it there, or export it again, such as with `ogr2ogr OUT.geojson IN`".to_owned();
        (named(&error), Some(help))
    })?;
    Ok((shapes, Digest::finish(&file.hasher)))
}

/// The keys that give a kind of shape its size, what a person calls the kind, and whether the key is there.
fn sizes(keys: &MaskKeys<'_>) -> [(ShapeKind, &'static str, &'static str, bool); 2] {
    let (width, radius) = (keys.width.is_some(), keys.radius.is_some());
    [
        (ShapeKind::Line, "width", "line", width),
        (ShapeKind::Point, "radius", "point", radius),
    ]
}

/// How the shapes of a file are drawn.
struct Sizes {
    lines: Option<Stroke>,
    points: Option<Stroke>,
    feather_m: f64,
}

impl Sizes {
    fn of(keys: &MaskKeys<'_>, shapes: &Collection) -> Self {
        let feather_m = keys.feather.unwrap_or(0.0);
        let stroke = |kind, radius: Option<f64>| {
            let radius_m = radius?;
            shapes.first(kind)?;
            Some(Stroke {
                radius_m,
                feather_m,
            })
        };
        Self {
            lines: stroke(ShapeKind::Line, keys.width.map(|width| 0.5 * width)),
            points: stroke(ShapeKind::Point, keys.radius),
            feather_m,
        }
    }

    /// How far from a shape of a kind there is coverage, in metres.
    fn reach_of_m(&self, kind: ShapeKind) -> f64 {
        let stroke = match kind {
            ShapeKind::Line => self.lines,
            ShapeKind::Point => self.points,
            ShapeKind::Polygon => None,
        };
        stroke.map_or(0.5 * self.feather_m, |stroke| stroke.reach_m())
    }

    /// How far from any shape there is coverage, in metres.
    fn reach_m(&self) -> f64 {
        let kinds = [ShapeKind::Line, ShapeKind::Point, ShapeKind::Polygon];
        let reaches = kinds.map(|kind| self.reach_of_m(kind));
        reaches.into_iter().fold(0.0, f64::max)
    }
}

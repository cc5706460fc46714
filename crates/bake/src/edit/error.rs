//! Why an edit is refused.

use std::path::PathBuf;

use ecotone_grid::GeoTransform;

/// Why an edit was refused; the world and its log are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// A number that cannot be.
    #[error("the {what} is {found}: expected {expected}")]
    Number {
        /// Of what.
        what: &'static str,
        /// The number.
        found: f64,
        /// What it must be.
        expected: String,
    },
    /// Nothing of it lies on the map.
    #[error(
        "{what} lies off the map, where x is {west} … {east} and y is {south} … {north}; nothing was recorded"
    )]
    OffMap {
        /// The brush or the file.
        what: String,
        /// The map's border, metres.
        west: f64,
        /// The map's border, metres.
        south: f64,
        /// The map's border, metres.
        east: f64,
        /// The map's border, metres.
        north: f64,
    },
    /// A brush that passes between the centres of pixels.
    #[error(
        "{what} touches no pixel's centre, so nothing would change and nothing was recorded; pixels are {x} × {y} m, and a \
         radius of {sure} m always touches one"
    )]
    NoPixel {
        /// The brush.
        what: String,
        /// A pixel's width, metres.
        x: f64,
        /// A pixel's height, metres.
        y: f64,
        /// Half a pixel's diagonal and a little more, metres.
        sure: f64,
    },
    /// A patch without any height.
    #[error("{} is void wherever it lies over the map; nothing was recorded", path.display())]
    Void {
        /// The file.
        path: PathBuf,
    },
    /// More pixels than an edit may have.
    #[error(
        "{what} lies over {found} pixels of the map, and an edit over {most} at the most: use several, or name the file in \
         [[terrain.patch]] of the config"
    )]
    TooLarge {
        /// The brush or the file.
        what: String,
        /// Its pixels on the map.
        found: usize,
        /// The most it may have.
        most: usize,
    },
    /// A stroke over a stratum that the world does not have.
    #[error("there is no stratum \"{name}\": expected one of {known}{help}")]
    NoStratum {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
        /// The one that may be meant.
        help: String,
    },
    /// A stroke of the log over a stratum that the config no longer has.
    #[error(
        "edit {number} of the world ({text}) is of the stratum \"{name}\", which the config does not have; call one of its \
         strata so again, or take it and what came after it back with `ecotone edit DIR --undo {n}` before this bake"
    )]
    StratumGone {
        /// The edit's number.
        number: u64,
        /// What it does.
        text: String,
        /// The stratum.
        name: String,
        /// How many edits there are from this one on.
        n: usize,
    },
    /// More edits to be taken back than there are.
    #[error("cannot take back {wanted} of the world's {found} edits")]
    NothingToUndo {
        /// How many were to be taken back.
        wanted: usize,
        /// How many there are.
        found: usize,
    },
    /// The map lies on another grid than the world's edits.
    #[error(
        "the world's edits were made on pixels of {} × {} m from ({}, {}), and the map now has pixels of {} × {} m from ({}, {}): \
         they do not lie on each other; bring the map back to its grid, or take the edits back with `ecotone edit DIR --undo {n}`",
        then.pixel.x, then.pixel.y, then.x0, then.y0, now.pixel.x, now.pixel.y, now.x0, now.y0
    )]
    Moved {
        /// The grid of the edits.
        then: GeoTransform,
        /// The map's grid.
        now: GeoTransform,
        /// How many edits there are.
        n: usize,
    },
    /// A patch for a map that is no longer the world's.
    #[error(
        "the map is {} × {} pixels now, and was {} × {} when this world was baked; bake it again before a patch is laid over it",
        now[0], now[1], then[0], then[1]
    )]
    Resized {
        /// The world's columns and rows.
        then: [usize; 2],
        /// The map's columns and rows.
        now: [usize; 2],
    },
    /// A pin that cannot be done.
    #[error("{why}; nothing was pinned")]
    Pin {
        /// What is wrong with it.
        why: String,
    },
    /// Lines of a file of pins that cannot be done.
    #[error("{n_bad} of the {n_lines} pins of {file} cannot be done, and none was:{told}")]
    Pins {
        /// How many lines are wrong.
        n_bad: usize,
        /// How many there are.
        n_lines: usize,
        /// The file.
        file: String,
        /// What is wrong, a line for each.
        told: String,
    },
    /// A file of pins without any.
    #[error("{file} has no pin; nothing was pinned")]
    NoPins {
        /// The file.
        file: String,
    },
    /// Somebody edited the world between the look at its log and the bake.
    #[error(
        "the world was edited while this bake began; start it again, so that it keeps those edits"
    )]
    EditedMeanwhile,
    /// A world that does not hold its config.
    #[error("{} does not hold the config that it was made from; bake it again before it is edited", path.display())]
    NoConfig {
        /// The world directory.
        path: PathBuf,
    },
}

//! The edit log of a world: changes laid over its config. Those of heights and strata have a raster in `edits/` each, and plants
//! that are set or taken away by hand stand in the log itself.

use ecotone_grid::Rect;
use serde::{Deserialize, Serialize};

use crate::{Artefact, PatchWord, PinRecord};

/// What an edit does, with its raster where it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "op")]
pub enum EditOp {
    /// A patch of heights in metres; a void leaves the ground as it is.
    Heights {
        /// What becomes of a height under it.
        mode: PatchWord,
        /// How much of it takes hold, from 0 to 1; 1 where it is not written.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        alpha: f64,
    },
    /// Shares in [0, 1] that raise a stratum's weight.
    Paint {
        /// The stratum.
        stratum: String,
    },
    /// Shares in [0, 1] that lower a stratum's weight.
    Erase {
        /// The stratum.
        stratum: String,
    },
    /// Plants set or taken away by hand; of one species at one place the last counts.
    Pins {
        /// Them, in the order in which they were asked for.
        pins: Vec<PinRecord>,
    },
}

fn all() -> f64 {
    1.0
}

// By reference, as serde calls it.
fn is_empty(size: &[u32; 2]) -> bool {
    *size == [0, 0]
}

// By reference, as serde calls it.
fn is_all(alpha: &f64) -> bool {
    *alpha == all()
}

impl EditOp {
    /// The stratum whose weight it moves; `None` for heights and pins.
    pub fn stratum(&self) -> Option<&str> {
        match self {
            Self::Heights { .. } | Self::Pins { .. } => None,
            Self::Paint { stratum } | Self::Erase { stratum } => Some(stratum),
        }
    }
}

/// One edit of a world's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditRecord {
    /// Its number in the log, from 1.
    pub number: u64,
    /// What it does.
    #[serde(flatten)]
    pub op: EditOp,
    /// What was asked for, for people.
    pub text: String,
    /// Columns and rows of its raster, on the map's grid; 0 for pins.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub size: [u32; 2],
    /// Its raster: one band of 32-bit reals. Its place is the pixel of the map under its north-west corner, which may lie off the map.
    /// `None` for pins.
    #[serde(flatten)]
    pub raster: Option<Artefact>,
    /// How much of each pixel of it takes hold, from 0 to 1, where that is not the same everywhere: one band of 32-bit reals,
    /// pixel for pixel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<Artefact>,
}

impl EditRecord {
    /// What decides what it does to the pixels under it: what it is, where it lies and its raster's content; not its number.
    pub fn identity(&self) -> String {
        let digests = self.artefacts().map(|file| file.digest.as_str());
        let digests: Vec<&str> = digests.collect();
        format!("{:?} at {:?} with {digests:?}", self.op, self.rect())
    }

    /// Its files.
    pub fn artefacts(&self) -> impl Iterator<Item = &Artefact> {
        self.raster.iter().chain(&self.shares)
    }

    /// Its files, to be named anew.
    pub fn artefacts_mut(&mut self) -> impl Iterator<Item = &mut Artefact> {
        self.raster.iter_mut().chain(&mut self.shares)
    }

    /// The pixels of the map that its raster lies over; they may reach beyond the map. None for pins.
    pub fn rect(&self) -> Rect {
        let Some(raster) = &self.raster else {
            return Rect::default();
        };
        let (x, y) = (raster.x, raster.y);
        let [width, height] = self.size.map(i64::from);
        // Saturating: the numbers come from a file.
        Rect::new(x, y, x.saturating_add(width), y.saturating_add(height))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[track_caller]
    fn check(op: EditOp, json: &str) {
        let record = EditRecord {
            number: 3,
            op,
            text: "as asked".to_owned(),
            size: [7, 5],
            raster: Some(Artefact {
                x: -2,
                y: 4,
                file: "edits/f".to_owned(),
                digest: "d".to_owned(),
                bytes: 9,
            }),
            shares: None,
        };
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(json), "{text}");
        assert_eq!(serde_json::from_str::<EditRecord>(&text).unwrap(), record);
        assert_eq!(record.rect(), Rect::new(-2, 4, 5, 9));
    }

    #[test]
    fn an_edit_survives_its_json() {
        let heights = |alpha| EditOp::Heights {
            mode: PatchWord::Add,
            alpha,
        };
        check(heights(1.0), r#""op":"heights","mode":"add","text""#);
        check(heights(0.25), r#""mode":"add","alpha":0.25"#);
        let stratum = "meadow".to_owned();
        check(
            EditOp::Erase { stratum },
            r#""op":"erase","stratum":"meadow""#,
        );
    }
}

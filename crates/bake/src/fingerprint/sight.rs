//! The sight of a job: what its inputs are called, without reading any.

use ecotone_geotiff::FileStamp;
use ecotone_grid::Rect;
use ecotone_store::Digest;

use crate::plan::Job;
use crate::scene::Scene;

/// Gathers what a job's inputs are called.
pub(crate) struct Look {
    hasher: blake3::Hasher,
    /// Whether every file had been left alone for long enough when it was opened.
    is_settled: bool,
}

impl Look {
    fn new() -> Self {
        Self {
            hasher: blake3::Hasher::new(),
            is_settled: true,
        }
    }

    /// Where something lies.
    pub(crate) fn rect(&mut self, rect: Rect) {
        for edge in [rect.x0, rect.y0, rect.x1, rect.y1] {
            self.hasher.update(&edge.to_le_bytes());
        }
    }

    /// What something is called, or how it is read.
    pub(crate) fn text(&mut self, text: &str) {
        self.hasher.update(&(text.len() as u64).to_le_bytes());
        self.hasher.update(text.as_bytes());
    }

    /// A file, and the part of its own pixels that is read.
    pub(crate) fn file(&mut self, stamp: FileStamp, part: Rect) {
        match stamp {
            Some(bytes) => drop(self.hasher.update(&bytes)),
            None => self.is_settled = false,
        }
        self.rect(part);
    }

    fn finish(self) -> Option<Digest> {
        self.is_settled.then(|| Digest::finish(&self.hasher))
    }
}

impl Scene {
    /// What the inputs of a job are called, once the tiles that it reads are on disk; `None` where a file changed so shortly
    /// before it was opened that its stamp says too little.
    pub(crate) fn sight(&self, job: Job) -> Option<Digest> {
        let mut look = Look::new();
        let window = self.plan.reads(job);
        look.rect(window);
        match job {
            Job::Strata(tile) => {
                let core = self.plan.tiles.rect(tile);
                look.rect(core);
                self.inputs.look_at_heights(window, &mut look);
                self.inputs.look_at_masks(core, &mut look);
            }
            Job::Sdf(tile) => {
                look.rect(self.plan.tiles.rect(tile));
                self.weights.look_at(window, &mut look);
            }
            Job::Plants(chunk) => {
                self.weights.look_at(window, &mut look);
                self.sdf.look_at(window, &mut look);
                let heights = self.heights_under(self.plan.ground(chunk));
                self.inputs.look_at_heights(heights, &mut look);
            }
        }
        look.finish()
    }
}

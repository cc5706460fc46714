//! The sight of a job: what its inputs are called, without reading any.

use ecotone_geotiff::FileStamp;
use ecotone_grid::Rect;
use ecotone_store::Digest;

use crate::plan::Job;
use crate::scene::{Before, Scene};

/// Gathers what a job's inputs are called.
pub(crate) struct Look {
    hasher: blake3::Hasher,
    /// Whether every file had been left alone for long enough when it was opened.
    is_settled: bool,
    /// As if tiles that differ only outside the window were as before, if there are any.
    before: Option<blake3::Hasher>,
}

/// What the inputs of a job are called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    pub(crate) now: Digest,
    /// What they were called before this bake, where only tiles have other names now and these hold the same under the window.
    pub(crate) before: Option<Digest>,
}

impl Look {
    fn new() -> Self {
        Self {
            hasher: blake3::Hasher::new(),
            is_settled: true,
            before: None,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        if let Some(before) = &mut self.before {
            before.update(bytes);
        }
    }

    /// Where something lies.
    pub(crate) fn rect(&mut self, rect: Rect) {
        for edge in [rect.x0, rect.y0, rect.x1, rect.y1] {
            self.feed(&edge.to_le_bytes());
        }
    }

    /// What something is called, or how it is read.
    pub(crate) fn text(&mut self, text: &str) {
        self.feed(&(text.len() as u64).to_le_bytes());
        self.feed(text.as_bytes());
    }

    /// A file, and the part of its own pixels that is read.
    pub(crate) fn file(&mut self, stamp: FileStamp, part: Rect) {
        match stamp {
            Some(bytes) => self.feed(&bytes),
            None => self.is_settled = false,
        }
        self.rect(part);
    }

    /// A finished tile under a window, and what it held before it was made again.
    pub(crate) fn tile(&mut self, digest: &str, before: Option<&Before>, window: Rect) {
        let before = before.filter(|before| before.changed.intersect(&window).is_empty());
        let Some(old) = before else {
            return self.feed(digest.as_bytes());
        };
        let mut other = self.before.take().unwrap_or_else(|| self.hasher.clone());
        other.update(old.digest.as_bytes());
        self.before = Some(other);
        self.hasher.update(digest.as_bytes());
    }

    fn finish(self) -> Option<Sight> {
        self.is_settled.then(|| Sight {
            now: Digest::finish(&self.hasher),
            before: self.before.as_ref().map(Digest::finish),
        })
    }
}

impl Scene {
    /// What the inputs of a job are called, once the tiles that it reads are on disk; `None` where a file changed so shortly
    /// before it was opened that its stamp says too little.
    pub(crate) fn sight(&self, job: Job) -> Option<Sight> {
        let mut look = Look::new();
        let window = self.plan.reads(job);
        look.rect(window);
        match job {
            Job::Strata(tile) => {
                let core = self.plan.tiles.rect(tile);
                look.rect(core);
                self.inputs.look_at_heights(window, &mut look);
                self.inputs
                    .look_at_masks(core, &self.rules.strata.layers, &mut look);
            }
            Job::Sdf(tile) => {
                let core = self.plan.tiles.rect(tile);
                look.rect(core);
                self.weights.look_at(window, &mut look);
                if !self.rules.grasses.is_empty() {
                    let heights = self.heights_of_grass(core);
                    self.inputs.look_at_heights(heights, &mut look);
                    self.grass_asks.look_at(&self.inputs, core, &mut look);
                }
            }
            Job::Plants(chunk) => {
                self.weights.look_at(window, &mut look);
                self.sdf.look_at(window, &mut look);
                let ground = self.plan.ground(chunk);
                let heights = self.heights_under(ground);
                self.inputs.look_at_heights(heights, &mut look);
                self.plant_asks.look_at(&self.inputs, ground, &mut look);
                self.pins
                    .describe(&self.plan, chunk, &mut |pin| look.text(pin));
            }
        }
        look.finish()
    }
}

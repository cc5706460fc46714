//! What inputs are called: the stamps of files, and how the config has them read.

use ecotone_grid::Rect;
use ecotone_store::{EditOp, EditRecord};
use ecotone_terrain::Layer;

use super::Inputs;
use crate::config::Loaded;
use crate::fingerprint::Look;

/// How the config has heights read: of the map, and of each patch.
pub(super) struct Identity {
    terrain: String,
    patches: Vec<String>,
}

impl Identity {
    pub(super) fn new(loaded: &Loaded) -> Self {
        let terrain = &loaded.config.terrain;
        let keys = (
            (terrain.scale, terrain.offset, terrain.range),
            (terrain.nodata, terrain.band, terrain.raw),
        );
        Self {
            terrain: format!("{keys:?}"),
            patches: terrain.patches.iter().map(|p| format!("{p:?}")).collect(),
        }
    }
}

impl Inputs {
    /// Looks at what the heights of a window are read from: files and patches that do not reach into it do not count.
    pub(crate) fn look_at_heights(&self, window: Rect, look: &mut Look) {
        let layers = self.heights.layers();
        let window = window.intersect(&self.map());
        look.text(&self.identity.terrain);
        let mut file = |stamp, part| look.file(stamp, part);
        layers.base().stamps_under(window, &mut file);
        for (patch, keys) in layers.patches().iter().zip(&self.identity.patches) {
            let at = patch.rect();
            if at.intersect(&window).is_empty() {
                continue;
            }
            look.rect(at);
            look.text(keys);
            patch.stamps_under(window, &mut |stamp, part| look.file(stamp, part));
        }
        self.look_at_edits(
            window,
            |edit| matches!(edit.op, EditOp::Heights { .. }),
            look,
        );
    }

    /// Looks at what covers a rectangle of the map, and what is made of it: masks that do not reach into it do not count.
    pub(crate) fn look_at_masks(&self, core: Rect, layers: &[Layer], look: &mut Look) {
        for (mask, layer) in self.masks.iter().zip(layers) {
            if mask.look_at(core, look) {
                look.text(&format!("{layer:?}"));
            }
        }
        self.look_at_edits(core, |edit| edit.op.stratum().is_some(), look);
    }

    /// Looks at the edits of a kind that touch a rectangle of the map: their content never changes.
    fn look_at_edits(&self, rect: Rect, is_wanted: fn(&EditRecord) -> bool, look: &mut Look) {
        for edit in self.edits.iter().filter(|edit| is_wanted(edit)) {
            if !edit.rect().intersect(&rect).is_empty() {
                look.text(&edit.identity());
            }
        }
    }
}

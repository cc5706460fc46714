//! Shares of the ground, and numbers of plants, now and before.

use ecotone_grid::{Raster, Rect};
use ecotone_store::Artefact;

use super::verdict::percent;
use super::{Check, Limits, Verdict};
use crate::{Finished, InterchangeError};

/// A number, and what it was in the revision before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) now: f64,
    pub(super) was: Option<f64>,
}

/// Plants of a species in a revision, or of all; `None` where it does not have that species.
pub(super) fn n_plants(world: &Finished, species: Option<&str>) -> Option<u64> {
    let manifest = world.manifest();
    let chunks = manifest.chunks.iter();
    let Some(name) = species else {
        return Some(chunks.flat_map(|chunk| &chunk.plants).sum());
    };
    let idx = manifest.species.iter().position(|s| s.name == name)?;
    Some(chunks.filter_map(|chunk| chunk.plants.get(idx)).sum())
}

/// The strata's sums of weights, worked out when they are first wanted.
pub(super) struct Shares<'a> {
    world: &'a Finished,
    before: Option<&'a Finished>,
    sums: Option<(Sums, Option<Sums>)>,
}

type Sums = Vec<u64>;

impl<'a> Shares<'a> {
    pub(super) fn new(world: &'a Finished, before: Option<&'a Finished>) -> Self {
        Self {
            world,
            before,
            sums: None,
        }
    }

    pub(super) fn verdict(
        &mut self,
        check: &Check,
        stratum: &str,
        limits: &Limits,
    ) -> Result<Verdict, InterchangeError> {
        let change = self.change(stratum)?;
        Ok(Verdict::of_number(check, change, limits, &percent))
    }

    fn change(&mut self, stratum: &str) -> Result<Change, InterchangeError> {
        let (now, was) = match &self.sums {
            Some(sums) => sums,
            None => self.sums.insert(sums(self.world, self.before)?),
        };
        let now = share(self.world, now, stratum);
        Ok(Change {
            now: now.unwrap_or(0.0),
            was: self
                .before
                .zip(was.as_ref())
                .and_then(|(before, was)| share(before, was, stratum)),
        })
    }
}

/// A stratum's share of the ground; `None` where a world does not have it.
fn share(world: &Finished, sums: &[u64], stratum: &str) -> Option<f64> {
    let band = world.manifest().strata.iter().position(|s| s == stratum)?;
    let all = sums.iter().sum::<u64>();
    Some(sums[band] as f64 / all.max(1) as f64)
}

/// Sums the weights of both revisions; a tile that both have is read once.
fn sums(
    world: &Finished,
    before: Option<&Finished>,
) -> Result<(Sums, Option<Sums>), InterchangeError> {
    let n = world.manifest().strata.len();
    let alike = before.filter(|before| {
        let (old, new) = (before.manifest(), world.manifest());
        old.grid.tiles() == new.grid.tiles() && old.strata == new.strata
    });
    let (mut now, mut was) = (vec![0; n], vec![0; n]);
    for tile in &world.manifest().weights {
        let sums = of_tile(world, tile)?;
        add(&mut now, &sums);
        if let Some(before) = alike {
            let old = twin(before, tile);
            match old {
                Some(old) if old.digest == tile.digest => add(&mut was, &sums),
                Some(old) => add(&mut was, &of_tile(before, old)?),
                None => {}
            }
        }
    }
    match (alike, before) {
        (Some(_), _) => Ok((now, Some(was))),
        (None, None) => Ok((now, None)),
        (None, Some(before)) => Ok((now, Some(self::sums(before, None)?.0))),
    }
}

fn add(sums: &mut [u64], more: &[u64]) {
    sums.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
}

/// The tile of the same place in another revision.
fn twin<'a>(world: &'a Finished, tile: &Artefact) -> Option<&'a Artefact> {
    let tiles = &world.manifest().weights;
    let found = tiles.binary_search_by_key(&(tile.y, tile.x), |other| (other.y, other.x));
    found.ok().map(|idx| &tiles[idx])
}

/// Rows of a tile that are read at once.
const ROWS: i64 = 512;

/// The sums of each stratum's weights in a tile.
fn of_tile(world: &Finished, tile: &Artefact) -> Result<Sums, InterchangeError> {
    let id = ecotone_grid::TileId {
        x: tile.x as u32,
        y: tile.y as u32,
    };
    let rect = world.grid().rect(id);
    let mut weights = Raster::default();
    let mut sums = vec![0; world.manifest().strata.len()];
    for y in (rect.y0..rect.y1).step_by(ROWS as usize) {
        let rows = Rect::new(rect.x0, y, rect.x1, (y + ROWS).min(rect.y1));
        world.weights(rows, &mut weights)?;
        for (band, sum) in sums.iter_mut().enumerate() {
            let pixels = weights.band(band).pixels();
            *sum += pixels.iter().map(|&weight| u64::from(weight)).sum::<u64>();
        }
    }
    Ok(sums)
}

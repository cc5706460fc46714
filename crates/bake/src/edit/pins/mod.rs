//! Plants set and taken away by hand: what is asked for, which plant of the world it means, and what a bake makes of it.

mod asked;
mod depth;
mod found;
mod laid;
mod search;

pub use asked::{PinLine, PinOp, PinRequest};
pub(crate) use laid::Pins;

use ecotone_store::{EditOp, EditRecord, PinRecord, World};

use super::{EditError, Editing};
use crate::BakeError;
use asked::{Asked, BadLine};
use found::Found;
use search::Search;

impl Editing {
    /// Adds pins to the log as one edit; they count for nothing before the commit. `file` is where they were read from.
    ///
    /// All or nothing: where a line cannot be done the log stays as it is. Plants are looked up in the world as it was committed.
    ///
    /// # Errors
    /// [`EditError::Pins`] with every line that cannot be done, [`EditError::NoPins`] where there is none at all;
    /// [`BakeError::Store`] where the world's chunks cannot be read, or those of [`crate::Bake::open`].
    pub fn pin(&mut self, lines: &[PinLine], file: Option<&str>) -> Result<(), BakeError> {
        if lines.is_empty() {
            let file = file.unwrap_or("the command").to_owned();
            return Err(EditError::NoPins { file }.into());
        }
        let world = World::open(&self.dir).map_err(|source| BakeError::Closed { source })?;
        let mut search = Search::default();
        let (mut asked, mut bad) = (Vec::new(), Vec::new());
        for line in lines {
            match Asked::new(line, &self.manifest, &mut search) {
                Ok(one) => asked.push(one),
                Err(why) => bad.push(BadLine::new(line, why)),
            }
        }
        search.run(&world)?;
        let depths = self.depths(&asked, &search)?;
        let mut found = Found::default();
        for (one, depth) in asked.iter().zip(depths) {
            if let Err(why) = found.add(one, &search, &self.manifest, depth) {
                bad.push(BadLine::new(one.line, why));
            }
        }
        if !bad.is_empty() {
            return Err(asked::refusal(bad, lines.len(), file).into());
        }
        let (pins, text) = found.finish(file);
        self.push_pins(pins, text);
        Ok(())
    }

    fn push_pins(&mut self, pins: Vec<PinRecord>, text: String) {
        let last = self.log.last().map_or(0, |edit| edit.number);
        self.log.push(EditRecord {
            number: last + 1,
            op: EditOp::Pins { pins },
            text,
            size: [0, 0],
            raster: None,
            shares: None,
        });
    }
}

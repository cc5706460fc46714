//! The commit: everything is on disk, then one small file changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::writer::check_field;
use super::{
    CONFIG_TOML, CURRENT, Changed, JOURNAL, LEDGER, RULES_JSON, WORLD_JSON, WorldWriter, collect,
    revision_folder,
};
use crate::manifest::layout::to_lines;
use crate::vrt::{Mosaic, mosaic};
use crate::{Entry, FORMAT_VERSION, Manifest, Stage, StoreError, disk};

/// All that a commit makes current.
#[derive(Debug)]
pub struct Revision {
    /// What readers need.
    pub manifest: Manifest,
    /// What every job read and made.
    pub ledger: Vec<Entry>,
    /// The text of the config.
    pub config: String,
    /// The config as each stage reads it, by the stage's name; its differences explain what a bake does again.
    pub rules: serde_json::Value,
}

impl From<Manifest> for Revision {
    /// A revision that nobody will go on from.
    fn from(manifest: Manifest) -> Self {
        Self {
            manifest,
            ledger: Vec::new(),
            config: String::new(),
            rules: serde_json::Value::Null,
        }
    }
}

/// What a commit did.
#[derive(Debug)]
pub struct Committed {
    /// The revision that is current now.
    pub revision: u64,
    /// Whether it is a new one; not so where the world is as it was.
    pub is_new: bool,
    /// What differs from the revision before; nothing where it is not new.
    pub changed: Changed,
    /// Files that no kept revision names any more, and that were removed.
    pub n_removed: u64,
    /// What went wrong after the commit, when the revision stood already: copies that are stale, files that could not be removed.
    pub warnings: Vec<StoreError>,
}

impl WorldWriter {
    /// Makes `manifest` the current revision, under the next number.
    ///
    /// Where only the revision's number would differ from the current one, that one stays, and at most the copies for people
    /// are brought up to date.
    ///
    /// # Errors
    /// [`StoreError::MissingArtefact`], [`StoreError::DiskFull`] or another error of the system; the world is then as it was.
    pub fn commit(&mut self, revision: impl Into<Revision>) -> Result<Committed, StoreError> {
        let mut revision = revision.into();
        let manifest = &mut revision.manifest;
        manifest
            .fields
            .keys()
            .try_for_each(|name| check_field(name))?;
        manifest.format = FORMAT_VERSION;
        manifest.revision = self.current.as_ref().map_or(0, |current| current.revision);
        if self.current.as_ref() == Some(manifest) {
            return Ok(self.keep(manifest.revision));
        }
        manifest.revision += 1;
        self.settle_artefacts(manifest)?;
        let changed = Changed::between(&self.dir, self.current.as_ref(), manifest)?;
        self.write_revision(&revision, &changed)?;
        let manifest = revision.manifest;

        let number = format!("{}\n", manifest.revision);
        disk::write_whole(&self.dir.join(CURRENT), number.as_bytes(), true)?;
        let mut committed = Committed {
            revision: manifest.revision,
            is_new: true,
            changed,
            n_removed: 0,
            warnings: Vec::new(),
        };
        self.current = Some(manifest);
        match disk::sync_folder(&self.dir) {
            Ok(()) => self.tidy(&mut committed),
            // A power cut may bring the revision before back: leave its files alone.
            Err(error) => committed.warnings.push(error),
        }
        Ok(committed)
    }

    fn keep(&self, revision: u64) -> Committed {
        let mut committed = Committed {
            revision,
            is_new: false,
            changed: Changed {
                from: Some(revision),
                to: revision,
                plants: Some(super::PlantChanges::default()),
                ..Changed::default()
            },
            n_removed: 0,
            warnings: Vec::new(),
        };
        self.tidy(&mut committed);
        committed
    }

    /// Checks that every artefact is there, and that those the current revision does not name would survive a power cut.
    fn settle_artefacts(&self, manifest: &Manifest) -> Result<(), StoreError> {
        let settled: BTreeSet<&str> = self
            .current
            .iter()
            .flat_map(|current| current.artefacts())
            .map(|artefact| artefact.file.as_str())
            .collect();
        let mut folders = BTreeSet::<PathBuf>::new();
        for artefact in manifest.artefacts() {
            let path = self.path(artefact)?;
            let found = std::fs::metadata(&path).map_or(0, |found| found.len());
            if found != artefact.bytes || found == 0 {
                let expected = artefact.bytes;
                return Err(StoreError::MissingArtefact {
                    path,
                    expected,
                    found,
                });
            }
            if !settled.contains(artefact.file.as_str()) {
                disk::sync(&path)?;
                folders.extend(path.parent().map(Path::to_owned));
            }
        }
        if folders
            .iter()
            .any(|folder| folder.starts_with(self.dir.join("fields")))
        {
            folders.insert(self.dir.join("fields"));
        }
        folders
            .iter()
            .try_for_each(|folder| disk::sync_folder(folder))
    }

    /// Writes the revision's folder under a temporary name, and renames it.
    fn write_revision(&self, revision: &Revision, changed: &Changed) -> Result<(), StoreError> {
        let manifest = &revision.manifest;
        let folder = revision_folder(&self.dir, manifest.revision);
        let unfinished = disk::temporary(&folder);
        let write = || {
            // Left by a writer that was killed before its commit.
            disk::remove_folder(&unfinished)?;
            disk::remove_folder(&folder)?;
            disk::create_folder(&unfinished)?;
            let file =
                |name: &str, bytes: &[u8]| disk::write_whole(&unfinished.join(name), bytes, true);
            for stage in manifest.raster_stages() {
                file(
                    &mosaic_name(&stage),
                    mosaic_of(manifest, &stage, "../../").as_bytes(),
                )?;
            }
            let mut ledger = Vec::new();
            revision
                .ledger
                .iter()
                .for_each(|entry| entry.put_line(&mut ledger));
            file(LEDGER, &ledger)?;
            file(CONFIG_TOML, revision.config.as_bytes())?;
            file(RULES_JSON, &to_lines(&revision.rules))?;
            file("changed.json", &to_lines(changed))?;
            file(WORLD_JSON, &manifest.to_json())?;
            disk::sync_folder(&unfinished)?;
            disk::rename(&unfinished, &folder)?;
            disk::sync_folder_of(&folder)
        };
        let written = write();
        if written.is_err() {
            // Best effort: the error that matters is the first, and the next writer sweeps too.
            let _ = std::fs::remove_dir_all(&unfinished);
        }
        written
    }

    /// What follows a commit and may fail without harm.
    fn tidy(&self, committed: &mut Committed) {
        let warnings = &mut committed.warnings;
        warnings.extend(disk::remove(&self.dir.join(JOURNAL)).err());
        warnings.extend(self.refresh_copies().err());
        match collect::collect(&self.dir, committed.revision) {
            Ok(n_removed) => committed.n_removed = n_removed,
            Err(error) => warnings.push(error),
        }
    }

    /// Brings the copies for people up to date.
    fn refresh_copies(&self) -> Result<(), StoreError> {
        let Some(manifest) = &self.current else {
            return Ok(());
        };
        for stage in [Stage::Weights, Stage::Sdf] {
            let text = mosaic_of(manifest, &stage, "");
            write_if_stale(&self.dir.join(mosaic_name(&stage)), text.as_bytes())?;
        }
        write_if_stale(&self.dir.join(WORLD_JSON), &manifest.to_json())
    }
}

fn write_if_stale(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    match disk::read(path) {
        Ok(Some(found)) if found == bytes => Ok(()),
        _ => disk::write_whole(path, bytes, false),
    }
}

fn mosaic_name(stage: &Stage) -> String {
    match stage {
        Stage::Field(name) => format!("{name}.vrt"),
        stage => format!("{}.vrt", stage.folder()),
    }
}

/// The mosaic of a raster stage, for a folder from which `prefix` leads to the world directory.
fn mosaic_of(manifest: &Manifest, stage: &Stage, prefix: &str) -> String {
    let (Some((data_type, header)), Some(tiles)) = (manifest.raster(stage), manifest.tiles(stage))
    else {
        return String::new();
    };
    let grid = manifest.grid.tiles();
    let sources = tiles.iter().map(|tile| {
        let id = ecotone_grid::TileId {
            x: tile.x as u32,
            y: tile.y as u32,
        };
        (grid.rect(id), tile.file.as_str())
    });
    let frame = Mosaic {
        map: grid.map(),
        header: &header,
        data_type,
        prefix,
    };
    mosaic(&frame, sources)
}

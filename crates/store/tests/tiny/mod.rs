//! A bake of a tiny world: two tiles and a chunk whose content is made up, and jobs that are taken over where they are known.

#![allow(dead_code)]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use ecotone_grid::{GeoKeys, GeoTransform, PixelSize, TileGrid};
use ecotone_store::*;

/// What a world is made from; equal ones give equal worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Content of the two tiles.
    pub tiles: [u8; 2],
    /// Size of the only plant.
    pub plant: u16,
}

impl Target {
    pub fn of(n: u64) -> Self {
        Self {
            tiles: [(n % 5) as u8, (n / 5 % 5) as u8],
            plant: (n / 25 % 5) as u16,
        }
    }

    /// The text of its config.
    pub fn config(&self) -> String {
        format!("# {self:?}\n")
    }
}

fn manifest(target: &Target) -> Manifest {
    let transform = GeoTransform {
        x0: 0.0,
        y0: 0.0,
        pixel: PixelSize { x: 1.0, y: 1.0 },
    };
    let field = FieldRecord {
        bands: vec!["slope".into()],
        scales: vec![],
        tiles: vec![],
    };
    Manifest {
        format: 0,
        revision: 0,
        program: "ecotone test".into(),
        grid: GridRecord::new(TileGrid::new(8, 4, 4), &transform, &GeoKeys::default()),
        source: None,
        heights: vec![],
        patches: vec![],
        edits: vec![],
        config: ConfigRecord {
            path: "world.toml".into(),
            digest: content_digest(target.config().as_bytes()),
        },
        strata: vec!["meadow".into()],
        edges: EdgesRecord {
            threshold: 0.5,
            max_distance: 64.0,
            scale: 64.0 / 32767.0,
            nodata: SDF_VOID,
        },
        species: vec![SpeciesRecord {
            name: "oak".into(),
            size_step: 0.01,
            variants: vec![],
            spacing: 4.0,
            footprint: 1.0,
        }],
        chunk_size: 64 * 1024,
        compression: Compression::None,
        weights: vec![],
        sdf: vec![],
        fields: [("slope".to_owned(), field)].into(),
        chunks: vec![],
    }
}

/// A job and the files it makes.
type Job = (JobKey, Vec<(Stage, Vec<u8>)>);

fn jobs(target: &Target) -> Vec<Job> {
    let key = |kind, x| JobKey { kind, x, y: 0 };
    let mut jobs = Vec::new();
    for (x, content) in [0, 1].into_iter().zip(target.tiles) {
        let weights = (Stage::Weights, vec![content; 9]);
        let slope = (Stage::Field("slope".into()), vec![content; 5]);
        jobs.push((key(JobKind::Strata, x), vec![weights, slope]));
    }
    for (x, content) in [0, 1].into_iter().zip(target.tiles) {
        jobs.push((key(JobKind::Sdf, x), vec![(Stage::Sdf, vec![content; 7])]));
    }
    let oak = ChunkSpecies {
        name: "oak".into(),
        size_step: 0.01,
        variants: vec![],
        plants: vec![PlantRecord {
            x: 3,
            y: 4,
            size: target.plant,
            ..PlantRecord::default()
        }],
    };
    let chunk = Chunk {
        x: 0,
        y: 0,
        size: 64 * 1024,
        species: vec![oak],
    };
    let bytes = encode(&chunk).unwrap();
    jobs.push((key(JobKind::Plants, 0), vec![(Stage::Vegetation, bytes)]));
    jobs
}

/// The fingerprints that a finished world's ledger holds.
pub fn fingerprints(target: &Target) -> Vec<(JobKey, Fingerprint)> {
    let jobs = jobs(target).into_iter();
    jobs.map(|(job, files)| (job, fingerprint(&files)))
        .collect()
}

fn fingerprint(files: &[(Stage, Vec<u8>)]) -> Fingerprint {
    Fingerprint {
        rules: Digest::default(),
        reads: Digest::of(&files[0].1),
    }
}

/// A bake that is under way.
pub struct Bake {
    pub writer: WorldWriter,
    target: Target,
    known: Vec<Entry>,
    done: Vec<Entry>,
    /// Entries that were noted, in order.
    pub noted: Vec<Entry>,
}

impl Bake {
    pub fn open(disk: Arc<dyn Disk>, dir: &Path, target: Target) -> Result<Self, StoreError> {
        let mut writer = WorldWriter::open_on(disk, dir)?;
        let known = writer.known(true)?;
        Ok(Self {
            writer,
            target,
            known,
            done: Vec::new(),
            noted: Vec::new(),
        })
    }

    /// Does the next job, or takes it over; not so where all are done.
    pub fn step(&mut self) -> Result<bool, StoreError> {
        let Some((job, files)) = jobs(&self.target).into_iter().nth(self.done.len()) else {
            return Ok(false);
        };
        let fingerprint = fingerprint(&files);
        let is_it = |known: &&Entry| known.job == job && known.fingerprint == fingerprint;
        if let Some(known) = self.known.iter().find(is_it) {
            self.done.push(known.clone());
            return Ok(true);
        }
        let mut entry = Entry {
            job,
            fingerprint,
            sight: Digest::default(),
            files: vec![],
            plants: vec![],
            facts: KeptFacts::default(),
            cpu_us: 1,
        };
        for (stage, bytes) in files {
            let artefact = self.writer.put(&stage, job.x, job.y, &bytes)?;
            entry.files.push((stage, artefact));
        }
        self.writer.note(&entry)?;
        self.noted.push(entry.clone());
        self.done.push(entry);
        Ok(true)
    }

    /// Commits, with another sight of the inputs.
    pub fn commit(&mut self, sight: u8) -> Result<Committed, StoreError> {
        while self.step()? {}
        let mut manifest = manifest(&self.target);
        for (stage, artefact) in self.done.iter().flat_map(|entry| &entry.files) {
            let artefact = artefact.clone();
            match stage {
                Stage::Weights => manifest.weights.push(artefact),
                Stage::Sdf => manifest.sdf.push(artefact),
                Stage::Field(name) => manifest.fields.get_mut(name).unwrap().tiles.push(artefact),
                _ => manifest.chunks.push(ChunkArtefact {
                    artefact,
                    plants: vec![1],
                }),
            }
        }
        let mut ledger = self.done.clone();
        for entry in &mut ledger {
            entry.sight = Digest::of(&[sight]);
        }
        self.writer.commit(Revision {
            manifest,
            ledger,
            config: self.target.config(),
            rules: serde_json::json!({ "strata": self.target.tiles }),
        })
    }
}

/// A whole bake.
pub fn bake(disk: Arc<dyn Disk>, dir: &Path, target: Target) -> Result<Committed, StoreError> {
    Bake::open(disk, dir, target)?.commit(0)
}

/// Checks that a world is the one of a target, with every file it names.
#[track_caller]
pub fn check_world(disk: &Arc<dyn Disk>, dir: &Path, targets: &[Target]) -> Target {
    let world = World::open_on(disk.clone(), dir).unwrap();
    world.check_books().unwrap();
    for artefact in world.manifest().artefacts() {
        world.read_verified(artefact).unwrap();
    }
    let config = world.config().unwrap();
    let is_it = |target: &&Target| target.config() == config;
    let target = targets.iter().find(is_it).expect("the world of a target");
    let digests = |files: Vec<Vec<u8>>| -> BTreeSet<String> {
        files.iter().map(|bytes| content_digest(bytes)).collect()
    };
    let expected = jobs(target).into_iter().flat_map(|(_, files)| files);
    let expected = digests(expected.map(|(_, bytes)| bytes).collect());
    let found = world.manifest().artefacts().map(|a| a.digest.clone());
    assert_eq!(found.collect::<BTreeSet<_>>(), expected);
    let ledger = world.ledger().unwrap();
    let ledger: Vec<_> = ledger.iter().map(|e| (e.job, e.fingerprint)).collect();
    assert_eq!(ledger, fingerprints(target));
    *target
}

/// Every file under a folder, by its path under it.
fn files_under(disk: &dyn Disk, dir: &Path, under: &str, out: &mut BTreeSet<String>) {
    for name in disk.list(&dir.join(under)).unwrap() {
        let file = if under.is_empty() {
            name
        } else {
            format!("{under}/{name}")
        };
        match disk.stat(&dir.join(&file)).unwrap() {
            Stat::Folder => files_under(disk, dir, &file, out),
            Stat::File(_) => {
                out.insert(file);
            }
        }
    }
}

/// Checks that nothing is there but what the kept revisions need.
#[track_caller]
pub fn check_no_strays(disk: &Arc<dyn Disk>, dir: &Path) {
    let mut found = BTreeSet::new();
    files_under(&**disk, dir, "", &mut found);
    let mut expected = BTreeSet::from(
        ["current", "lock", "world.json", "weights.vrt", "sdf.vrt"].map(str::to_owned),
    );
    let revisions = disk.list(&dir.join("rev")).unwrap();
    assert!(revisions.len() <= 2, "{revisions:?}");
    for revision in revisions {
        let folder = format!("rev/{revision}");
        for name in [
            "sums",
            "ledger",
            "world.json",
            "changed.json",
            "config.toml",
            "rules.json",
            "weights.vrt",
            "sdf.vrt",
            "slope.vrt",
        ] {
            expected.insert(format!("{folder}/{name}"));
        }
        let text = disk.read(&dir.join(folder).join("world.json")).unwrap();
        let manifest: Manifest = serde_json::from_slice(&text).unwrap();
        expected.extend(manifest.artefacts().map(|artefact| artefact.file.clone()));
    }
    assert_eq!(found, expected);
}

//! Pictures of plants on the demo's terrain and on real ground.

use std::path::{Path, PathBuf};

use ecotone_interchange::{Layer, Picture, Preview, draw};

use crate::worlds::Place;

/// A picture of a world.
pub struct Shot {
    /// The picture's file and its title.
    pub file: &'static str,
    pub title: &'static str,
    /// What there is to see.
    pub says: &'static str,
    /// The lines of the config that make it; none where a file of `configs` is shown whole.
    pub rules: &'static str,
    ground: Ground,
    /// West, south, east and north in world metres.
    region: Option<[f64; 4]>,
    /// Pixels along the longer side of the ground.
    size_px: u32,
}

/// Where a world lies.
#[derive(Clone, Copy)]
enum Ground {
    /// The strata of `ecotone demo`, 1024 m a side.
    Demo,
    /// The terrain and the strata of a file of `configs`.
    Config(&'static str),
}

/// All of them.
pub const SHOTS: [Shot; 7] = [
    Shot {
        file: "edge.png",
        title: "edge gradation",
        says: "Spruces on a meadow among scree: at its edge a tenth of them stand, and these are a third as tall as those 30 m inside.",
        rules: r#"[[species]]
name = "spruce"
strata = { meadow = 1.0 }
density = 700
spacing = 2.6
footprint = 1.3
size = [0.9, 1.3]
edge = { falloff = 30, density = 0.1, size = [0.25, 0.45] }"#,
        ground: Ground::Demo,
        region: Some([500_720.0, 5_199_440.0, 500_940.0, 5_199_660.0]),
        size_px: 440,
    },
    Shot {
        file: "road.png",
        title: "off the road",
        says: "Junipers keep 3 m clear of the road and spruces 12 m, whatever the ground is.",
        rules: r#"[[species]]
name = "spruce"
strata = { meadow = 1.0, scree = 1.0, rock = 1.0 }
spacing = 4.5
footprint = 1.5
priority = 1
distance = [{ stratum = "road", band = [12, 1000], blend = 4 }]
[[species]]
name = "juniper"
strata = { meadow = 1.0, scree = 1.0, rock = 1.0 }
spacing = 2
footprint = 0.6
distance = [{ stratum = "road", band = [3, 14], blend = 2 }]"#,
        ground: Ground::Demo,
        region: Some([500_250.0, 5_199_640.0, 500_430.0, 5_199_820.0]),
        size_px: 440,
    },
    Shot {
        file: "competition.png",
        title: "competition",
        says: "Spruces take their ground first, birches what they leave, and heather what is left of that: no footprint, of 2, 1 and 0.5 m, lies in another. Crowns are drawn a quarter wider.",
        rules: r#"[[species]]
name = "spruce"
strata = { meadow = 1.0 }
density = 120
spacing = 5
footprint = 2
priority = 2
[[species]]
name = "birch"
strata = { meadow = 1.0 }
density = 500
spacing = 2.4
footprint = 1
priority = 1
[[species]]
name = "heather"
strata = { meadow = 1.0 }
density = 3000
spacing = 1
footprint = 0.5"#,
        ground: Ground::Demo,
        region: Some([500_850.0, 5_199_020.0, 500_930.0, 5_199_100.0]),
        size_px: 440,
    },
    Shot {
        file: "clusters.png",
        title: "clusters",
        says: "Patches of birch, about 50 m from one to the next, cover three tenths of the meadow and fade out over their rims.",
        rules: r#"[[species]]
name = "birch"
strata = { meadow = 1.0 }
spacing = 3
footprint = 1.2
clusters = { wavelength = 50, coverage = 0.3, softness = 0.15 }"#,
        ground: Ground::Demo,
        region: Some([500_620.0, 5_198_990.0, 500_920.0, 5_199_290.0]),
        size_px: 440,
    },
    Shot {
        file: "aspect.png",
        title: "aspect",
        says: "Real ground, the shapes of the Jacksboro fault at a twentieth of their size: hemlocks on slopes that face the north, larches on those that face the south.",
        rules: r#"[[species]]
name = "hemlock"
strata = { hillside = 1.0, bluff = 1.0, ridge = 1.0 }
density = 380
spacing = 4
footprint = 1.6
aspect = { band = [285, 75], blend = 50 }
[[species]]
name = "larch"
strata = { hillside = 1.0, bluff = 1.0, ridge = 1.0 }
density = 380
spacing = 4
footprint = 1.6
aspect = { band = [105, 255], blend = 50 }"#,
        ground: Ground::Config("biomes.toml"),
        region: Some([580.0, -600.0, 900.0, -280.0]),
        size_px: 440,
    },
    Shot {
        file: "biomes.png",
        title: "biomes",
        says: "configs/biomes.toml: asters and tulip poplars in the bottomland, oaks and beeches in the coves, spruces and pines on the high ground; a trail that trees keep clear of.",
        rules: "",
        ground: Ground::Config("biomes.toml"),
        region: Some([720.0, -840.0, 1160.0, -400.0]),
        size_px: 440,
    },
    Shot {
        file: "jacksboro.png",
        title: "Jacksboro fault",
        says: "configs/jacksboro.toml: ridges and valleys in Tennessee at their true size. Oaks are fewer and smaller towards the ends of their hillsides, hemlocks keep within 250 m of the coves.",
        rules: "",
        ground: Ground::Config("jacksboro.toml"),
        region: Some([16_000.0, -15_000.0, 17_600.0, -13_400.0]),
        size_px: 440,
    },
];

/// A folder with the demo and worlds beside it.
pub struct Studio {
    place: Place,
}

impl Studio {
    pub fn new() -> Self {
        let place = Place::new();
        ecotone_cli::demo::write(&place.path("demo"), 1024, 7, &mut |_, _| true).unwrap();
        Self { place }
    }

    /// Bakes a shot's world and draws it.
    pub fn draw(&self, shot: &Shot) -> Picture {
        let (config, folder) = self.config(shot);
        let world = self.place.bake(&config, &folder, shot.title);
        let preview = Preview {
            region: shot.region,
            layer: Layer::Terrain,
            size_px: shot.size_px,
        };
        draw(&world, &preview).unwrap()
    }

    /// A shot's config, and the folder from which it names files.
    fn config(&self, shot: &Shot) -> (String, PathBuf) {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let (folder, name, end) = match shot.ground {
            Ground::Demo => (self.place.path("demo"), "world.toml", "\n# Species\n"),
            Ground::Config(name) => (configs, name, "\n# ---- Where which species"),
        };
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        if shot.rules.is_empty() {
            return (text, folder);
        }
        // The ground of the config, and species of the shot's own.
        let ground = text.split(end).next().unwrap_or_default();
        let ground = ground.replace("include = ", "# ");
        (format!("{ground}\n{}\n", shot.rules), folder)
    }
}

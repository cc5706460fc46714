//! Pictures: what they show, and what they refuse.

#![allow(clippy::unwrap_used)]

mod fake;

use std::path::Path;

use ecotone_interchange::{Finished, InterchangeError, Layer, Picture, Preview, draw};
use fake::{SMALL, Shape};

fn world(dir: &Path, shape: Shape) -> Finished {
    let dir = dir.join("world");
    fake::write(&dir, shape, &fake::whole(shape));
    Finished::open(&dir).unwrap()
}

fn picture(world: &Finished, layer: &str, region: Option<[f64; 4]>, size_px: u32) -> Picture {
    let layer: Layer = layer.parse().unwrap();
    draw(
        world,
        &Preview {
            region,
            layer,
            size_px,
        },
    )
    .unwrap()
}

const LAYERS: [&str; 4] = ["terrain", "slope", "weights:meadow", "sdf:road"];

/// For people: writes the pictures of a larger world to the folder that `GALLERY` names.
#[test]
fn a_gallery_can_be_drawn() {
    let Some(gallery) = std::env::var_os("GALLERY") else {
        return;
    };
    let gallery = Path::new(&gallery);
    let temp = tempfile::tempdir().unwrap();
    let shape = Shape {
        width: 512,
        height: 400,
        tile: 128,
        chunk_m: 128,
        pixel: 1.0,
        plants: true,
    };
    let world = world(temp.path(), shape);
    for layer in LAYERS {
        let name = layer.replace(':', "_");
        picture(&world, layer, None, 1200)
            .write_png(&gallery.join(format!("{name}.png")))
            .unwrap();
        let region = Some([60.0, 1800.0, 140.0, 1860.0]);
        picture(&world, layer, region, 1000)
            .write_png(&gallery.join(format!("{name}_near.png")))
            .unwrap();
        picture(&world, layer, None, 300)
            .write_png(&gallery.join(format!("{name}_small.png")))
            .unwrap();
    }
}

#[test]
fn worlds_of_a_line_or_a_pixel_are_drawn() {
    for (width, height) in [(1, 1), (1, 500), (500, 1)] {
        let temp = tempfile::tempdir().unwrap();
        let world = world(
            temp.path(),
            Shape {
                width,
                height,
                ..SMALL
            },
        );
        for layer in LAYERS {
            for size_px in [16, 300] {
                let drawn = picture(&world, layer, None, size_px);
                assert_eq!(
                    drawn.rgb.len(),
                    (drawn.width * drawn.height * 3) as usize,
                    "{layer}"
                );
            }
        }
    }
}

#[test]
fn a_region_off_the_map_says_where_the_map_is() {
    let temp = tempfile::tempdir().unwrap();
    let world = world(temp.path(), SMALL);
    let off = [
        [500.0, 1900.0, 600.0, 2000.0],
        [0.0, 1900.0, 0.0, 2000.0],
        [f64::NAN, 0.0, 1.0, 1.0],
    ];
    for region in off {
        let preview = Preview {
            region: Some(region),
            layer: Layer::Terrain,
            size_px: 100,
        };
        let error = draw(&world, &preview).unwrap_err();
        assert!(
            matches!(error, InterchangeError::RegionOffMap { .. }),
            "{error}"
        );
        assert!(
            error.to_string().contains("[-100.0, 1900.0, 40.0, 2000.0]"),
            "{error}"
        );
    }
    for size_px in [0, 15, u32::MAX] {
        let preview = Preview {
            region: None,
            layer: Layer::Terrain,
            size_px,
        };
        let error = draw(&world, &preview).unwrap_err();
        assert!(
            matches!(error, InterchangeError::PictureSize { .. }),
            "{error}"
        );
    }
}

#[test]
fn an_unknown_layer_is_told_the_known_ones() {
    let error = "wheights".parse::<Layer>().unwrap_err().to_string();
    assert!(
        error.contains("terrain, slope, weights:NAME, sdf:NAME"),
        "{error}"
    );
    let temp = tempfile::tempdir().unwrap();
    let world = world(temp.path(), SMALL);
    let preview = Preview {
        region: None,
        layer: "sdf:lava".parse().unwrap(),
        size_px: 100,
    };
    let error = draw(&world, &preview).unwrap_err().to_string();
    assert!(
        error.contains("no layer sdf:lava") && error.contains("sdf:rock"),
        "{error}"
    );
}

#[test]
fn plants_show_where_they_stand_and_nowhere_else() {
    let (temp, bare_temp) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut whole = fake::whole(Shape {
        plants: false,
        ..SMALL
    });
    let bare = bare_temp.path().join("world");
    fake::write(&bare, SMALL, &whole);
    // In the middle of the map, 2 m from the border of a chunk, with a crown of 1.5 m.
    let middle = [-34.0, 1950.0].map(|m: f64| (m * 1024.0) as i64);
    whole.plants[0] = vec![ecotone_store::PlantRecord {
        x: middle[0],
        y: middle[1],
        size: 32768,
        ..Default::default()
    }];
    let dir = temp.path().join("world");
    fake::write(&dir, SMALL, &whole);
    for size_px in [70, 1400] {
        let [with, without] = [&dir, &bare]
            .map(|dir| picture(&Finished::open(dir).unwrap(), "terrain", None, size_px));
        let scale = 140.0 / f64::from(size_px);
        let pixel = |picture: &Picture, x: u32, y: u32| {
            let at = (y * picture.width + x) as usize * 3;
            picture.rgb[at..at + 3].to_vec()
        };
        // The legends differ too, but they stand to the right of the ground.
        let ground = (0..size_px).flat_map(|x| (0..without.height).map(move |y| (x, y)));
        let differing: Vec<[f64; 2]> = ground
            .filter(|&(x, y)| pixel(&with, x, y) != pixel(&without, x, y))
            .map(|(x, y)| [f64::from(x), f64::from(y)])
            .collect();
        assert!(!differing.is_empty(), "{size_px}");
        // Whatever the frame adds to the left and above, the spread is that of a crown and its shadow.
        let spread = |k: usize| {
            let values = differing.iter().map(|p| p[k]);
            values.clone().fold(0.0, f64::max) - values.fold(f64::MAX, f64::min)
        };
        // From afar a lone plant is a tint, spread over at most 32 pixels twice.
        let most = if size_px == 70 { 66.0 * scale } else { 5.0 };
        assert!(
            spread(0) * scale < most && spread(1) * scale < most,
            "{size_px}: {} {}",
            spread(0),
            spread(1)
        );
    }
}

#[test]
fn a_picture_does_not_show_how_the_world_is_cut() {
    let shapes = [
        SMALL,
        Shape {
            tile: 7,
            chunk_m: 30,
            ..SMALL
        },
    ];
    let temps = shapes.map(|_| tempfile::tempdir().unwrap());
    let worlds: Vec<Finished> = shapes
        .iter()
        .zip(&temps)
        .map(|(&shape, temp)| world(temp.path(), shape))
        .collect();
    for layer in LAYERS {
        for size_px in [60, 500] {
            let [a, b] = [0, 1].map(|k| picture(&worlds[k], layer, None, size_px));
            assert!(a == b, "{layer} at {size_px}");
        }
    }
}

#[test]
fn without_its_heights_a_world_still_shows_its_weights() {
    let temp = tempfile::tempdir().unwrap();
    let world = world(temp.path(), SMALL);
    std::fs::remove_file(temp.path().join("world.heights.tif")).unwrap();
    picture(&world, "weights:rock", None, 100);
    let preview = Preview {
        region: None,
        layer: Layer::Terrain,
        size_px: 100,
    };
    let error = draw(&world, &preview).unwrap_err();
    assert!(
        error.to_string().contains("world.heights.tif is gone"),
        "{error}"
    );
}

#[test]
fn a_png_is_written_whole() {
    let temp = tempfile::tempdir().unwrap();
    let drawn = Picture {
        width: 2,
        height: 1,
        rgb: vec![1, 2, 3, 4, 5, 6],
    };
    let path = temp.path().join("a.png");
    drawn.write_png(&path).unwrap();
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()))
            .read_info()
            .unwrap();
    let mut rgb = vec![0; 6];
    reader.next_frame(&mut rgb).unwrap();
    assert_eq!(rgb, drawn.rgb);
    assert_eq!(
        std::fs::read_dir(temp.path()).unwrap().count(),
        1,
        "no temporary file stays"
    );
    drawn
        .write_png(&temp.path().join("no/such/folder.png"))
        .unwrap_err();
}

//! Fields pixel by pixel, against whole rasters.

use ecotone_grid::{Raster, Rect};
use ecotone_interchange::Finished;

use super::support::{Place, config_text};
use super::{SIZE, compare, open, raised, world};

/// A band of the whole map: a value for each pixel, NaN for a void.
type Band = (String, String, Vec<f64>);

fn whole_bands(world: &Finished) -> Vec<Band> {
    let (map, manifest) = (world.map(), world.manifest());
    let (mut weights, mut sdf) = (Raster::default(), Raster::default());
    world.weights(map, &mut weights).unwrap();
    world.sdf(map, &mut sdf).unwrap();
    let scale = manifest.edges.scale;
    let mut bands = Vec::new();
    for (idx, name) in manifest.strata.iter().enumerate() {
        let weights = weights.band(idx).pixels().iter();
        let shares = weights.map(|&v| f64::from(v) / 255.0).collect();
        bands.push(("weights".to_owned(), name.clone(), shares));
    }
    for (idx, name) in manifest.strata.iter().enumerate() {
        let metres = sdf.band(idx).pixels().iter().map(|&v| match v {
            i16::MIN => f64::NAN,
            steps => f64::from(steps) * scale,
        });
        bands.push(("sdf".to_owned(), name.clone(), metres.collect()));
    }
    for (field, record) in &manifest.fields {
        for (idx, name) in record.bands.iter().enumerate() {
            let mut values = Raster::default();
            assert!(world.field(field, idx, map, &mut values).unwrap());
            let values = values.pixels().iter().map(|&v| f64::from(v)).collect();
            bands.push((format!("fields/{field}"), name.clone(), values));
        }
    }
    bands
}

/// Pixels that differ, those void in one of the two, the greatest change, and the rectangle.
fn brute(old: &[f64], new: &[f64]) -> (u64, u64, f64, Rect) {
    let (mut n, mut n_void, mut greatest) = (0, 0, 0.0_f64);
    let mut rect = Rect::new(i64::MAX, i64::MAX, i64::MIN, i64::MIN);
    for (idx, (a, b)) in old.iter().zip(new).enumerate() {
        if a == b || a.is_nan() && b.is_nan() {
            continue;
        }
        let (x, y) = ((idx % SIZE.0) as i64, (idx / SIZE.0) as i64);
        rect = Rect::new(
            rect.x0.min(x),
            rect.y0.min(y),
            rect.x1.max(x + 1),
            rect.y1.max(y + 1),
        );
        n += 1;
        if a.is_nan() || b.is_nan() {
            n_void += 1;
        } else {
            greatest = greatest.max((a - b).abs());
        }
    }
    (n, n_void, greatest, rect)
}

#[track_caller]
fn check_fields(place: &Place, old: &str, new: &str) -> usize {
    let (found, _) = compare(place, old, new);
    let (old, new) = (open(place, old), open(place, new));
    let mut n_bands = 0;
    for (stage, name, after) in whole_bands(&new) {
        let before = whole_bands(&old)
            .into_iter()
            .find(|band| (&band.0, &band.1) == (&stage, &name));
        let (n, n_void, greatest, rect) = brute(&before.unwrap().2, &after);
        let band = found
            .fields
            .bands
            .iter()
            .find(|b| b.stage == stage && b.band == name);
        let Some(band) = band else {
            assert_eq!(n, 0, "{stage} {name}");
            continue;
        };
        n_bands += 1;
        assert_eq!(
            (band.n_pixels, band.n_void, band.bounds),
            (n, n_void, rect),
            "{stage} {name}"
        );
        let Some(most) = band.greatest else {
            assert_eq!(n, n_void, "{stage} {name}");
            continue;
        };
        assert_eq!(most.amount(), greatest, "{stage} {name}");
        let [x, y] = most.pixel;
        let idx = y as usize * SIZE.0 + x as usize;
        assert_eq!(most.new, after[idx]);
        // Pixels of 1 m, the north-west corner at (1000, 2000).
        assert_eq!(most.place, [1000.5 + x as f64, 1999.5 - y as f64]);
    }
    assert_eq!(n_bands, found.fields.bands.len());
    n_bands
}

#[test]
fn pixels_that_differ_are_counted_and_placed_however_the_worlds_are_tiled() {
    let place = world();
    let slope = "[output]\nfields = [\"slope\"]";
    let with_slope = |text: String| text.replace("[output]", slope);
    place
        .bake(&with_slope(config_text(64, 60.0)), 2, "old")
        .unwrap();
    for (idx, tile) in [64, 50, 200].iter().enumerate() {
        let name = format!("new{idx}");
        place
            .bake(&with_slope(raised(*tile, 60.0)), 2, &name)
            .unwrap();
        assert!(check_fields(&place, "old", &name) >= 5);
    }
}

#[test]
fn bands_are_matched_by_name_and_those_of_one_world_are_named() {
    let place = world();
    let other = config_text(64, 60.0)
        .replace("name = \"road\"", "name = \"path\"")
        .replace("stratum = \"road\"", "stratum = \"path\"");
    place.bake(&other, 2, "new").unwrap();
    let (found, rows) = compare(&place, "old", "new");
    let named = |name: &str| ["weights", "sdf"].map(|stage| (stage.to_owned(), name.to_owned()));
    assert_eq!(found.fields.removed, named("road"));
    assert_eq!(found.fields.added, named("path"));
    assert!(found.fields.bands.is_empty() && rows.is_empty());
    assert!(!found.is_empty());
}

#[test]
fn distances_stored_in_other_steps_differ_where_the_bound_shows_alone() {
    let place = world();
    let wider = config_text(64, 60.0).replace("max_distance = 24.0", "max_distance = 70.0");
    place.bake(&wider, 2, "new").unwrap();
    let (found, _) = compare(&place, "old", "new");
    assert!(found.fields.bands.iter().all(|band| band.stage == "sdf"));
    for (stage, name, after) in whole_bands(&open(&place, "new")) {
        let band = found.fields.bands.iter();
        let n = band.filter(|b| b.stage == stage && b.band == name);
        let n: u64 = n.map(|band| band.n_pixels).sum();
        // Steps of 1 mm and of 70 m / 32767: nothing between 24 m and 24.002 m can be told from 24 m.
        let beyond = |metres: f64| after.iter().filter(|d| d.abs() > metres).count() as u64;
        if stage == "sdf" {
            assert!(
                n > 0 && (beyond(24.004)..=beyond(24.0)).contains(&n),
                "{name}: {n}"
            );
        }
    }
}

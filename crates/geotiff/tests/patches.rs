//! Patches over a map, against a slow twin.

#![allow(clippy::unwrap_used)]

mod folder;

use std::path::Path;

use ecotone_geotiff::{Alpha, Options, Patch, PatchMode, Patched};
use ecotone_grid::{Raster, Rect};
use folder::writer::{Tiff, Value};
use folder::{Folder, bits, cache, ground};

/// A patch of a test.
struct Layer {
    name: &'static str,
    at: (i64, i64),
    size: (usize, usize),
    mode: PatchMode,
    alpha: Alpha<&'static str>,
}

/// Void in one corner.
fn patch_height(x: usize, y: usize) -> f64 {
    if x < 2 && y < 2 {
        -1.0
    } else {
        ((x * 7 + y * 13) % 23) as f64 + 0.125
    }
}

#[test]
fn patches_equal_a_slow_twin_in_any_window() {
    let folder = Folder::new();
    let base_height = |x: usize, y: usize| {
        if (x + y).is_multiple_of(6) {
            -1.0
        } else {
            ground(x, y)
        }
    };
    let placed = |(width, height), (x, y): (i64, i64)| {
        Tiff::new(width, height, (3, 32))
            .placed((2.0, 2.0), (500.0 + 2.0 * x as f64, 900.0 - 2.0 * y as f64))
            .tag(42113, Value::Text("-1"))
    };
    folder.write("base.tif", &placed((20, 15), (0, 0)), base_height);
    let share = |x: usize, y: usize| ((x * 40 + y * 9) % 256) as f64;
    let layers = [
        (
            "a",
            (-3, -2),
            (9, 8),
            PatchMode::Replace,
            Alpha::Everywhere(1.0),
        ),
        (
            "b",
            (4, 4),
            (12, 14),
            PatchMode::Add,
            Alpha::Everywhere(0.3),
        ),
        (
            "c",
            (2, 1),
            (18, 9),
            PatchMode::Max,
            Alpha::Raster("c_alpha.tif"),
        ),
        (
            "d",
            (10, 0),
            (10, 15),
            PatchMode::Min,
            Alpha::Everywhere(0.75),
        ),
        (
            "e",
            (0, 6),
            (20, 5),
            PatchMode::Replace,
            Alpha::Raster("e_alpha.tif"),
        ),
        (
            "f",
            (30, 30),
            (2, 2),
            PatchMode::Add,
            Alpha::Everywhere(1.0),
        ),
    ]
    .map(|(name, at, size, mode, alpha)| Layer {
        name,
        at,
        size,
        mode,
        alpha,
    });
    let base = folder.open(&["base.tif"]).unwrap();
    let mut patches = Vec::new();
    for layer in &layers {
        let name = format!("{}.tif", layer.name);
        folder.write(&name, &placed(layer.size, layer.at), patch_height);
        if let Alpha::Raster(alpha) = layer.alpha {
            let tiff = Tiff::new(layer.size.0, layer.size.1, (1, 8)).tag(42113, Value::Text("7"));
            folder.write(alpha, &tiff, share);
        }
        let path = match layer.alpha {
            Alpha::Raster(alpha) => Some(folder.path(alpha)),
            Alpha::Everywhere(_) => None,
        };
        let alpha = match (&path, &layer.alpha) {
            (Some(path), _) => Alpha::Raster(path.as_path()),
            (None, Alpha::Everywhere(share)) => Alpha::Everywhere(*share),
            (None, Alpha::Raster(_)) => unreachable!(),
        };
        let patch = Patch::open(
            &folder.path(&name),
            &Options::default(),
            layer.mode,
            &alpha,
            &base,
            &cache(),
        )
        .unwrap();
        assert_eq!((patch.rect().x0, patch.rect().y0), layer.at);
        patches.push(patch);
    }
    let map = Patched::new(base, patches);

    let slow = |x: i64, y: i64| {
        if !Rect::new(0, 0, 20, 15).contains(x, y) {
            return f64::NAN;
        }
        let stored = |value: f64| {
            if value == -1.0 {
                f64::NAN
            } else {
                f64::from(value as f32)
            }
        };
        let mut h = stored(base_height(x as usize, y as usize));
        for layer in &layers {
            let (i, j) = (x - layer.at.0, y - layer.at.1);
            let inside = Rect::new(0, 0, layer.size.0 as i64, layer.size.1 as i64).contains(i, j);
            if !inside {
                continue;
            }
            let (i, j) = (i as usize, j as usize);
            let p = stored(patch_height(i, j));
            let a = match layer.alpha {
                Alpha::Everywhere(share) => share,
                Alpha::Raster(_) if share(i, j) == 7.0 => 0.0,
                Alpha::Raster(_) => share(i, j) / 255.0,
            };
            if p.is_nan() || a == 0.0 {
                continue;
            }
            h = match layer.mode {
                PatchMode::Replace if a == 1.0 || h.is_nan() => p,
                PatchMode::Replace => h + a * (p - h),
                _ if h.is_nan() => h,
                PatchMode::Add => h + a * p,
                PatchMode::Max => h + a * (h.max(p) - h),
                PatchMode::Min => h + a * (h.min(p) - h),
            };
        }
        h
    };
    let mut out = Raster::default();
    for rect in [
        Rect::new(0, 0, 20, 15),
        Rect::new(-4, -4, 25, 20),
        Rect::new(3, 3, 4, 9),
        Rect::new(11, 5, 19, 6),
    ] {
        map.read(rect, &mut out).unwrap();
        let expected: Vec<f64> = (rect.y0..rect.y1)
            .flat_map(|y| (rect.x0..rect.x1).map(move |x| (x, y)))
            .map(|(x, y)| slow(x, y))
            .collect();
        assert_eq!(bits(out.pixels()), bits(&expected), "{rect:?}");
    }
}

#[test]
fn a_patch_off_the_grid_is_refused() {
    let folder = Folder::new();
    let tiff = |size: f64, corner| Tiff::new(6, 6, (1, 8)).placed((size, size), corner);
    let zero = |_: usize, _: usize| 0.0;
    folder.write("base.tif", &tiff(1.0, (0.0, 0.0)), zero);
    folder.write("bare.tif", &Tiff::new(6, 6, (1, 8)), zero);
    folder.write("off.tif", &tiff(1.0, (-0.25, 0.0)), zero);
    folder.write("small.tif", &Tiff::new(5, 6, (1, 8)), zero);
    let refusal = |base: &str, patch: &str, alpha: &Alpha<&Path>| {
        let base = folder.open(&[base]).unwrap();
        Patch::open(
            &folder.path(patch),
            &Options::default(),
            PatchMode::Add,
            alpha,
            &base,
            &cache(),
        )
        .err()
        .map(|error| {
            error
                .to_string()
                .replace(&format!("{}/", folder.0.path().display()), "")
        })
    };
    let whole = Alpha::Everywhere(1.0);
    let off = refusal("base.tif", "off.tif", &whole).unwrap();
    assert!(
        off.starts_with("base.tif and off.tif are not on one grid: off.tif lies 0.25 pixels west"),
        "{off}"
    );
    let small = refusal("base.tif", "small.tif", &whole).unwrap();
    assert!(small.contains("small.tif is 5 × 6 pixels"), "{small}");
    let placed = refusal("bare.tif", "off.tif", &whole).unwrap();
    assert!(
        placed.contains("bare.tif does not say where it lies") && placed.contains("-a_ullr"),
        "{placed}"
    );
    assert_eq!(refusal("bare.tif", "bare.tif", &whole), None);
    assert_eq!(refusal("base.tif", "bare.tif", &whole), None);
    let small = folder.path("small.tif");
    let shares = refusal("base.tif", "base.tif", &Alpha::Raster(&small)).unwrap();
    assert!(
        shares.starts_with("small.tif does not lie exactly on its patch base.tif")
            && shares.contains("it is 5 × 6 pixels"),
        "{shares}"
    );
}

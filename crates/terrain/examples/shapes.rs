//! Prints what one core takes to draw roads and a coast over a map of 2048² pixels, in tiles of 512.
#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;
use std::time::Instant;

use ecotone_grid::{PixelSize, Raster, Rect, TileGrid, mix};
use ecotone_terrain::{Canvas, Point, ShapeScratch, Stroke, fill, pixels_near, stroke};

const SIZE: u32 = 2048;
/// As dense as 200,000 over 8192² pixels.
const N_SEGMENTS: u64 = 12_500;
const N_CORNERS: u64 = 125_000;
const PIXEL: PixelSize = PixelSize { x: 1.0, y: 1.0 };

fn unit(seed: u64) -> f64 {
    (mix(seed) >> 11) as f64 / (1_u64 << 53) as f64
}

fn main() {
    let side = f64::from(SIZE);
    let roads: Vec<[Point; 2]> = (0..N_SEGMENTS)
        .map(|k| {
            let (x, y) = (side * unit(3 * k), side * unit(3 * k + 1));
            let turn = TAU * unit(3 * k + 2);
            [[x, y], [x + 15.0 * turn.cos(), y + 15.0 * turn.sin()]]
        })
        .collect();
    let coast: Vec<Point> = (0..=N_CORNERS)
        .map(|k| {
            let k = k % N_CORNERS;
            let turn = TAU * k as f64 / N_CORNERS as f64;
            let r = side * (0.35 + 0.05 * (7.0 * turn).sin()) + 2.0 * unit(k);
            [0.5 * side + r * turn.cos(), 0.5 * side + r * turn.sin()]
        })
        .collect();
    let road = Stroke {
        radius_m: 3.0,
        feather_m: 2.0,
    };
    draw("roads of 12,500 segments", |canvas| {
        let near = pixels(canvas.out.rect(), road.reach_m());
        let near = roads.iter().filter(|ends| touches(&near, &ends[..]));
        stroke(near.map(|ends| &ends[..]), &road, canvas);
    });
    for feather in [0.0, 2.0] {
        draw(
            &format!("coast of 125,000 corners, feather {feather}"),
            |canvas| {
                let mut rows = pixels(canvas.out.rect(), 0.5 * feather);
                rows[0] = f64::NEG_INFINITY;
                let pieces = coast
                    .windows(17)
                    .step_by(16)
                    .filter(|piece| touches(&rows, piece));
                let window = pixels_near([0.0, 0.0, side, side], feather, PIXEL);
                fill(pieces, feather, window, canvas);
            },
        );
    }
}

/// West, north, east and south of some pixels and what lies `reach` beyond.
fn pixels(rect: Rect, reach: f64) -> [f64; 4] {
    let [x0, y0, x1, y1] = [rect.x0, rect.y0, rect.x1, rect.y1].map(|v| v as f64);
    [x0 - reach, y0 - reach, x1 + reach, y1 + reach]
}

fn touches([west, north, east, south]: &[f64; 4], line: &[Point]) -> bool {
    line.iter().any(|p| p[0] <= *east)
        && line.iter().any(|p| p[0] >= *west)
        && line.iter().any(|p| p[1] >= *north)
        && line.iter().any(|p| p[1] <= *south)
}

fn draw(what: &str, mut on: impl FnMut(&mut Canvas<'_>)) {
    let tiles = TileGrid::new(SIZE, SIZE, 512);
    let (mut out, mut scratch) = (Raster::default(), ShapeScratch::default());
    let (mut best, mut covered) = (f64::INFINITY, 0.0);
    for _ in 0..5 {
        let start = Instant::now();
        covered = 0.0;
        for tile in tiles.tiles() {
            out.reset(tiles.rect(tile), 1, 0.0);
            on(&mut Canvas {
                pixel: PIXEL,
                out: &mut out,
                band: 0,
                scratch: &mut scratch,
            });
            covered += out.pixels().iter().map(|&c| f64::from(c)).sum::<f64>();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{what:40} {:6.1} ms, {:5.1} % covered",
        1000.0 * best,
        100.0 * covered / tiles.map().area() as f64
    );
}

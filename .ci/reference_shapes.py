#!/usr/bin/env python3
"""Holds the coverage of GeoJSON masks in baked worlds against distances that shapely measures.

    reference_shapes.py SCRATCH ECOTONE

Two maps of 2048² pixels: winding roads 6 m wide with 2 m of feather, and lakes with islands, in a ring of either
direction, reaching over the map's border. Of the pixels of a world's weight of the drawn stratum at least 99.9 % must be
within 1/255 of the formula, and none off by more than 2/255.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np
import rasterio
import shapely

SCRATCH, ECOTONE = pathlib.Path(sys.argv[1]), sys.argv[2]
SIZE, WEST, NORTH = 2048, 483_200.25, 5_301_999.5
PIXEL = {"roads": (1.0, 1.0), "lakes": (1.25, 0.8)}
ROAD_M, FEATHER_M = 6.0, 2.0


def write_world(name, geometries, keys):
    """A flat map under shapes, in world metres of a metric coordinate system."""
    sx, sy = PIXEL[name]
    transform = rasterio.Affine(sx, 0, WEST, 0, -sy, NORTH)
    with rasterio.open(SCRATCH / f"{name}.tif", "w", driver="GTiff", width=SIZE, height=SIZE, count=1, dtype="float32",
                       crs="EPSG:25832", transform=transform, tiled=True) as out:
        out.write(np.full((SIZE, SIZE), 100, "float32"), 1)
    features = [{"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(g)} for g in geometries]
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25832"}}
    (SCRATCH / f"{name}.geojson").write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    (SCRATCH / f"{name}.toml").write_text(
        f'terrain.heights = ["{name}.tif"]\ntiles.size = 300\n[[stratum]]\nname = "ground"\n'
        f'[[stratum]]\nname = "drawn"\nmask = "{name}.geojson"\n{keys}\n')
    subprocess.run([ECOTONE, "bake", SCRATCH / f"{name}.toml", "--out", SCRATCH / name], check=True)


def outline_distance(outline, points, reach):
    """The distance of each point to a geometry; infinite where it is farther than `reach`."""
    pieces = []
    for line in shapely.get_parts(outline):
        corners = shapely.get_coordinates(line)
        pieces.append(shapely.linestrings(np.stack([corners[:-1], corners[1:]], axis=1)))
    tree = shapely.STRtree(np.concatenate(pieces))
    (found, _), distances = tree.query_nearest(points, max_distance=reach, return_distance=True)
    distance = np.full(len(points), np.inf)
    np.minimum.at(distance, found, distances)
    return distance


def centres(name):
    sx, sy = PIXEL[name]
    j, i = np.mgrid[0:SIZE, 0:SIZE]
    return (WEST + (i + 0.5) * sx).ravel(), (NORTH - (j + 0.5) * sy).ravel()


def compare(name, wanted):
    with rasterio.open(SCRATCH / name / "weights.vrt") as world:
        found = world.read(2).ravel().astype(float)
    off = np.abs(found - 255 * wanted)
    within = np.count_nonzero(off <= 1) / off.size
    soft = np.count_nonzero((wanted > 0) & (wanted < 1)) / off.size
    print(f"{name}: {100 * within:.4f} % within 1/255, worst {off.max():.3f}/255; {100 * soft:.1f} % of pixels on a ramp, "
          f"{100 * np.mean(wanted):.1f} % covered")
    return within >= 0.999 and off.max() <= 2 and soft > 0.01


def roads(rng):
    lines = []
    for _ in range(60):
        bearing = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.25, 200))
        steps = rng.uniform(4, 20, 200)[:, None] * np.column_stack([np.cos(bearing), np.sin(bearing)])
        start = np.array([WEST, NORTH - SIZE]) + rng.uniform(0, SIZE, 2)
        lines.append(shapely.LineString(start + np.cumsum(steps, axis=0)))
    write_world("roads", lines, f"width = {ROAD_M}\nfeather = {FEATHER_M}")
    points = shapely.points(*centres("roads"))
    reach = (ROAD_M + FEATHER_M) / 2
    distance = outline_distance(shapely.MultiLineString(lines), points, reach)
    return np.clip(0.5 + (ROAD_M / 2 - distance) / FEATHER_M, 0, 1)


def lakes(rng):
    sx, sy = PIXEL["lakes"]
    low, high = np.array([WEST - 40, NORTH - SIZE * sy - 40]), np.array([WEST + SIZE * sx + 40, NORTH + 40])

    def blob(centre, radius, direction):
        angle = direction * np.linspace(0, 2 * np.pi, 200, endpoint=False)
        r = radius * (1 + 0.2 * np.sin(3 * angle + rng.uniform(0, 6)) + 0.1 * np.sin(17 * angle))
        return np.asarray(centre) + np.column_stack([r * np.cos(angle), r * np.sin(angle)])

    found = []
    for k in range(80):
        centre, radius, direction = rng.uniform(low, high), rng.uniform(20, 160), 1 if k % 2 else -1
        island = [blob(centre, radius * 0.4, direction)] if k % 3 else []
        found.append(shapely.Polygon(blob(centre, radius, direction), island))
    write_world("lakes", found, f"feather = {FEATHER_M}")
    x, y = centres("lakes")
    points, wanted = shapely.points(x, y), np.zeros(SIZE * SIZE)
    for lake in found:
        shapely.prepare(lake)
        west, south, east, north = lake.bounds
        near = np.flatnonzero((x > west - 3) & (x < east + 3) & (y > south - 3) & (y < north + 3))
        if not near.size:
            continue
        distance = outline_distance(shapely.MultiLineString([lake.exterior, *lake.interiors]), points[near], FEATHER_M)
        signed = np.where(shapely.contains_xy(lake, x[near], y[near]), distance, -distance)
        wanted[near] = np.maximum(wanted[near], np.clip(0.5 + signed / FEATHER_M, 0, 1))
    return wanted


SCRATCH.mkdir(parents=True, exist_ok=True)
good = [compare(make.__name__, make(np.random.default_rng(3))) for make in (roads, lakes)]
sys.exit(0 if all(good) else 1)

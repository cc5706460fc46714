#!/usr/bin/env python3
"""Writes the worlds that .ci/reference bakes: real elevation models and a demo, each with a mask, several strata and species.

    reference_worlds.py DATA TARGET ECOTONE

Between them: pixels of 1 to 30 m, square and not, with and without voids and georeference; bounds of 5 pixels, 64 pixels and
wider than a tile; smoothing of 0 and 8 pixels; tiers, ties, edges, keep-off distances.
"""
import pathlib
import subprocess
import sys

import numpy as np
import rasterio

DATA, TARGET, ECOTONE = sys.argv[1:4]
DATA, TARGET = pathlib.Path(DATA).resolve(), pathlib.Path(TARGET)
TARGET.mkdir(parents=True, exist_ok=True)

STRATA = """
[[stratum]]
name = "meadow"
slope = [0, {s1}]
blend = {blend}
altitude = {{ band = [{a0}, {a2}], blend = {ablend} }}
fallback = true
[[stratum]]
name = "scree"
slope = [{s1}, {s2}]
blend = {blend}
[[stratum]]
name = "rock"
slope = [{s2}, 90]
blend = {blend}
[[stratum]]
name = "road"
mask = "{name}_road.tif"
"""

SPECIES = """
[[species]]
name = "spruce"
strata = {{ meadow = 1.0, scree = 0.4 }}
threshold = 0.4
density = {d1}
spacing = {p1}
footprint = {f1}
priority = 10
size = [0.8, 1.3]
edge = {{ falloff = {fall}, density = 0.2, size = [0.3, 0.6] }}
distance = [{{ stratum = "road", band = [{keep}, 1e9], blend = {kblend} }}]
align = 0.3
variants = {{ spruce_a = 3, spruce_b = 1 }}
[[species]]
name = "pine"
strata = {{ scree = 1.0, rock = 0.6 }}
threshold = 0.3
density = {d2}
spacing = {p2}
footprint = {f2}
priority = 5
size = [0.5, 1.5]
altitude = {{ band = [{a0}, {a2}], blend = {ablend} }}
slope = {{ band = [0, 50], blend = 10 }}
[[species]]
name = "juniper"
strata = {{ meadow = 0.7, scree = 1.0 }}
spacing = {p2}
footprint = {f2}
priority = 5
size = [0.5, 1.5]
edge = {{ stratum = "scree", falloff = {fall}, curve = "linear", density = 0.5, size = [0.2, 0.9] }}
align = 1.0
"""


def road(name, like):
    """A soft diagonal band and a hard one, 8-bit, on the map's grid."""
    with rasterio.open(like) as source:
        profile = source.profile
        height, width = source.height, source.width
    j, i = np.mgrid[0:height, 0:width]
    soft = np.clip(4 - np.abs(i - j * 0.7 - width * 0.1) / 1.5, 0, 1)
    hard = np.abs(j - height // 2) < 2
    mask = np.rint(255 * np.maximum(soft, hard)).astype("uint8")
    profile.update(driver="GTiff", dtype="uint8", count=1, nodata=None, compress="deflate", predictor=1)
    with rasterio.open(TARGET / f"{name}_road.tif", "w", **profile) as out:
        out.write(mask, 1)


def world(name, file, extra, tile, gradient, smoothing, bound, chunk, compression, numbers):
    heights = DATA / "dem" / file
    road(name, heights)
    (TARGET / f"{name}.toml").write_text(
        f'seed = 7\n[terrain]\nheights = ["{heights}"]\n{extra}\n[tiles]\nsize = {tile}\n'
        f'[normals]\ngradient = "{gradient}"\nsmoothing = {smoothing}\n[edges]\nmax_distance = {bound}\n'
        f'[output]\nchunk = {chunk}\ncompression = "{compression}"\nfields = ["slope", "normals"]\n'
        + STRATA.format(name=name, **numbers)
        + SPECIES.format(**numbers)
    )


def bands(s1, s2, blend):
    return dict(s1=s1, s2=s2, blend=blend)


world("bigtujunga", "bigtujunga.tif", "", 256, "horn", 240, 150.0, 2048, "zstd",
      dict(bands(20, 33, 6), a0=300, a2=1700, ablend=200, d1=1, p1=30, f1=12, d2=1, p2=25, f2=8, fall=90, keep=60, kblend=40))
world("lidar", "TM1_564_146_nodata.tif", "", 100, "horn", 8, 64.0, 100, "deflate",
      dict(bands(8, 22, 6), a0=256, a2=300, ablend=10, d1=400, p1=3, f1=1.2, d2=250, p2=2.5, f2=0.8, fall=20, keep=5, kblend=2))
world("coast", "elev.tif", "pixel_size = [6.721808968646656, 6.059025744365499]", 64, "central", 0, 600.0, 512, "none",
      dict(bands(6, 18, 4), a0=2, a2=90, ablend=4, d1=30, p1=10, f1=4, d2=20, p2=8, f2=3, fall=120, keep=20, kblend=10))
world("basin", "square_test_basin.tif", "", 64, "horn", 0, 1920.0, 1000, "zstd",
      dict(bands(4, 9, 3), a0=0, a2=180, ablend=40, d1=5, p1=28, f1=11, d2=3, p2=24, f2=8, fall=200, keep=60, kblend=40))

subprocess.run([ECOTONE, "demo", TARGET / "demo_source", "--size", "2048"], check=True)
text = (TARGET / "demo_source" / "world.toml").read_text()
for file in ("heights.tif", "road.tif"):
    text = text.replace(f'"{file}"', f'"demo_source/{file}"')
(TARGET / "demo.toml").write_text(text)

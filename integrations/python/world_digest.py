"""Recomputes the canonical digests of an Ecotone world (docs/format.md) from its mosaics and chunk files.

Needs numpy, rasterio and blake3. Usage: world_digest.py WORLD_DIRECTORY
"""
import json
import os
import sys

import numpy
import rasterio
from blake3 import blake3

import ecotone_chunk

RECORD = numpy.dtype([
    ("id", "<u8"), ("x", "<i8"), ("y", "<i8"), ("z_mm", "<i4"), ("size", "<u2"), ("yaw", "<u2"),
    ("up0", "u1"), ("up1", "u1"), ("variant", "u1"), ("tint", "u1"),
])


def raster_digest(path, kind):
    """Stored values, band after band, row-major over the whole map."""
    digest = blake3()
    with rasterio.open(path) as raster:
        for band in range(1, raster.count + 1):
            for row in range(0, raster.height, 512):
                window = rasterio.windows.Window(0, row, raster.width, min(512, raster.height - row))
                digest.update(numpy.ascontiguousarray(raster.read(band, window=window), dtype=kind).tobytes())
    return digest.hexdigest()


def plants_digest(directory, chunks):
    """Records by species name, then id."""
    by_species = {}
    for chunk in chunks:
        with open(os.path.join(directory, chunk["file"]), "rb") as file:
            for name, _, _, plants in ecotone_chunk.species(file.read()):
                by_species.setdefault(name, []).append(numpy.array(plants, dtype=RECORD))
    digest = blake3()
    for name in sorted(by_species, key=str.encode):
        plants = numpy.concatenate(by_species[name])
        plants = plants[numpy.lexsort((plants["y"], plants["x"], plants["id"]))]
        text = name.encode()
        digest.update(len(text).to_bytes(4, "little") + text + len(plants).to_bytes(8, "little"))
        digest.update(plants.tobytes())
    return digest.hexdigest()


def main(directory):
    with open(os.path.join(directory, "current"), encoding="ascii") as file:
        revision = os.path.join(directory, "rev", file.read().split()[0])
    with open(os.path.join(revision, "world.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    digests = {
        "weights": raster_digest(os.path.join(revision, "weights.vrt"), "u1"),
        "sdf": raster_digest(os.path.join(revision, "sdf.vrt"), "<i2"),
        "plants": plants_digest(directory, manifest["chunks"]),
    }
    if "density" in manifest.get("fields", {}):
        digests["density"] = raster_digest(os.path.join(revision, "density.vrt"), "u1")
    print(json.dumps(digests, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1])

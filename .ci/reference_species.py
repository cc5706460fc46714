#!/usr/bin/env python3
"""Holds the plants of a world with biomes, groups, templates and every kind of rule against a reading of its config of its own.

    reference_species.py ORACLE CONFIG TARGET ECOTONE

Bakes CONFIG once with all its species, for what they may do to each other, and once for each of them alone and without its
clusters, whose noise is the program's own: then its density must follow each of its rules. Fields are computed from the
heights with the reference's normals; weights and distances are those that the world stores, as the rules read them.
"""
import glob
import math
import os
import pathlib
import subprocess
import sys
import tomllib

import numpy as np
import pandas as pd
import rasterio
from scipy import stats
from scipy.spatial import cKDTree

ORACLE, CONFIG, TARGET, ECOTONE = sys.argv[1:5]
sys.path.insert(0, ORACLE)
import compare  # noqa: E402
import oracle  # noqa: E402

BASE, TARGET = pathlib.Path(CONFIG).resolve().parent, pathlib.Path(TARGET)
TARGET.mkdir(parents=True, exist_ok=True)
N = 6
failed = 0


def say(ok, what, figure):
    global failed
    failed += not ok
    print(f"{'ok  ' if ok else 'FAIL'} {what}: {figure}")


# ---- the config ----


def load():
    config = tomllib.loads(pathlib.Path(CONFIG).read_text())
    names = config.pop("include", [])
    for name in [names] if isinstance(names, str) else names:
        for file in sorted(glob.glob(str(BASE / name))):
            for key, tables in tomllib.loads(pathlib.Path(file).read_text()).items():
                config.setdefault(key, []).extend(tables)
    raw = {s["name"]: s for s in config["species"]}

    def whole(own):
        base = whole(raw[own["extend"]]) if "extend" in own else {}
        return base | {k: v for k, v in own.items() if k not in ("template", "extend")}

    config["species"] = [whole(own) for own in raw.values() if not own.get("template")]
    groups = {g["name"]: g for g in config.get("group", [])}
    for own in config["species"]:
        own.setdefault("priority", groups.get(own.get("group"), {}).get("priority", 0))
    return config, groups


def toml(value):
    """A value in TOML, on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f'"{k}" = {toml(v)}' for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def write(config, path):
    lines = []
    for key, value in config.items():
        if not isinstance(value, (dict, list)):
            lines.append(f"{key} = {toml(value)}")
    for key, value in config.items():
        for table in value if isinstance(value, list) else [value] if isinstance(value, dict) else []:
            lines.append(f"[[{key}]]" if isinstance(value, list) else f"[{key}]")
            lines += [f'"{k}" = {toml(v)}' for k, v in table.items()]
    path.write_text("\n".join(lines) + "\n")


def bake(path, name):
    """The plants of a config, and where its world lies."""
    out = TARGET / name
    subprocess.run([ECOTONE, "bake", path, "--out", out, "--no-report"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([ECOTONE, "export", out, "--format", "csv", "--to", f"{out}.csv"], check=True, stdout=subprocess.DEVNULL)
    return pd.read_csv(f"{out}.csv"), out


def bake_changed(config, name):
    """The same of a config that is written for it, beside the files that it names."""
    path = BASE / f".{name}.toml"
    write(config, path)
    try:
        return bake(path, name)
    finally:
        path.unlink()


# ---- the fields ----


class Fields:
    def __init__(self, config, out):
        terrain = config["terrain"]
        with rasterio.open(BASE / terrain["heights"][0]) as d:
            h = d.read(1).astype(float) * terrain.get("scale", 1) + terrain.get("offset", 0)
            self.h = h[::-1] if d.transform.e > 0 else h
        self.sx, self.sy = terrain["pixel_size"]
        self.void = np.zeros(self.h.shape, bool)
        self.n = oracle.normals(self.h, self.void, self.sx, self.sy, "horn", config["normals"]["smoothing"])
        with rasterio.open(out / "weights.vrt") as d:
            self.w = dict(zip(d.descriptions, d.read().astype(float)))
        with rasterio.open(out / "sdf.vrt") as d:
            self.d = {name: d.read(k + 1) * d.scales[k] for k, name in enumerate(d.descriptions)}
        self.order = list(self.w)
        self.bound = config["edges"]["max_distance"]
        self.curvature = {kind: self.curve(kind) for kind in ("mean", "profile", "plan")}

    def curve(self, kind):
        """Florinsky's curvatures from the slopes of the smoothed normals; one-sided differences at the rim."""
        nx, ny, nz = self.n
        p, q = -nx / nz, -ny / nz
        east = lambda a: np.gradient(a, self.sx, axis=1)
        north = lambda a: -np.gradient(a, self.sy, axis=0)
        r, t, s = east(p), north(q), (north(p) + east(q)) / 2
        g = p * p + q * q
        w = 1 + g
        along, across = p * p * r + 2 * p * q * s + q * q * t, q * q * r - 2 * p * q * s + p * p * t
        mean = -(r + t + across) / (2 * w**1.5)
        with np.errstate(invalid="ignore", divide="ignore"):
            other = {"mean": mean, "profile": -along / (g * w**1.5), "plan": -across / (g * np.sqrt(w))}[kind]
        return np.where(g > 0, other, mean)

    def at(self, col, row):
        return Point(self, compare.Sampler(col, row, self.void))


class Point:
    """Fields at many points, and what the rules make of them."""

    def __init__(self, fields, at):
        self.f, self.bilinear = fields, at
        n = np.stack([at(c) for c in fields.n])
        self.n = n / np.sqrt((n * n).sum(0))
        self.h = at(fields.h)
        self.slope = np.degrees(np.arccos(np.clip(self.n[2], -1, 1)))
        self.aspect = np.degrees(np.arctan2(self.n[0], self.n[1])) % 360

    def weight(self, strata):
        return np.clip(sum(c * self.bilinear(self.f.w[l]) for l, c in strata.items()) / 255, 0, 1)

    def distance(self, stratum):
        return self.bilinear(self.f.d[stratum])

    def conditions(self, own):
        factor = np.ones_like(self.h)
        if "altitude" in own:
            factor = factor * shaped(own["altitude"], self.h)
        if "slope" in own:
            factor = factor * shaped(own["slope"], self.slope, (0, 90))
        if "aspect" in own:
            factor = factor * sector(own["aspect"], self.aspect)
        if "curvature" in own:
            factor = factor * shaped(own["curvature"], self.bilinear(self.f.curvature[own["curvature"].get("kind", "mean")]))
        for band in own.get("distance", []):
            factor = factor * shaped(band, self.distance(band["stratum"]), (-self.f.bound, self.f.bound))
        return factor

    def presence(self, name, biomes):
        own = biomes[name]
        parent = self.presence(own["within"], biomes) if "within" in own else 1
        return parent * (self.weight(own["strata"]) if "strata" in own else 1) * self.conditions(own)

    def edge(self, own):
        best = max(own["strata"].values())
        stratum = own.get("edge", {}).get("stratum") or next(k for k in self.f.order if own["strata"].get(k) == best)
        return -self.distance(stratum)

    def attenuation(self, own):
        edge = own.get("edge", {})
        if "falloff" not in edge:
            return np.ones_like(self.h)
        t, curve = np.clip(self.edge(own) / edge["falloff"], 0, 1), edge.get("curve", "smooth")
        if isinstance(curve, list):
            return np.interp(t, *np.transpose(curve))
        return {"smooth": t * t * (3 - 2 * t), "linear": t, "ease": 1 - (1 - t) ** 2}[curve]

    def density(self, own, biomes):
        """Expected plants per hectare before competition."""
        m = self.weight(own["strata"])
        t, soft = own.get("threshold", 0.5), own.get("softness", 0)
        target = np.clip((m - t) / (2 * soft) + 0.5, 0, 1) if soft else m >= t
        low = own.get("edge", {}).get("density", 1)
        factor = target * m * (low + (1 - low) * self.attenuation(own)) * self.conditions(own)
        homes = [b for b in biomes if own["name"] in biomes[b].get("species", [])]
        if homes:
            factor = factor * np.max([self.presence(b, biomes) for b in homes], axis=0)
        return own["density"] * factor


def shaped(rule, v, open_beyond=(-math.inf, math.inf)):
    if "curve" in rule:
        return np.interp(v, *np.transpose(rule["curve"]))
    lo, hi = rule["band"]
    return oracle.trapezoid(v, lo, hi, rule.get("blend", 0), lo <= open_beyond[0], hi >= open_beyond[1])


def sector(rule, v):
    lo, hi = rule["band"]
    width, turn = (hi - lo) % 360, (v - lo) % 360
    blend = rule.get("blend", 0)
    if not blend:
        return (turn < width).astype(float)
    inside = np.where(turn <= width, np.minimum(turn, width - turn), -np.minimum(turn - width, 360 - turn))
    return np.clip(inside / blend + 0.5, 0, 1)


# ---- the checks ----


def place(fields, plants):
    return fields.at(plants.x.values / fields.sx, -plants.y.values / fields.sy)


def sizes(own, plants, a):
    """Smallest and largest size that each plant may have."""
    lo, hi = np.zeros(len(plants)), np.zeros(len(plants))
    inside = own.get("size", [1, 1])
    at_edge = own.get("edge", {}).get("size", inside)
    kinds = {v: k if isinstance(k, dict) else {} for v, k in own.get("variants", {}).items()}
    for variant in plants.variant.fillna("").unique():
        kind, q = kinds.get(variant, {}), (plants.variant.fillna("") == variant).values
        s = kind.get("size", kind.get("edge_size", inside))
        e = kind.get("edge_size", kind.get("size", at_edge))
        lo[q] = e[0] + (s[0] - e[0]) * a[q]
        hi[q] = e[1] + (s[1] - e[1]) * a[q]
    return lo, hi


def check_each(own, plants, fields, biomes):
    """Where a species stands and how its plants are."""
    name, point = own["name"], place(fields, plants)
    density = point.density(own, biomes)
    say((density > 0).mean() > 1 - 2e-3, f"{name} stands only where its rules allow", f"{int((density <= 0).sum())} of {len(plants)} do not")
    lo, hi = sizes(own, plants, point.attenuation(own))
    out = np.maximum(lo - plants["size"].values, plants["size"].values - hi)
    say(out.max(initial=0) <= 0.01 * hi.max(initial=1), f"{name} sizes", f"worst {out.max(initial=0):.4f} outside")
    sink = own.get("sink", [0, 0])
    below = point.h - plants.z.values
    say(((below >= sink[0] - 2e-3) & (below <= sink[1] + 2e-3)).all(), f"{name} sink", f"{below.min():.4f} to {below.max():.4f} m of {sink}")
    align, tilt = own.get("align", 0), own.get("tilt", [0, 0])
    up = np.stack([point.n[0] * align, point.n[1] * align, 1 + (point.n[2] - 1) * align])
    up /= np.sqrt((up * up).sum(0))
    off = np.degrees(np.arccos(np.clip((up * plants[["nx", "ny", "nz"]].values.T).sum(0), -1, 1)))
    say(((off >= tilt[0] - 1) & (off <= tilt[1] + 1)).all(), f"{name} tilt", f"{off.min():.2f} to {off.max():.2f} degrees of {tilt}")
    if own.get("facing") == "downhill":
        # Counter-clockwise from east.
        fall = (90 - point.aspect) % 360
        turn = (plants.yaw.values - fall + 180) % 360 - 180
        say(((turn >= own["yaw"][0] - 0.5) & (turn <= own["yaw"][1] + 0.5))[point.slope > 0.5].all(), f"{name} faces downhill", f"{turn.min():.1f} to {turn.max():.1f} of {own['yaw']}")


def check_alone(own, config, biomes):
    """A species without rivals and clusters: its density follows every rule."""
    name = own["name"]
    strip = lambda table: {k: v for k, v in table.items() if k != "clusters"}
    alone = {k: v for k, v in strip(own).items() if k not in ("near", "keep_from", "group", "extend")}
    homes = [strip(b) | {"species": [s for s in b.get("species", []) if s == name]} for b in biomes.values()]
    for home in homes:
        if not set(home) - {"name", "species"}:
            home["altitude"] = {"band": [-1e5, 1e5]}
    dense = {k: v for k, v in config.items() if k not in ("group", "check")}
    plants, out = bake_changed(dense | {"species": [alone], "biome": homes}, "alone")
    fields, homes = Fields(config, out), {b["name"]: b for b in homes}
    height, width = fields.h.shape
    inside = lambda c, r: (c >= 0.5) & (c <= width - 0.5) & (r >= 0.5) & (r <= height - 0.5)
    # One point drawn in each of N x N parts of a pixel: a lattice would see distances of a few kinds only.
    draws = np.random.default_rng(1)
    rows, cols = np.mgrid[0:height * N, 0:width * N]
    spread = np.stack([(cols.ravel() + draws.random(cols.size)) / N, (rows.ravel() + draws.random(rows.size)) / N])
    grid = fields.at(*spread)
    per = fields.sx * fields.sy / 1e4 / N**2
    want = grid.density(alone, homes) * per * inside(*spread)
    total = want.sum()
    say(abs(len(plants) - total) <= 0.02 * total + 5 * math.sqrt(total), f"{name} alone, count", f"{len(plants)} of {total:.0f}")
    found = place(fields, plants)
    values = {"altitude": lambda p: p.h, "slope": lambda p: p.slope, "aspect": lambda p: p.aspect, "edge distance": lambda p: p.edge(alone),
              "mixed weight": lambda p: p.weight(alone["strata"]), "trail distance": lambda p: p.distance("trail"),
              "curvature": lambda p: p.bilinear(fields.curvature[own.get("curvature", {}).get("kind", "mean")])}
    for what, value in values.items():
        at, got = np.round(value(grid), 6), np.round(value(found), 6)
        order = np.argsort(at)
        share = np.cumsum(want[order]) / total
        cuts = np.unique(at[order][np.searchsorted(share, np.arange(1, 20) / 20)])
        expected = np.bincount(np.digitize(at, cuts), want, len(cuts) + 1)
        counted = np.bincount(np.digitize(got, cuts), minlength=len(cuts) + 1)
        keep = expected > 5
        chi2 = ((counted - expected)[keep] ** 2 / expected[keep]).sum()
        p = stats.chi2.sf(chi2, keep.sum())
        worst = (np.abs(counted - expected)[keep] / expected[keep]).max()
        say(p > 1e-4 or worst < 0.03, f"{name} alone, density by {what}", f"chi2 {chi2:.1f} in {keep.sum()} bins, worst bin {worst:.1%} off")


def check_together(species, groups, plants):
    xy = {s["name"]: plants[plants.species == s["name"]][["x", "y"]].values for s in species}
    trees = {name: cKDTree(points) for name, points in xy.items() if len(points)}
    for k, a in enumerate(species):
        name = a["name"]
        if name not in trees:
            say(False, f"{name} grows", 0)
            continue
        own = max(a.get("spacing", 0), 2 * a.get("footprint", 0))
        gap = trees[name].query(xy[name], k=2)[0][:, 1].min()
        say(gap >= own - 1e-3, f"{name} spacing", f"{gap:.3f} m of {own}")
        if "near" in a:
            far = trees[a["near"]["species"]].query(xy[name])[0].max()
            say(far <= a["near"]["within"] + 1e-3, f"{name} near {a['near']['species']}", f"farthest {far:.3f} m of {a['near']['within']}")
        for b in species[k + 1:]:
            other = b["name"]
            if other not in trees:
                continue
            apart = [a.get("footprint", 0) + b.get("footprint", 0), a.get("keep_from", {}).get(other, 0), b.get("keep_from", {}).get(name, 0)]
            if a.get("group") and a.get("group") == b.get("group"):
                apart.append(groups[a["group"]].get("spacing", 0))
            gap = trees[name].query(xy[other])[0].min()
            say(gap >= max(apart) - 1e-3, f"{name} and {other} apart", f"{gap:.3f} m of {max(apart):.2f}")


def main():
    config, groups = load()
    biomes = {b["name"]: b for b in config["biome"]}
    species = [s for s in config["species"] if s.get("write", "plants") == "plants"]
    plants, out = bake(CONFIG, "together")
    fields = Fields(config, out)
    for own in species:
        mine = plants[plants.species == own["name"]]
        check_each({k: v for k, v in own.items() if k != "clusters"}, mine, fields, biomes)
    check_together(species, groups, plants)
    for own in species:
        check_alone(own, config, biomes)
    sys.exit(bool(failed))


main()

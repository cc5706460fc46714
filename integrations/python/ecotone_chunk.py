"""Reads Ecotone chunk files (.eco), drawn in docs/format.md; standard library only. Prints plants as JSON lines."""
import json, struct, sys

MASK = (1 << 64) - 1

def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31

def name_key(name):
    key = 0xCBF29CE484222325
    for byte in name.encode():
        key = (key ^ byte) * 0x100000001B3 & MASK
    return mix(key)

def plant_id(key, x, y):
    return mix((mix(key ^ x & MASK) + 0x9E3779B97F4A7C15 & MASK) ^ y & MASK)

def up_vector(a, b):
    u, w = min((a - 127) / 127, 1.0), min((b - 127) / 127, 1.0)
    x, y, z = (u + w) / 2, (u - w) / 2, 1 - max(abs(u), abs(w))
    length = (x * x + y * y + z * z) ** 0.5
    return [x / length, y / length, z / length]

def species(data):
    """Yields (name, size_step, variant names, plants), plants as tuples (id, x, y, z_mm, size, yaw, up0, up1, variant, tint)."""
    magic, version, n_species, length, cx, cy, size, side, _, _ = struct.unpack_from("<8sIIQqqqIIQ", data)
    if magic != b"\x89ECO\r\n\x1a\n" or version != 1 or length != len(data):
        raise ValueError("not a whole chunk file of version 1")
    try:
        from blake3 import blake3
        if blake3(data[:-32]).digest() != data[-32:]:
            raise ValueError("the checksum differs from the content")
    except ImportError:
        pass  # The package is optional: without it the content is taken as it is.
    for at in range(64, 64 + 96 * n_species, 96):
        names_at, n_variants, n, step, cells_at, *columns_at = struct.unpack_from("<QIId9Q", data, at)
        names = []
        for _ in range(1 + n_variants):
            (bytes_in_name,) = struct.unpack_from("<I", data, names_at)
            names.append(data[names_at + 4 : names_at + 4 + bytes_in_name].decode())
            names_at += 4 + bytes_in_name
        key, plants, first = name_key(names[0]), [], struct.unpack_from(f"<{side * side + 1}I", data, cells_at)
        kinds = [f"<{n}H", f"<{n}H", f"<{n}i", f"<{n}H", f"<{n}H", f"<{2 * n}B", f"<{n}B", f"<{n}B"]
        xs, ys, zs, sizes, yaws, ups, variants, tints = map(struct.unpack_from, kinds, [data] * 8, columns_at)
        for cell in range(side * side):
            for i in range(first[cell], first[cell + 1]):
                x, y = cx * size + cell % side * 65536 + xs[i], cy * size + cell // side * 65536 + ys[i]
                up = ups[2 * i : 2 * i + 2]
                plants.append((plant_id(key, x, y), x, y, zs[i], sizes[i], yaws[i], *up, variants[i], tints[i]))
        yield names[0], step, names[1:], plants

if __name__ == "__main__":
    for path in sys.argv[1:]:
        for name, step, variants, plants in species(open(path, "rb").read()):
            for id, x, y, z, size, yaw, u0, u1, variant, tint in plants:
                print(json.dumps({"species": name, "id": f"{id:016x}", "x": x / 1024, "y": y / 1024, "z": z / 1000,
                    "size": size * step, "yaw": yaw * 360 / 65536, "up": up_vector(u0, u1),
                    "variant": variants[variant] if variants else None, "tint": tint / 255}))

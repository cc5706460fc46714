//! Memory-mapped GeoTIFF sources and windowed reads.

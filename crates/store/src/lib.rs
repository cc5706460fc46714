//! Everything that is written to disk, whole or not at all.

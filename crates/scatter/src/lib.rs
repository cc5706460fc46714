//! Blue-noise patterns, and which of their candidates become plants.

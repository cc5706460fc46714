//! Normals and stratum weights from heights.

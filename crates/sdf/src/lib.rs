//! Exact bounded signed distance to the edges of a stratum.

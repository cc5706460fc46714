//! Exports and pictures of a finished world.

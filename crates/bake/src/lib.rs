//! Plan, schedule and run a bake.

"""Many trainings that differ in a few settings, on Ray Tune: `emerald sweep SWEEP.toml`."""

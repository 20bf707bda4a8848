"""Small training runs, healthy and deliberately broken, on which the diagnostics are measured."""

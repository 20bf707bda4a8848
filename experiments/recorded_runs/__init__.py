"""Small training runs, healthy and sick on purpose, that the diagnostics are measured on."""

"""What the benchmarks share. Standard library and numpy only."""

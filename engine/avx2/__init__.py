"""The kernel's modules compiled for AVX2: the same sources as in the folder above."""

"""The kernel's modules compiled for AVX-512: the same sources as in the folder above."""

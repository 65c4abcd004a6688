"""python -m shisan.protocol: the brain on standard input and output."""

from .loop import main

if __name__ == "__main__":
    raise SystemExit(main())

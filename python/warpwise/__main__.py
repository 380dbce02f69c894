"""``python -m warpwise``: the command line."""

import os
import sys

from ._program import path


def main():
    program = path()
    # The program takes the place of this process, so that signals and the exit status are its own.
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

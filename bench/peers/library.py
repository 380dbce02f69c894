"""Functions of a shared library, called on arrays of NumPy."""

import ctypes

import numpy as np


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


class Library:
    """Functions of a shared library; arguments are arrays, counts and floats."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def bind(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = ctypes.c_long
        kinds = {np.ndarray: pointer, type(None): pointer, int: ctypes.c_size_t, float: ctypes.c_double}
        # Converted once: a call then costs about a microsecond more than it does from Rust or C.
        ready = [kinds[type(argument)](argument) for argument in arguments]
        return lambda: function(*ready)

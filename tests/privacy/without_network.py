"""Runs a program that a signal ends if it or a child process opens an internet socket.

`python tests/privacy/without_network.py -m anonymizer_gui --demo` and the like; Linux on x86-64 and ARM64
only. The kernel enforces it, so that code in other languages is covered too.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys

# Architecture of the filter, number of socket().
MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
_INTERNET = (2, 10)  # AF_INET, AF_INET6
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # see prctl(2), seccomp(2)
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in the data of the filter


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def forbid_internet() -> None:
    """Forbid internet sockets for this process and its children."""
    machine, number = MACHINES[platform.machine()]
    steps = (
        (_LOAD, 0, 0, _MACHINE),
        (_IF_EQUAL, 0, 5, machine),
        (_LOAD, 0, 0, _NUMBER),
        (_IF_EQUAL, 0, 3, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_IF_EQUAL, 2, 0, _INTERNET[0]),
        (_IF_EQUAL, 1, 0, _INTERNET[1]),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _KILL),
    )
    library = ctypes.CDLL(None, use_errno=True)
    packed = _Filter(len(steps), b"".join(struct.pack("HBBI", *step) for step in steps))
    for words in ((_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SECCOMP, _FILTER, ctypes.byref(packed), 0, 0)):
        if library.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter")


if __name__ == "__main__":
    forbid_internet()
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])

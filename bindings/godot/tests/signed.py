"""Reads the ad hoc signature of each part of a universal library of macOS: every page must have its
hash. signed.py LIBRARY"""

import hashlib
import pathlib
import struct
import sys

data = pathlib.Path(sys.argv[1]).read_bytes()
magic, count = struct.unpack_from(">2I", data)
if (magic, count) != (0xCAFEBABE, 2):
    sys.exit("it is not a universal library of two parts")
for part in range(count):
    cpu, _, start, size, _ = struct.unpack_from(">5I", data, 8 + 20 * part)
    image = data[start : start + size]
    at, found = 32, 0
    for _ in range(struct.unpack_from("<I", image, 16)[0]):
        command, length = struct.unpack_from("<2I", image, at)
        if command == 0x1D:  # LC_CODE_SIGNATURE
            found = struct.unpack_from("<I", image, at + 8)[0]
        at += length
    if found == 0:
        sys.exit(f"the part for {cpu:#x} is not signed")
    kinds = dict(struct.iter_unpack(">2I", image[found + 12 : found + 12 + 8 * image[found + 11]]))
    directory = found + kinds[0]
    head = struct.unpack_from(">9I4B", image, directory)
    flags, hashes, slots, limit, hash_size, page = *head[3:5], *head[7:10], 1 << head[12]
    if not flags & 2 or limit != found or slots != -(-limit // page):
        sys.exit(f"the part for {cpu:#x} is not signed ad hoc, or not as a whole: {head}")
    for slot in range(slots):
        want = image[directory + hashes + slot * hash_size :][:hash_size]
        got = hashlib.sha256(image[slot * page : min(limit, (slot + 1) * page)]).digest()
        if got != want:
            sys.exit(f"page {slot} of the part for {cpu:#x} has another hash")
    print(f"{cpu:#x}: {slots} pages")

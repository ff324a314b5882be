"""Just enough of a rank file to count bytes and records in its rings.

The structures are those of crates/trace/src/layout.rs and shape.rs, version 1; the decoding of a
record is that of crates/trace/src/reader.rs."""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import c_uint32 as u32, c_uint64 as u64

PAGE, CHUNK, CHUNK_HEADER, SHAPE = 4096, 64 << 10, 64, 192
POLL, REQUEST, REQUESTS, OFFSET, NEW_OBJECT, INLINE = 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8
INLINE_RESULT, INLINE_BYTES = 1 << 6, 1 << 7
# Python decodes half a million records a second; so many chunks of a ring say enough.
CHUNKS_DECODED = 24


class Header(ctypes.LittleEndianStructure):
    _fields_ = [
        ("magic", ctypes.c_char * 8), ("version", u32), ("header_bytes", u32), ("run_id", u64),
        ("pid_rank_size_state_clock_shift", u32 * 6), ("anchors", u64 * 9),
        ("family_level_abort_off", u32 * 4), ("init_finalize", u64 * 4), ("user_system_rss", u64 * 3),
        ("defs_len", u64), ("buffer_bytes", u64), ("on_full", u32), ("trace", u32), ("stack_depth", u32),
        ("threads", u32), ("lost", u64 * 4), ("thread_offsets", u64 * 256),
    ]


class Extent(ctypes.LittleEndianStructure):
    _fields_ = [("offset", u64), ("chunks", u64)]


class InFlight(ctypes.LittleEndianStructure):
    _fields_ = [("unused", u64 * 4), ("words", u64 * 12)]


class ThreadHeader(ctypes.LittleEndianStructure):
    _fields_ = [
        ("tid", u32), ("extents", u32), ("shapes_offset", u64), ("shapes_capacity", u32), ("shapes", u32),
        ("chunks_begun", u64), ("records_overwritten", u64), ("lost", u64 * 3), ("poll_shape", u32),
        ("reserved", u32), ("poll", u64 * 4), ("aligned", u64 * 3), ("in_flight", InFlight * 8), ("ring", Extent * 96),
    ]


class ChunkHeader(ctypes.LittleEndianStructure):
    _fields_ = [("sequence", u64), ("start", u64), ("monotonic_ns", u64), ("used", u32), ("records", u32)]


def varint(data, at):
    first = data[at]
    if first == 0:
        return int.from_bytes(data[at + 1:at + 9], "little"), at + 9
    n = (first & -first).bit_length()
    return int.from_bytes(data[at:at + n], "little") >> n, at + n


def records(data, at, end, shapes):
    """(records, calls) in a chunk; a run of polls is one record and many calls."""
    count = calls = 0
    while at < end:
        head, at = varint(data, at)
        flags, mask = shapes[(head >> 1) - 1]
        repeat = 1
        for _ in range(2):  # gap, duration
            _, at = varint(data, at)
        if flags & POLL:
            repeat, at = varint(data, at)
            _, at = varint(data, at)
        plain = bool(flags & OFFSET) + bool(flags & NEW_OBJECT)
        if flags & INLINE:
            plain += bin(mask).count("1") + 2 * bool(mask & INLINE_RESULT) + bool(mask & INLINE_BYTES)
        for _ in range(plain):
            _, at = varint(data, at)
        if flags & REQUESTS:
            listed, at = varint(data, at)
            for _ in range(listed):
                word, at = varint(data, at)
                for _ in range(3 * (word & 1)):
                    _, at = varint(data, at)
        if flags & REQUEST:
            _, at = varint(data, at)
        count += 1
        calls += repeat
    return count, calls


class RingUse:
    """Sums over the rings of one or more processes."""

    def __init__(self):
        self.bytes = self.records = self.calls = self.chunk_bytes = self.other_bytes = 0

    def bytes_per_record(self):
        return self.bytes / self.records if self.records else 0.0

    def add(self, path):
        """Counts a rank file in. `bytes` are those of the chunks whose records were decoded;
        `chunk_bytes` is the memory of all chunks ever touched, `other_bytes` what else the file holds."""
        data = pathlib.Path(path).read_bytes()
        header = Header.from_buffer_copy(data)
        if header.magic != b"MPISCOPE" or header.version != 1:
            raise ValueError(f"{path}: not a rank file of version 1")
        before = self.chunk_bytes
        for offset in header.thread_offsets[:header.threads]:
            self._thread(data, ThreadHeader.from_buffer_copy(data, offset))
        self.other_bytes += pathlib.Path(path).stat().st_blocks * 512 - (self.chunk_bytes - before)

    def _thread(self, data, thread):
        begin = thread.shapes_offset
        shapes = [
            (u32.from_buffer_copy(data, at + 4).value, u32.from_buffer_copy(data, at + 100).value)
            for at in range(begin, begin + SHAPE * min(thread.shapes, thread.shapes_capacity), SHAPE)
        ]
        chunks = []
        for extent in thread.ring[:thread.extents]:
            for offset in range(extent.offset, extent.offset + extent.chunks * CHUNK, CHUNK):
                chunk = ChunkHeader.from_buffer_copy(data, offset)
                if chunk.sequence:
                    chunks.append((offset, chunk.used))
        self.chunk_bytes += CHUNK * len(chunks)
        step = max(1, len(chunks) // CHUNKS_DECODED)
        for offset, used in chunks[::step]:
            try:
                count, calls = records(data, offset + CHUNK_HEADER, offset + used, shapes)
            except IndexError:
                raise ValueError("a record names a shape that does not exist") from None
            self.bytes += used - CHUNK_HEADER
            self.records += count
            self.calls += calls

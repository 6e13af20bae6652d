"""Writes a neutral stream (../../STREAM.md), knowing nothing but that page."""

import struct
import zlib

NEW, SET, STORE, USE, ROOT, ENTER, EXIT, THROW, THREAD, TICK = range(1, 11)
COLLECT, DEAD, KEPT, STAMP, REF, END = range(11, 17)
FACT, TYPE, METHOD, SITE, THREAD_NAME = range(0x80, 0x85)
FULL = 1 << 16


def number(value):
    """LEB128."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def text(value):
    data = value.encode("utf-8", "replace")[:4096].decode("utf-8", "ignore").encode()
    return number(len(data)) + data


class Stream:
    """Records in order. `time` is the moment of the last event."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.file.write(b"\x89MERLIN\n" + struct.pack("<HH", 1, 0))
        self.time = self.latest = self.records = self.thread = 0
        self.begin_block()

    def begin_block(self):
        self.clock = 0
        self.payload = bytearray(struct.pack("<QQI", self.time, self.latest, self.thread))

    def put_block(self, kind, payload):
        head = struct.pack("<II", kind, len(payload))
        self.file.write(head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload)

    def object(self, object):
        return number(1 + zigzag(self.latest - object)) if object else b"\0"

    def put(self, tag, *fields, event=False):
        self.payload.append(tag)
        for field in fields:
            self.payload += field
        self.records += 1
        self.time += event
        if len(self.payload) > FULL:
            self.put_block(1, bytes(self.payload))
            self.begin_block()

    def new(self, object, type, site, size, length=None):
        step = zigzag(object - self.latest - 1)
        self.latest = object
        self.put(NEW, *map(number, (step, type, site, size, 0 if length is None else length + 1)), event=True)

    def set(self, source, slot, old, new):
        self.put(SET, self.object(source), number(slot), self.object(old), self.object(new), event=True)

    def use(self, object):
        self.put(USE, self.object(object), event=True)

    def enter(self, method, receiver):
        self.put(ENTER, number(method), self.object(receiver), event=True)

    def exit(self, method, receiver):
        self.put(EXIT, number(method), self.object(receiver), event=True)

    def throw(self, method, receiver, exception):
        self.put(THROW, number(method), self.object(receiver), self.object(exception), event=True)

    def tick(self, micros):
        self.put(TICK, number(4), number(0), number(max(0, micros - self.clock)))
        self.clock = max(micros, self.clock)

    def held(self, object):
        """A local variable lets go of the object: it was reachable until now."""
        self.put(STAMP, self.object(object), number(0), number(1))

    def collection(self, count, complete, dead):
        self.put(COLLECT, number(int(complete)), number(count))
        for object in dead:
            self.put(DEAD, self.object(object))
        self.put(END)

    def define(self, tag, *fields):
        content = b"".join(text(field) if isinstance(field, str) else number(field) for field in fields)
        self.put(tag, number(len(content)), content)

    def close(self):
        self.put_block(1, bytes(self.payload))
        self.put_block(2, struct.pack("<Q", self.records))
        self.file.close()

"""A cache with a limit: entries die when they are pushed out, replaced, or let go with the cache."""


class Entry:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.older = None


class Cache:
    def __init__(self, limit):
        self.limit = limit
        self.entries = {}
        self.newest = None

    def put(self, key, value):
        entry = Entry(key, value)
        self.entries[key] = entry
        self.newest = entry
        if len(self.entries) > self.limit:
            oldest = min(self.entries)
            del self.entries[oldest]
        return entry

    def get(self, key):
        entry = self.entries.get(key)
        return entry.value if entry else None


def fill(cache, count):
    for key in range(count):
        value = [key, [key + 1]]
        cache.put(key % 7, value)
        value = None
        last = cache.get(key % 5)
    return last


cache = Cache(4)
kept = fill(cache, 60)
other = Cache(2)
fill(other, 9)
other = cache
cache.entries.clear()
del kept

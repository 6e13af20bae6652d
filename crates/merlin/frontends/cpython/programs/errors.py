"""Exceptions: objects that die while frames are left, exceptions that are kept and let go, receivers that die in their methods."""


class Failure(Exception):
    def __init__(self, what):
        self.what = what


class Resource:
    def __init__(self, name):
        self.name = name
        self.log = []

    def work(self, depth):
        own = Resource(self.name + "." + str(depth))
        own.log.append(Resource("inner"))
        if depth == 0:
            raise Failure(own)
        self.work(depth - 1)

    def closes(self):
        self.log.append(Resource("closing"))
        return len(self.log)


def attempt(name, depth):
    resource = Resource(name)
    try:
        resource.work(depth)
    except Failure as failure:
        kept = failure.what
        kept.log.clear()
    finally:
        resource.log.append(None)
    return kept.name


def passing():
    for depth in range(3):
        try:
            attempt("x" + str(depth), depth)
            Resource("lost").work(0)
        except Failure:
            Resource("handled").closes()


def generate(count):
    for at in range(count):
        made = Resource(str(at))
        yield made


passing()
total = 0
for resource in generate(6):
    total += resource.closes()
    if total > 3:
        break
resources = [Resource(str(at)) for at in range(4)]
with open(__file__) as source:
    first = Resource(source.readline())
first = resources
resources = first[1:3]
del first
last = Resource("last")
last = Resource("after")

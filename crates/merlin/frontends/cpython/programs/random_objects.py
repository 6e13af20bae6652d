"""Random steps on a few objects: SEED and number of steps are arguments."""

import random
import sys


class Box:
    def __init__(self, name):
        self.name = name

    def keep(self, other):
        self.other = other
        return self.other

    def forget(self):
        self.other = None


class Crate(Box):
    def __init__(self, name, boxes):
        super().__init__(name)
        self.boxes = boxes


class Stop(Exception):
    def __init__(self, box):
        self.box = box


def make(rng, shelf):
    name = rng.random()
    if name < 0.4:
        return Box(name)
    if name < 0.6:
        return [Box(name), shelf[rng.randrange(len(shelf))]]
    if name < 0.8:
        return {"a": Box(name), "b": Crate(name, [])}
    return Crate(name, [Box(at) for at in range(3)])


def pick(rng, shelf, kind):
    found = [one for one in shelf if isinstance(one, kind)]
    return found[rng.randrange(len(found))] if found else None


def step(rng, shelf):
    what = rng.randrange(12)
    at = rng.randrange(len(shelf))
    thing = shelf[at]
    box = pick(rng, shelf, Box)
    if what < 4:
        shelf[at] = make(rng, shelf)
    elif what == 4 and box:
        box.keep(make(rng, shelf))
    elif what == 5 and box:
        box.forget()
    elif what == 6 and isinstance(thing, list):
        thing.append(make(rng, shelf))
        if len(thing) > 3:
            thing.pop(0)
    elif what == 7 and isinstance(thing, dict):
        thing["c"] = (make(rng, shelf), make(rng, shelf))
        thing.pop("a", None)
    elif what == 8 and isinstance(thing, Crate):
        thing.boxes[1:2] = [make(rng, shelf)]
    elif what == 9:
        raise Stop(make(rng, shelf))
    elif what == 10 and isinstance(thing, dict):
        thing.clear()
    else:
        left, right = thing, make(rng, shelf)
        left, right = right, left
        left = None


rng = random.Random(int(sys.argv[1]))
shelf = [Box(at) for at in range(8)]
caught = None
for at in range(int(sys.argv[2])):
    try:
        step(rng, shelf)
    except Stop as stop:
        if at % 3 == 0:
            caught = stop.box

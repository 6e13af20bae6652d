"""What the rewritten program calls. It notes what happens, and asks CPython itself when each object died.

Traced are instances of the program's classes, and lists, dicts and sets that it makes. Tuples are looked through: what holds
a tuple holds its members. Each traced object has a weak reference with a callback: reference counts call it at the exact
moment of death. These true deaths go to a file of their own, never into the stream: there, objects are only named dead by
the next collection record.
"""

import gc
import json
import operator
import os.path
import sys
import time
import weakref

import stream as neutral

# Events between two collection records.
EPOCH = 500
MISSING = object()


class Holdings:
    """What an object (or the module's variables) refers to: one slot per reference, however the object keeps it."""

    def __init__(self):
        self.slots = {}
        self.free = []
        self.next = 0

    def add(self, target):
        slot = self.free.pop() if self.free else self.next
        self.next += slot == self.next
        self.slots.setdefault(target, []).append(slot)
        return slot

    def remove(self, target):
        slots = self.slots[target]
        slot = slots.pop()
        if not slots:
            del self.slots[target]
        self.free.append(slot)
        return slot


class Tracer:
    def __init__(self, path, deaths, command):
        self.stream = neutral.Stream(path)
        self.deaths = open(deaths, "w") if deaths else None
        self.ids, self.refs, self.holdings = {}, {}, {}
        self.globals = Holdings()
        self.next = self.collections = self.next_epoch = self.unseen = 0
        self.numbers, self.dead, self.in_gc, self.throwing = {}, [], False, False
        self.started = time.monotonic()
        for fact, value in (("level", "full"), ("frontend", "cpython"), ("runtime", "Python " + sys.version.split()[0]), ("command", command)):
            self.stream.define(neutral.FACT, fact, value)
        self.stream.define(neutral.THREAD_NAME, 1, "main")
        self.stream.put(neutral.THREAD, neutral.number(1))
        gc.callbacks.append(self.collecting)

    def collecting(self, phase, _):
        self.in_gc = phase == "start"

    # Names

    def numbered(self, kind, key, *fields):
        found = self.numbers.get((kind, key))
        if found is None:
            found = self.numbers[kind, key] = 1 + sum(1 for other, _ in self.numbers if other == kind)
            self.stream.define(kind, found, *fields)
        return found

    def method(self, owner, name, path):
        module = os.path.splitext(os.path.basename(path))[0]
        owner = f"{module}.{owner}" if owner else module
        return self.numbered(neutral.METHOD, (owner, name), owner, name, os.path.basename(path))

    def site(self):
        """The line of the program that is running, and the one that called it."""
        frame, found = sys._getframe(2), []
        while frame is not None and len(found) < 2:
            code = frame.f_code
            if "__merlin__" in frame.f_globals:
                names = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "").rsplit(".", 1)
                found.append((names[0] if len(names) > 1 else "", names[-1], code.co_filename, frame.f_lineno))
            frame = frame.f_back
        site = 0
        for owner, name, path, line in reversed(found):
            method = self.method(owner, name, path)
            site = self.numbered(neutral.SITE, (method, line, site), method, line, site)
        return site

    # Objects

    def born(self, object, kind, length=None):
        self.next += 1
        number = self.next
        type_number = self.numbered(neutral.TYPE, kind, kind)
        self.stream.new(number, type_number, self.site(), sys.getsizeof(object), length)
        self.ids[id(object)] = number
        self.holdings[number] = Holdings()
        address = id(object)
        self.refs[number] = weakref.ref(object, lambda _: self.died(number, address))
        self.event()

    def died(self, number, address):
        del self.ids[address], self.refs[number], self.holdings[number]
        self.dead.append(number)
        if self.deaths:
            self.deaths.write(json.dumps({"object": number, "time": self.stream.time, "cycle": self.in_gc}) + "\n")

    def known(self, object):
        return self.ids.get(id(object), 0)

    def targets(self, value):
        """The value if it is traced, else the traced objects of a tuple."""
        number = self.ids.get(id(value))
        if number:
            return [number]
        if type(value) is tuple:
            return [target for part in value for target in self.targets(part)]
        return []

    def event(self):
        """After an event: now and then the clock is read, and a collection names the dead."""
        if self.stream.time >= self.next_epoch:
            self.next_epoch = self.stream.time + EPOCH
            self.collect(False)

    def collect(self, complete):
        self.stream.tick(int((time.monotonic() - self.started) * 1e6))
        self.collections += 1
        dead, self.dead = self.dead, []
        self.stream.collection(self.collections, complete, dead)

    # What the program does

    def use(self, object):
        number = self.ids.get(id(object))
        if number:
            self.stream.use(number)
            self.event()

    def replace(self, source, holdings, old, new):
        """The source held the old targets and now holds the new ones. All old ones are held until the last event of these."""
        old, new = list(old), list(new)
        for target in [target for target in old if target in new]:
            old.remove(target)
            new.remove(target)
        gone = list(old)
        while old or new:
            if old and new:
                slot = holdings.remove(old[0])
                holdings.free.remove(slot)
                holdings.slots.setdefault(new[0], []).append(slot)
                self.stream.set(source, slot, old.pop(0), new.pop(0))
            elif old:
                self.stream.set(source, holdings.remove(old[0]), old.pop(0), 0)
            else:
                self.stream.set(source, holdings.add(new[0]), 0, new.pop(0))
        for target in gone:
            self.stream.held(target)
        self.event()

    def hold(self, object, old, new):
        number = self.ids.get(id(object))
        if number and (old or new):
            self.replace(number, self.holdings[number], old, new)

    def store(self, variable, value):
        self.drop(variable, value)
        return value

    def drop(self, variable, value=MISSING):
        try:
            old = variable()
        except NameError:
            return
        if old is not value:
            for target in self.targets(old):
                self.stream.held(target)

    def store_global(self, name, value, module):
        self.replace(0, self.globals, self.targets(module.get(name)), self.targets(value))
        return value

    def drop_global(self, name, module):
        self.replace(0, self.globals, self.targets(module.get(name)), [])

    def in_place(self, name, value, other):
        names = {"Add": "iadd", "Sub": "isub", "Mult": "imul", "Div": "itruediv", "FloorDiv": "ifloordiv", "Mod": "imod", "Pow": "ipow",
                 "LShift": "ilshift", "RShift": "irshift", "BitOr": "ior", "BitXor": "ixor", "BitAnd": "iand", "MatMult": "imatmul"}
        return getattr(operator, names[name])(value, other)

    def enter(self, method, receiver):
        self.stream.enter(method, receiver)
        self.event()
        return receiver

    def throw(self, method, receiver, exception):
        self.stream.throw(method, receiver, self.known(exception))
        self.throwing = True
        self.event()

    def leave(self, method, receiver, variables):
        if not self.throwing:
            # The receiver may be dead: it is only named while it is not.
            self.stream.exit(method, receiver if receiver in self.refs else 0)
        self.throwing = False
        for variable in variables:
            self.drop(variable)

    # Types

    def list(self, *values):
        return self.made(TracedList(*values))

    def dict(self, *values, **pairs):
        return self.made(TracedDict(*values, **pairs))

    def set(self, *values):
        return self.made(TracedSet(*values))

    def made(self, container):
        self.born(container, type(container).__bases__[-1].__name__, len(container))
        self.hold(container, [], container._merlin_members())
        return container

    def traced_class(self, cls):
        """Births, stores and uses of the instances. Classes that inherit from a traced class have them already."""
        if any(getattr(base, "_merlin_traced", False) for base in cls.__mro__[1:]):
            return cls
        tracer, make, put, remove, get = self, cls.__new__, cls.__setattr__, cls.__delattr__, cls.__getattribute__

        def new(kind, *arguments, **named):
            made = make(kind) if make is object.__new__ else make(kind, *arguments, **named)
            if not tracer.known(made):
                tracer.born(made, f"{kind.__module__}.{kind.__qualname__}")
            return made

        def attribute(self, name):
            return object.__getattribute__(self, "__dict__").get(name) if hasattr(type(self), "__dict__") else None

        def setattr(self, name, value):
            tracer.hold(self, tracer.targets(attribute(self, name)), tracer.targets(value))
            put(self, name, value)

        def delattr(self, name):
            tracer.hold(self, tracer.targets(attribute(self, name)), [])
            remove(self, name)

        def getattribute(self, name):
            if not name.startswith("__"):
                tracer.use(self)
            return get(self, name)

        cls.__new__, cls.__setattr__, cls.__delattr__, cls.__getattribute__ = staticmethod(new), setattr, delattr, getattribute
        cls._merlin_traced = True
        return cls

    def finish(self, module):
        """The program has ended: its variables are let go, then all cycles."""
        for name in [name for name in module if not name.startswith("__")]:
            self.drop_global(name, module)
            module[name] = None
        gc.collect()
        self.collect(True)
        self.stream.close()
        if self.deaths:
            self.deaths.close()


tracer = None


class Traced:
    """A container: before it changes, what it will let go and what it will hold is told."""

    __slots__ = ()

    def _merlin_members(self):
        members = list.__iter__(self) if isinstance(self, list) else set.__iter__(self) if isinstance(self, set) else None
        if members is None:
            members = [part for pair in dict.items(self) for part in pair]
        return [target for member in members for target in tracer.targets(member)]

    def __iter__(self):
        tracer.use(self)
        for member in super().__iter__():
            yield member
            tracer.use(self)


ITERATING = {"extend", "update", "__iadd__", "__ior__", "__iand__", "__isub__", "__ixor__"}


def plain(iterable):
    """Its members as a container that is not traced."""
    tracer.use(iterable)
    if isinstance(iterable, dict):
        return dict(dict.items(iterable))
    if isinstance(iterable, set):
        return set(set.__iter__(iterable))
    return list(list.__iter__(iterable) if isinstance(iterable, list) else iterable)


def changing(base, name):
    """The method, which first is tried on a copy."""
    method = getattr(base, name)

    def change(self, *arguments, **named):
        given = arguments
        if name in ITERATING or name == "__setitem__" and isinstance(arguments[0], slice):
            # What is read while the container changes would come between the two.
            arguments = (*arguments[:-1], plain(arguments[-1])) if arguments else ()
        before = self._merlin_members()
        after = Traced._merlin_members(shadow(base, self, method, arguments, named))
        tracer.hold(self, before, after)
        for argument in given:
            tracer.drop(lambda: argument)
        return method(self, *arguments, **named)

    return change


def shadow(base, container, method, arguments, named):
    class Copy(base):
        __slots__ = ()

    copy = Copy(base.items(container)) if base is dict else Copy(base.__iter__(container))
    try:
        method(copy, *arguments, **named)
    except Exception:
        pass
    return copy


def reading(base, name):
    method = getattr(base, name)

    def read(self, *arguments, **named):
        tracer.use(self)
        return method(self, *arguments, **named)

    return read


def making(base, name):
    """The method, whose result may be a container of the same kind."""
    method = getattr(base, name)

    def make(self, *arguments, **named):
        tracer.use(self)
        result = method(self, *arguments, **named)
        return getattr(tracer, base.__name__)(result) if type(result) is base else result

    return make


def traced(base, changes, reads, makes):
    names = {name: changing(base, name) for name in changes.split()}
    names.update({name: reading(base, name) for name in reads.split()})
    names.update({name: making(base, name) for name in makes.split()})
    return type("Traced" + base.__name__.title(), (Traced, base), names)


TracedList = traced(list, "append extend insert remove pop clear __setitem__ __delitem__ __iadd__ __imul__",
                    "__len__ __contains__ index count sort reverse", "__getitem__ __add__ __mul__ __rmul__ copy")
TracedDict = traced(dict, "__setitem__ __delitem__ pop popitem clear update setdefault __ior__",
                    "__getitem__ get __len__ __contains__ keys values items", "__or__ copy")
TracedSet = traced(set, "add remove discard pop clear update __ior__ __iand__ __isub__ __ixor__",
                   "__len__ __contains__", "__or__ __and__ __sub__ __xor__ copy union difference intersection")
TracedSet.__hash__ = None

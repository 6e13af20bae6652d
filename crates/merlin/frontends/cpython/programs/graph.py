"""Lists, trees and rings: chains that are cut, tuples, a cycle that only the collector finds, objects of dead objects."""


class Node:
    def __init__(self, name):
        self.name = name
        self.next = None
        self.pair = None


class Tree:
    def __init__(self, depth):
        self.children = [Tree(depth - 1) for _ in range(2)] if depth else []
        self.tag = Node(depth)

    def prune(self, depth):
        if depth == 0:
            self.children.clear()
        for child in self.children:
            child.prune(depth - 1)


def chain(length):
    first = None
    for name in range(length):
        node = Node(name)
        node.next = first
        first = node
    return first


def cut(first, at):
    node = first
    while at:
        node = node.next
        at -= 1
    node.next = None


def swap():
    a, b = Node("a"), Node("b")
    a.pair = (b, Node("inner"))
    b, a = a, b
    a = Node("c")
    a.pair = b.pair
    b.pair = None
    return a


def ring(size):
    nodes = [Node(name) for name in range(size)]
    for at, node in enumerate(nodes):
        node.next = nodes[(at + 1) % size]
    return nodes


first = chain(30)
cut(first, 20)
cut(first, 5)
tree = Tree(4)
tree.prune(2)
first.pair = swap()
tree.prune(1)
nodes = ring(5)
nodes.pop()
nodes = None
first = first.next.next
chain(8)
tree = {Tree(1): "kept", "list": [Node(1), Node(2)]}
tree.pop("list")
names = {name: Node(name) for name in "abc"}
names |= {"d": Node("d")}
names.update(a=None)

"""Rewrites a program so that it tells the tracer what it does. The tracer is the name `__merlin__` in its modules.

| in the program | becomes |
|---|---|
| `class C: ...` | `@__merlin__.traced_class` on it: births, attribute stores, uses |
| `[...]`, `{...}`, list(...), dict(...), set(...), comprehensions | traced subclasses of list, dict, set |
| `x = value` in a function | the object that x held is let go first; in a module x is a global variable |
| the body of a function | entry, exit, exception; at its end its variables are let go, one by one |

A variable that a nested function or a generator expression captures is left alone: what it holds is held by a cell, which
the tracer does not see. `Rewriter.unseen` counts them.
"""

import ast
import builtins
import symtable

TRACER = "__merlin__"
CONTAINERS = {"list", "dict", "set"}


def expression(code, **parts):
    """The expression, with names replaced by nodes."""
    return Placeholders(parts).visit(without_places(ast.parse(code, mode="eval").body))


def statements(code, **parts):
    return [Placeholders(parts).visit(without_places(node)) for node in ast.parse(code).body]


def without_places(tree):
    """The tree without line numbers, so that it takes those of what it replaces."""
    for node in ast.walk(tree):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, name):
                delattr(node, name)
    return tree


class Placeholders(ast.NodeTransformer):
    def __init__(self, parts):
        self.parts = parts

    def visit_Name(self, node):
        part = self.parts.get(node.id)
        if isinstance(part, str):
            return ast.copy_location(ast.Name(part, node.ctx), node)
        return part if part is not None else node


class Scope:
    def __init__(self, table, is_function):
        self.is_function = is_function
        self.table = table
        self.methods_of = None

    def kind(self, name):
        """`local`, `global`, or `unseen`."""
        if not self.is_function:
            return "global" if self.table.get_type() == "module" else "unseen"
        symbol = self.table.lookup(name)
        if symbol.is_global() or symbol.is_declared_global():
            return "global"
        return "local" if name in self.plain_locals() else "unseen"

    def plain_locals(self):
        captured = set(captured_names(self.table))
        return [symbol.get_name() for symbol in self.table.get_symbols()
                if symbol.is_local() and not symbol.is_imported() and not symbol.is_namespace()
                and symbol.get_name() not in captured]


def captured_names(table):
    """Names of the function that functions within it use. Comprehensions end before it does."""
    for child in table.get_children():
        if child.get_type() == "function" and child.get_name() not in ("listcomp", "setcomp", "dictcomp"):
            yield from child.get_frees()
        yield from captured_names(child)


class Rewriter(ast.NodeTransformer):
    def __init__(self, source, path, tracer):
        self.tracer = tracer
        self.path = path
        self.scopes = [Scope(symtable.symtable(source, path, "exec"), False)]
        self.taken = {}
        self.class_names = []
        self.temporaries = 0
        self.unseen = 0

    # Scopes

    def enter(self, name, line):
        """The symbol table of the scope that begins there; lambdas and comprehensions come by order."""
        tables = [child for child in self.scopes[-1].table.get_children() if child.get_name() == name and child.get_lineno() == line]
        key = (id(self.scopes[-1].table), name, line)
        at = self.taken.get(key, 0)
        self.taken[key] = at + 1
        return tables[min(at, len(tables) - 1)]

    # Values

    def wrapped(self, kind, node):
        return ast.copy_location(expression(f"{TRACER}.{kind}(VALUE)", VALUE=node), node)

    def visit_List(self, node):
        self.generic_visit(node)
        return self.wrapped("list", node) if isinstance(node.ctx, ast.Load) else node

    def visit_Dict(self, node):
        self.generic_visit(node)
        return self.wrapped("dict", node)

    def visit_Set(self, node):
        self.generic_visit(node)
        return self.wrapped("set", node)

    def visit_ListComp(self, node):
        return self.comprehension(node, "list")

    def visit_DictComp(self, node):
        return self.comprehension(node, "dict")

    def visit_SetComp(self, node):
        return self.comprehension(node, "set")

    def comprehension(self, node, kind):
        # Its variables end with it.
        self.generic_visit(node)
        return self.wrapped(kind, node)

    def visit_Call(self, node):
        called = node.func
        self.generic_visit(node)
        if isinstance(called, ast.Name) and called.id in CONTAINERS and self.is_builtin(called.id):
            node.func = ast.copy_location(expression(f"{TRACER}.{called.id}"), called)
        return node

    def is_builtin(self, name):
        module = self.scopes[0].table
        try:
            return not module.lookup(name).is_assigned() and hasattr(builtins, name)
        except KeyError:
            return hasattr(builtins, name)

    # Stores

    def store(self, name, value):
        """Statements that put the value into the variable."""
        kind = self.scopes[-1].kind(name)
        target = ast.Name(name, ast.Store())
        if kind == "unseen":
            self.unseen += 1
            return [ast.Assign([target], value)]
        call = "store_global('NAME', VALUE, globals())" if kind == "global" else "store(lambda: X, VALUE)"
        call = f"{TRACER}.{call}".replace("NAME", name)
        return [ast.Assign([target], expression(call, VALUE=value, X=name))]

    def assign(self, target, value):
        """Statements that put the value into any target, from left to right."""
        if isinstance(target, ast.Name):
            return self.store(target.id, value)
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [self.temporary() for _ in target.elts]
            parts = [ast.Starred(ast.Name(name, ast.Store()), ast.Store()) if isinstance(part, ast.Starred) else ast.Name(name, ast.Store())
                     for name, part in zip(names, target.elts)]
            out = [ast.Assign([ast.Tuple(parts, ast.Store())], value)]
            for name, part in zip(names, target.elts):
                out += self.assign(part.value if isinstance(part, ast.Starred) else part, ast.Name(name, ast.Load()))
                out += self.forget(name)
            return out
        return [ast.Assign([self.visit(target)], value)]

    def temporary(self):
        self.temporaries += 1
        return f"_merlin_{self.temporaries}"

    def forget(self, name):
        return [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))]

    def placed(self, nodes, at):
        return [ast.fix_missing_locations(ast.copy_location(node, at)) for node in nodes]

    def visit_Assign(self, node):
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.placed(self.assign(node.targets[0], value), node)
        name = self.temporary()
        out = [ast.Assign([ast.Name(name, ast.Store())], value)]
        for target in node.targets:
            out += self.assign(target, ast.Name(name, ast.Load()))
        return self.placed(out + self.forget(name), node)

    def visit_AnnAssign(self, node):
        if node.value is None or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        return self.placed(self.assign(node.target, self.visit(node.value)), node)

    def visit_AugAssign(self, node):
        value = self.visit(node.value)
        if not isinstance(node.target, ast.Name):
            node.target, node.value = self.visit(node.target), value
            return node
        operator = type(node.op).__name__
        both = expression(f"{TRACER}.in_place('{operator}', X, VALUE)", X=node.target.id, VALUE=value)
        return self.placed(self.store(node.target.id, both), node)

    def visit_For(self, node):
        name = self.temporary()
        first = self.assign(node.target, ast.Name(name, ast.Load())) + self.forget(name)
        loop = self.generic_visit(ast.For(ast.Name(name, ast.Store()), node.iter, node.body, node.orelse))
        loop.body = self.placed(first, node) + loop.body
        return self.placed([loop], node)

    def visit_With(self, node):
        first = []
        for item in node.items:
            if item.optional_vars is not None:
                name = self.temporary()
                first += self.assign(item.optional_vars, ast.Name(name, ast.Load())) + self.forget(name)
                item.optional_vars = ast.Name(name, ast.Store())
        self.generic_visit(node)
        node.body = self.placed(first, node) + node.body
        return node

    def visit_Delete(self, node):
        out = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                out += self.let_go(target.id)
            out.append(ast.Delete([self.visit(target)]))
        return self.placed(out, node)

    def let_go(self, name):
        kind = self.scopes[-1].kind(name)
        if kind == "global":
            return statements(f"{TRACER}.drop_global('{name}', globals())")
        return statements(f"{TRACER}.drop(lambda: {name})") if kind == "local" else []

    def visit_ExceptHandler(self, node):
        # Without a name the exception would be let go unseen.
        name = node.name or self.temporary()
        self.generic_visit(node)
        end = statements(f"{TRACER}.drop(lambda: {name})")
        node.body = self.placed([ast.Try(node.body, [], [], end)], node)
        node.name = name
        return node

    # Classes and functions

    def visit_ClassDef(self, node):
        self.scopes.append(Scope(self.enter(node.name, node.lineno), False))
        self.class_names.append(node.name)
        self.generic_visit(node)
        self.class_names.pop()
        self.scopes.pop()
        node.decorator_list.append(ast.copy_location(expression(f"{TRACER}.traced_class"), node))
        return ast.fix_missing_locations(node)

    def visit_Lambda(self, node):
        self.scopes.append(Scope(self.enter("lambda", node.lineno), True))
        node.body = self.visit(node.body)
        self.scopes.pop()
        return node

    def visit_FunctionDef(self, node):
        in_class = not self.scopes[-1].is_function and self.scopes[-1].table.get_type() == "class"
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args = self.visit(node.args)
        scope = Scope(self.enter(node.name, node.lineno), True)
        self.scopes.append(scope)
        names = sorted(scope.plain_locals())
        body = [self.visit(one) for one in node.body]
        self.scopes.pop()
        flat = [part for one in body for part in (one if isinstance(one, list) else [one])]
        method = self.tracer.method(".".join(self.class_names), node.name, self.path)
        static = any(isinstance(one, ast.Name) and one.id in ("staticmethod", "classmethod") for one in node.decorator_list)
        first = node.args.args[0].arg if in_class and node.args.args and not static else None
        node.body = self.placed(self.function_body(flat, method, names, first), node)
        return node

    def function_body(self, body, method, names, receiver):
        exception = self.temporary()
        receiver = f"{TRACER}.known({receiver})" if receiver in names else "0"
        self_name = self.temporary()
        wrapped = statements(
            f"{self_name} = {TRACER}.enter({method}, {receiver})\n"
            f"try:\n    pass\n"
            f"except BaseException as {exception}:\n"
            f"    {TRACER}.throw({method}, {self_name}, {exception})\n    raise\n"
            f"finally:\n    {TRACER}.leave({method}, {self_name}, [{', '.join(f'lambda: {name}' for name in names)}])\n"
            + "".join(f"    {name} = None\n" for name in names)
        )
        wrapped[1].body = body
        return wrapped


def rewrite(source, path, tracer):
    """Source text to code."""
    rewriter = Rewriter(source, path, tracer)
    tree = ast.fix_missing_locations(rewriter.visit(ast.parse(source, path)))
    tracer.unseen += rewriter.unseen
    return compile(tree, path, "exec")

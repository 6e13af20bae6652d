# Classes, dicts, generators, exceptions, strings, recursion. `size` is set by the driver, `result` is read by it.


class Account(object):
    def __init__(self, name, balance):
        self.name = name
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("%s has only %d" % (self.name, self.balance))
        self.balance -= amount
        return self.balance


class Savings(Account):
    def withdraw(self, amount):
        return Account.withdraw(self, amount + 1)


def pseudo_random(seed):
    while True:
        seed = (seed * 1103515245 + 12345) % 2147483648
        yield seed // 65536


def bank(count):
    numbers = pseudo_random(7)
    accounts = [(Savings if i % 3 else Account)("a%d" % i, 500) for i in range(100)]
    refused = 0
    for _ in xrange(count):
        try:
            accounts[next(numbers) % 100].withdraw(next(numbers) % 40)
        except ValueError as refusal:
            refused += len(str(refusal))
    return refused, sum(a.balance for a in accounts)


def words(count):
    numbers = pseudo_random(3)
    counts = {}
    for _ in xrange(count):
        word = "".join("abcdefgh"[next(numbers) % 8] for _ in range(3))
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:20]


def queens(n, row=0, columns=(), solutions=0):
    if row == n:
        return solutions + 1
    for column in range(n):
        if all(c != column and abs(c - column) != row - r for r, c in enumerate(columns)):
            solutions = queens(n, row + 1, columns + (column,), solutions)
    return solutions


def primes(limit):
    sieve = [True] * limit
    for i in xrange(2, limit):
        if sieve[i]:
            for j in xrange(i * i, limit, i):
                sieve[j] = False
    return sum(i for i in xrange(2, limit) if sieve[i])


result = repr([(bank(10000), words(6000), queens(6), primes(40000)) for _ in range(size)])

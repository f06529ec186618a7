"""The programs of programs.go, as one writes them in Python."""
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def calls():
    return fib(30)


def loops():
    a = [0] * 300
    s = 0
    for i in range(300):
        for j in range(len(a)):
            a[j] += i
            s += a[j]
    return s


def matrix():
    n = 40
    a = [[float(i + j) for j in range(n)] for i in range(n)]
    b = [[float(i - j) for j in range(n)] for i in range(n)]
    c = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0.0
            for k in range(n):
                total += a[i][k] * b[k][j]
            c[i][j] = total
    return int(c[3][5])


def counting():
    words = ["one", "two", "three", "four", "five", "six", "seven"]
    m = {}
    for i in range(50000):
        w = words[i % len(words)]
        m[w] = m.get(w, 0) + 1
    return m["three"]


def text():
    n = 0
    for _ in range(100):
        parts = []
        for _ in range(100):
            parts.append("ab")
        n += len("".join(parts))
    return n


class Account:
    def __init__(self):
        self.balance = 0

    def deposit(self, n):
        self.balance += n


def methods():
    a = Account()
    for i in range(50000):
        a.deposit(i)
    return a.balance


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Box:
    def __init__(self, w, h):
        self.w, self.h = w, h

    def area(self):
        return self.w * self.h


def interfaces():
    shapes = [Square(3), Box(2, 5)]
    n = 0
    for i in range(50000):
        n += shapes[i % 2].area()
    return n


def sieve():
    composite = [False] * 50000
    n = 0
    for i in range(2, len(composite)):
        if composite[i]:
            continue
        n += 1
        for j in range(2 * i, len(composite), i):
            composite[j] = True
    return n


def closures():
    n = 0

    def add(x):
        nonlocal n
        n += x

    for i in range(50000):
        add(i)
    return n


def mandelbrot():
    n = 0
    for y in range(30):
        for x in range(40):
            cr, ci = x / 40 * 3 - 2, y / 30 * 2 - 1
            zr = zi = 0.0
            i = 0
            while i < 100 and zr * zr + zi * zi < 4:
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                n += 1
                i += 1
    return n


def sorting():
    items = []
    x = 12345
    for _ in range(5000):
        x = (x * 1103515245 + 12345) % 2147483648
        items.append(x)
    items.sort(key=lambda v: v)
    return items[2500]


def ordering():
    items = []
    x = 12345
    for _ in range(5000):
        x = (x * 1103515245 + 12345) % 2147483648
        items.append(x)
    items.sort()
    return items[2500]


def functions():
    def first(x):
        return x

    def after(g, k):
        return lambda x: g(x) + k

    f = first
    for i in range(10):
        f = after(f, i)
    n = 0
    for i in range(5000):
        n += f(i)
    return n


def mapped(items, f):
    return [f(x) for x in items]


def reduced(items, a, f):
    for x in items:
        a = f(a, x)
    return a


def generics():
    halves = mapped(list(range(10000)), lambda x: x / 2)
    return int(reduced(halves, 0.0, lambda a, x: a + x))


def measure(work):
    times = []
    while len(times) < 3 or sum(times) < 200000000 and len(times) < 1000:
        start = time.perf_counter_ns()
        result = work()
        times.append(time.perf_counter_ns() - start)
    times.sort()
    print(work.__name__, times[len(times) // 2], result)


for work in (calls, loops, matrix, counting, text, methods, interfaces, sieve, mandelbrot, closures, sorting,
             ordering, functions, generics):
    measure(work)

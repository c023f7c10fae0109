"""The obvious, slow version of everything fast: loops that can be checked by reading."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, pairwise


def rows_of(frame, columns):
    return [tuple(row) for row in frame.select(columns).rows()] if columns else [()] * frame.height


def squared(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - y) * (x - y)
    return total


def nearest(point, points, rows):
    """The row with the smallest distance; of several the lowest."""
    return min(rows, key=lambda row: (squared(points[row], point), row))


def candidates(x, y, qi):
    """For each row of y the rows of x with the same values in the columns."""
    index = defaultdict(list)
    for row, key in enumerate(rows_of(x, qi)):
        index[key].append(row)
    return [index[key] for key in rows_of(y, qi)]


def euc(x, y, qi, sa, fall_back):
    points, everybody = rows_of(x, sa), range(x.height)
    answers = []
    for target, found in zip(rows_of(y, sa), candidates(x, y, qi), strict=True):
        rows = found or (everybody if fall_back else [])
        answers.append(nearest(target, points, rows) if rows else -1)
    return answers


def id_sa(x, y, qi, column):
    return euc(x, y, qi, [column], fall_back=True)


def sa_nearest(x, y, column):
    return euc(x, y, [], [column], fall_back=True)


def sort(x, y, sa):
    totals_x, totals_y = ([sum(row) for row in rows_of(t, sa)] for t in (x, y))
    ranked_x = sorted(range(x.height), key=lambda i: (totals_x[i], i))
    ranked_y = sorted(range(y.height), key=lambda j: (totals_y[j], j))
    answers = [-1] * y.height
    for i, j in zip(ranked_x, ranked_y, strict=False):
        answers[j] = i
    return answers


def id_rand_expectation(x, y, qi, truth):
    shares = [(1 / len(found)) if truth[j] in found else 0.0 for j, found in enumerate(candidates(x, y, qi))]
    return sum(shares) / y.height


def class_sizes(table, qi):
    return sorted(Counter(rows_of(table, qi)).values())


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def cross_mean(x, y, qi, sa, cells):
    def table(frame):
        members = defaultdict(list)
        for key, row in zip(rows_of(frame, qi), rows_of(frame, sa), strict=True):
            members[key].append(row)
        return {key: [mean(column) for column in zip(*rows, strict=True)] for key, rows in members.items()}

    before, after = table(x), table(y)
    kept = _kept(before, after, cells)
    absent = [0.0] * len(sa)
    return mean(
        abs(a - b) for key in kept for a, b in zip(before.get(key, absent), after.get(key, absent), strict=True)
    )


def cross_count(x, y, qi, cells):
    before, after = Counter(rows_of(x, qi)), Counter(rows_of(y, qi))
    return mean(abs(before[key] - after[key]) for key in _kept(before, after, cells))


def _kept(before, after, cells):
    return {
        "both": set(before) & set(after),
        "union": set(before) | set(after),
        "original": set(before),
    }[cells]


def pearson(a, b):
    mean_a, mean_b = mean(a), mean(b)
    product = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    spread = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return product / spread if spread else None


def class_size_of_each(table, other, qi):
    """For each row of the table, how many rows of the other have the same values."""
    found = Counter(rows_of(other, qi))
    return [found[key] for key in rows_of(table, qi)]


def minimal_sets(table, qi, most):
    """For each row the smallest sets of columns on which it is alone: alone on the set, on no part of it."""
    alone = {}
    for size in range(1, most + 1):
        for columns in combinations(range(len(qi)), size):
            sizes = class_size_of_each(table, table, [qi[c] for c in columns])
            alone[columns] = [count == 1 for count in sizes]
    return [
        [s for s, by in alone.items() if by[row] and not any(alone[p][row] for p in alone if set(p) < set(s))]
        for row in range(table.height)
    ]


def slow_dummy_rows(baskets, labels):
    """Goods that somebody in the cluster has and a subject has not, over all subjects of clusters."""
    sets = [set(baskets.items[a:b].tolist()) for a, b in pairwise(baskets.start.tolist())]
    total = 0
    for subject, label in enumerate(labels):
        if label >= 0:
            everything = set().union(*(sets[i] for i, one in enumerate(labels) if one == label))
            total += len(everything - sets[subject])
    return total

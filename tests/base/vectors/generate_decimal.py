#!/usr/bin/env python3
"""Writes decimal.tsv: results of Python's decimal module, computed exactly and rounded once.

usage: generate_decimal.py > decimal.tsv
"""
import random
from decimal import (MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR,
                     ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Context, Decimal)

ROUNDINGS = {"half_up": ROUND_HALF_UP, "half_down": ROUND_HALF_DOWN, "half_even": ROUND_HALF_EVEN,
             "down": ROUND_DOWN, "up": ROUND_UP, "ceiling": ROUND_CEILING, "floor": ROUND_FLOOR}
EXACT = Context(prec=30000, Emax=MAX_EMAX, Emin=MIN_EMIN)
rng = random.Random(20)


def number():
    digits = rng.choice([1, 1, 2, 3, 5, 9, 15, 18, 19, 20, 25, 37, 38, 39, 40, 57, 75, 76])
    kind = rng.randrange(6)
    if kind == 0:
        coefficient = 10 ** digits - 1
    elif kind == 1:
        coefficient = 10 ** (digits - 1) + rng.choice([0, 1])
    elif kind == 2:
        coefficient = 5 * 10 ** (digits - 1)
    elif kind == 3:
        coefficient = min(2 ** rng.choice([31, 32, 63, 64, 65, 127, 128, 129, 191, 192, 250]) +
                          rng.choice([-1, 0, 1]), 10 ** 76 - 1)
    else:
        coefficient = rng.randrange(10 ** digits)
    exponent = rng.choice([0, 0, 0, -2, -3, 1, 5, -18, 18, -19, 19, -20, -38, 38, -60, 75, -76, 100,
                           -130, 125, 400, -400, 9000, -9000])
    return Decimal((rng.randrange(2), tuple(map(int, str(coefficient))), exponent))


def text(value):
    """The normal form of Decimal::ToString."""
    if value == 0:
        return "0"
    sign, digits, exponent = EXACT.normalize(value).as_tuple()
    digits = "".join(map(str, digits))
    if exponent >= 0:
        plain = digits + "0" * exponent
    elif len(digits) + exponent > 0:
        plain = digits[:exponent] + "." + digits[exponent:]
    else:
        plain = "0." + "0" * -(len(digits) + exponent) + digits
    prefix = "-" if sign else ""
    if len(prefix + plain) <= 2000:
        return prefix + plain
    magnitude = exponent + len(digits) - 1
    return (prefix + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") +
            ("E-" if magnitude < 0 else "E+") + str(abs(magnitude)))


def emit(op, a, b, digits, rounding, want):
    print("\t".join([op, str(a), str(b), str(digits), rounding, want]))


def ties(count):
    """Operands whose sum, product or quotient lies exactly on, or a hair beside, half a unit."""
    for _ in range(count):
        digits = rng.choice([5, 20, 38, 39, 60, 75])
        kept = rng.randrange(10 ** (digits - 1), 10 ** digits)
        gap = rng.choice([1, 2, 10, 37, 70, 80, 100, 150, 200, 5000])
        half = Decimal("0.5")
        hair = Decimal(rng.choice([-1, 1])).scaleb(-1 - gap)
        sign = rng.choice([1, -1])
        if rng.randrange(2):
            yield Decimal(kept * sign), half, digits
        else:
            yield EXACT.multiply(EXACT.add(Decimal(kept), half), sign), hair, digits


print("op\ta\tb\tdigits\trounding\twant")
for _ in range(320):
    a, b = number(), number()
    if rng.randrange(4) == 0:
        b = EXACT.add(a, Decimal(rng.choice([0, 1, -1, 5])).scaleb(rng.choice([0, -10, -76, -300])))
        if len(b.as_tuple().digits) > 76:
            b = a
        b = EXACT.minus(b)
    digits = rng.choice([1, 5, 18, 19, 20, 34, 38, 39, 39, 39, 50, 76])
    name = rng.choice(list(ROUNDINGS))
    context = Context(prec=digits, rounding=ROUNDINGS[name], Emax=MAX_EMAX, Emin=MIN_EMIN)
    emit("add", a, b, digits, name, text(context.add(a, b)))
    emit("subtract", a, b, digits, name, text(context.subtract(a, b)))
    emit("multiply", a, b, digits, name, text(context.multiply(a, b)))
    if b:
        emit("divide", a, b, digits, name, text(context.divide(a, b)))
        ea, eb = EXACT.normalize(a).as_tuple().exponent, EXACT.normalize(b).as_tuple().exponent
        if not a or abs(ea - eb) <= 1000:
            emit("remainder", a, b, 0, "-", text(EXACT.remainder(a, b)))
    order = EXACT.compare(a, b)
    emit("compare", a, b, 0, "-", str(order))
    emit("round_digits", a, "0", digits, name, text(context.plus(a)))
    scale = rng.choice([0, 0, 1, 2, -1, -2, 10, -10, 38, 76, -76, 200, -200])
    emit("round_scale", a, scale, 0, name,
         text(a if -EXACT.normalize(a).as_tuple().exponent <= scale else
              a.quantize(Decimal(1).scaleb(-scale), rounding=ROUNDINGS[name], context=EXACT)))
for a, b, digits in ties(120):
    for name, rounding in ROUNDINGS.items():
        context = Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)
        if rng.randrange(3) == 0:
            emit("add", a, b, digits, name, text(context.add(a, b)))
        if rng.randrange(3) == 0:
            emit("subtract", a, b, digits, name, text(context.subtract(a, b)))
        if digits < 70 and a == a.to_integral_value() and rng.randrange(3) == 0:
            exact = EXACT.add(EXACT.multiply(a, 10), 5)  # one digit more than kept
            emit("divide", EXACT.multiply(exact, 4), Decimal(4), digits, name, text(context.plus(exact)))
for _ in range(160):
    digits = rng.choice([10, 20, 38, 39, 39, 39])
    name = rng.choice(list(ROUNDINGS))
    base = rng.choice([Decimal("1.05"), Decimal("1.000001"), Decimal(2), Decimal("-3"), Decimal("0.5"),
                       Decimal("99.99"), Decimal("-0.001"), Decimal("7e-3"), Decimal("1.5e10"),
                       Decimal("1." + "0" * 37 + "1"), Decimal("3." + "3" * 38), Decimal("9" * 39)])
    # Directed modes of results a hair beside a 39-digit number need more than the 76 working digits.
    if not name.startswith("half"):
        base = EXACT.plus(rng.choice([Decimal("1.05"), Decimal(2), Decimal("-3"), Decimal("99.99")]))
    n = rng.choice([0, 1, 2, 3, 4, 5, 7, 10, 12, 31, 64, 100, 255, -1, -2, -3, -10, -31, -100])
    context = Context(prec=digits, rounding=ROUNDINGS[name], Emax=MAX_EMAX, Emin=MIN_EMIN)
    exact = EXACT.power(base, abs(n))
    want = context.plus(exact) if n >= 0 else context.divide(Decimal(1), exact)
    emit("power", base, n, digits, name, text(want))

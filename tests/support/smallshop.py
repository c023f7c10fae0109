"""Five customers by hand: two with equal baskets, one who bought once, one good that everybody has."""

from __future__ import annotations

import polars as pl

from icefire.core.history import Fields, History

FIELDS = Fields("customer", "goods", "receipt", "date", "time", "price", "number")

ROWS = """customer,receipt,date,time,goods,price,number
ann,r1,2020/1/5,9:00,tea,2.0,1
ann,r1,2020/1/5,9:00,jam,3.5,2
bob,r2,2020/1/6,10:30,tea,2.0,3
bob,r2,2020/1/6,10:30,jam,3.5,1
cat,r3,2020/1/7,8:15,tea,2.1,1
cat,r4,2020/2/1,8:15,nut,1.0,4
dan,r5,2020/2/2,12:00,tea,2.2,1
eve,r6,2020/2/3,18:45,tea,2.2,2
eve,r6,2020/2/3,18:45,jam,3.6,1
eve,r7,2020/3/1,9:00,nut,1.2,1
eve,r7,2020/3/1,9:00,oil,9.0,1
"""

CUSTOMERS = """customer,sex,country
ann,f,Here
bob,m,Here
cat,f,There
dan,m,There
eve,f,Here
"""


def frame() -> pl.DataFrame:
    """The transactions as a table."""
    return pl.read_csv(ROWS.encode())


def customers() -> pl.DataFrame:
    """The customers as a table."""
    return pl.read_csv(CUSTOMERS.encode())


def history(with_customers: bool = True) -> History:
    """The same as a history."""
    return History(frame(), FIELDS, customers() if with_customers else None, "small shop")

"""The tables of `log export`, read by programs that auditors use."""

import csv
import datetime
import subprocess

import ccxt
import pyarrow.parquet
from venue import BINARY

TABLES = ["orders", "trades", "adjustments", "balances"]


def export(venue, folder, kind):
    data = venue.folder / "data"
    command = [BINARY, "log", "export", data, "--out", folder, "--format", kind]
    subprocess.run(command, check=True, capture_output=True)


def as_in_csv(value):
    """A value of a Parquet file in the form of the CSV file."""
    return "" if value is None else str(value)


def nanoseconds(text):
    whole, fraction = text.removesuffix("Z").split(".")
    seconds = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(seconds.timestamp()) * 1_000_000_000 + int(fraction)


def test_parquet_says_what_csv_says(venue, tmp_path):
    alice, bob = venue.ccxt(ccxt, "alice"), venue.ccxt(ccxt, "bob")
    for number in range(15):
        alice.create_order("BTC/USDT", "limit", "buy", 0.01 * (number + 1), 100)
        bob.create_order("BTC/USDT", "limit", "sell", 0.02, 100)
    alice.create_order("ETH/USDT", "limit", "buy", 1, 10)
    for number in range(20):
        alice.create_order("ETH/USDT", "limit", "buy", 1, 10 + number)
    alice.cancel_all_orders("ETH/USDT")
    export(venue, tmp_path / "csv", "csv")
    export(venue, tmp_path / "parquet", "parquet")
    rows_of = {}
    for name in TABLES:
        with open(tmp_path / f"csv/{name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        table = pyarrow.parquet.read_table(tmp_path / f"parquet/{name}.parquet")
        assert table.num_rows == len(rows)
        for column in table.column_names:
            texts = [row[column] for row in rows]
            if pyarrow.types.is_timestamp(table.schema.field(column).type):
                assert table[column].cast("int64").to_pylist() == [nanoseconds(text) for text in texts]
            else:
                assert [as_in_csv(value) for value in table[column].to_pylist()] == texts
        assert rows == [] or list(rows[0]) == table.column_names
        rows_of[name] = rows
    assert len(rows_of["trades"]) == 19
    assert len(rows_of["orders"]) == 51

"""Orders from a program such as a FastAPI service: one call of redis-py pushes an order, and its reply is in a stream.

producer.py [URL]: needs `pip install redis` and `buttonwood serve --demo --intake URL` (docs/intake.md).
"""

import json
import sys
import uuid

import redis


def order(side, price, **more):
    """A message. Its `id` makes a push safe to repeat: the venue carries an id out once."""
    terms = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "quantity": "0.001", "price": price}
    return {"account": "alice", "id": uuid.uuid4().hex, **terms, **more}


def main(url):
    server = redis.Redis.from_url(url, decode_responses=True)
    # Replies from here on.
    last = server.xinfo_stream("order_replies")["last-generated-id"] if server.exists("order_replies") else "0-0"

    # In a request handler, either of these lines is all that an order takes.
    by_stream, by_list = order("BUY", "50000"), order("SELL", "70000.5", timeInForce="GTC")
    entry = server.xadd("orders", {"data": json.dumps(by_stream)})
    server.lpush("order_queue", json.dumps(by_list))
    print(f"pushed {by_stream['id']} as {entry}, and {by_list['id']} by the list")

    waiting = {by_stream["id"], by_list["id"]}
    while waiting:
        for _, entries in server.xread({"order_replies": last}, block=10_000, count=100) or sys.exit("no reply in 10 s"):
            for last, fields in entries:
                reply = json.loads(fields["data"])
                if reply.get("id") in waiting:
                    waiting.remove(reply["id"])
                    print(f"{reply['id']}: {reply['status']}", reply.get("orderId") or reply.get("reason"))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "redis://127.0.0.1:6379/0")

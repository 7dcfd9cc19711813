"""The order entry of the usual stack: FastAPI checks a request and its signature, puts the order on a
Redis list and waits for the matcher's result. Each worker has a channel of its own."""

import asyncio
import hashlib
import hmac
import os
import time
import uuid
from contextlib import asynccontextmanager

import orjson
import redis.asyncio as redis
from fastapi import FastAPI, Request, Response

REDIS_URL = os.environ["BASELINE_REDIS"]
API_KEY = os.environ["BASELINE_API_KEY"]
SECRET = os.environ["BASELINE_SECRET"].encode()
ORDERS = "orders"
TIMEOUT_SECONDS = 30
TYPES = {"MARKET", "LIMIT"}
TIMES_IN_FORCE = {"GTC", "IOC", "FOK"}

channel = f"results:{uuid.uuid4().hex}"
waiting: dict[str, asyncio.Future] = {}
# A result may take long.
store = redis.from_url(REDIS_URL, socket_timeout=None)


@asynccontextmanager
async def lifespan(_app: FastAPI):
    subscription = store.pubsub()
    await subscription.subscribe(channel)
    listener = asyncio.create_task(listen(subscription))
    yield
    listener.cancel()
    await subscription.aclose()
    await store.aclose()


async def listen(subscription):
    async for message in subscription.listen():
        if message["type"] != "message":
            continue
        result = orjson.loads(message["data"])
        future = waiting.pop(result.pop("request"), None)
        if future is not None and not future.done():
            future.set_result(result)


app = FastAPI(lifespan=lifespan, openapi_url=None)


def answer(content: dict, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")


def refuse(status: int, code: int, message: str) -> Response:
    return answer({"code": code, "msg": message}, status)


def is_signed(query: bytes, body: bytes, signature: str) -> bool:
    payload = query.rpartition(b"&signature=")[0] or query
    expected = hmac.new(SECRET, payload + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, signature)


@app.get("/health/live")
async def live():
    return answer({"status": "live"})


@app.post("/api/v3/order")
async def new_order(request: Request):
    query = request.query_params
    if request.headers.get("x-mbx-apikey") != API_KEY:
        return refuse(401, -2015, "Invalid API-key, IP, or permissions for action.")
    if not is_signed(request.scope["query_string"], await request.body(), query.get("signature", "")):
        return refuse(400, -1022, "Signature for this request is not valid.")
    if abs(time.time() * 1000 - int(query.get("timestamp", "0"))) > 5000:
        return refuse(400, -1021, "Timestamp for this request is outside of the recvWindow.")
    order_type, time_in_force = query.get("type"), query.get("timeInForce", "IOC")
    if order_type not in TYPES or time_in_force not in TIMES_IN_FORCE:
        return refuse(400, -1106, "Not an order of this venue.")
    order = {
        "request": uuid.uuid4().hex,
        "channel": channel,
        "side": query["side"],
        "type": order_type,
        "timeInForce": time_in_force,
        "price": query.get("price"),
        "quantity": query["quantity"],
        "clientOrderId": query.get("newClientOrderId") or uuid.uuid4().hex,
    }
    future = asyncio.get_running_loop().create_future()
    waiting[order["request"]] = future
    await store.rpush(ORDERS, orjson.dumps(order))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        return answer(await future)

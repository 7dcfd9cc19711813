"""A relay between a client and the venue, whose connections can be cut."""

import asyncio
import contextlib


class Relay:
    """`async with Relay(address) as relay`: what connects to `relay.address` reaches `address`."""

    def __init__(self, address):
        self.host, self.port = address.rsplit("/", 1)[-1].split(":")
        self.open = set()
        self.cuts = 0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.address = f"ws://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.cut()

    def cut(self):
        """Cuts all connections at once, without a closing handshake."""
        self.cuts += len(self.open)
        for writer in self.open:
            writer.transport.abort()
        self.open.clear()

    async def _connect(self, reader, writer):
        far_reader, far_writer = await asyncio.open_connection(self.host, self.port)
        self.open.add(writer)
        await asyncio.gather(self._pass_on(reader, far_writer), self._pass_on(far_reader, writer))
        self.open.discard(writer)

    async def _pass_on(self, reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

// Market data: one connection, whose streams are asked for by name.
import { Link } from "./socket";

type Receiver = (payload: Record<string, unknown>) => void;

interface Stream {
  readonly receivers: Set<Receiver>;
  /** Called with each new connection: what came before may have a gap. */
  readonly begun: Set<() => void>;
}

const streams = new Map<string, Stream>();
let nextId = 1;

export const streamLink = new Link("/stream", {
  opened: () => {
    if (streams.size > 0) request("SUBSCRIBE", [...streams.keys()]);
    for (const stream of [...streams.values()]) for (const begin of stream.begun) begin();
  },
  received: (message) => {
    const { stream, data } = message as { stream?: string; data?: Record<string, unknown> };
    if (stream === undefined || data === undefined) return;
    const known = streams.get(stream);
    if (known) for (const receive of known.receivers) receive(data);
  },
  closed: () => {},
  probe: () => request("LIST_SUBSCRIPTIONS"),
});

/**
 * Receives a stream until the returned function is called. `begun` is called when the stream begins, also with each
 * later connection.
 */
export function follow(name: string, receive: Receiver, begun: () => void = () => {}): () => void {
  let stream = streams.get(name);
  const isNew = stream === undefined;
  if (stream === undefined) {
    stream = { receivers: new Set(), begun: new Set() };
    streams.set(name, stream);
  }
  stream.receivers.add(receive);
  stream.begun.add(begun);
  // Without a connection it begins with the next one.
  const isOpen = isNew ? request("SUBSCRIBE", [name]) : streamLink.state.peek() !== "connecting";
  if (isOpen) begun();
  return () => {
    stream.receivers.delete(receive);
    stream.begun.delete(begun);
    if (stream.receivers.size > 0) return;
    streams.delete(name);
    request("UNSUBSCRIBE", [name]);
  };
}

function request(method: string, params?: readonly string[]): boolean {
  return streamLink.send({ id: nextId++, method, ...(params && { params }) });
}

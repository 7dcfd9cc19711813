// Market data: one connection, whose streams are asked for by name.
import { Link } from "./socket";

type Receiver = (payload: string) => void;

interface Answer {
  id?: number | null;
  /** Of a refusal. */
  code?: number;
}

interface Stream {
  readonly receivers: Set<Receiver>;
  /** Called with each new connection: what came before may have a gap. */
  readonly begun: Set<() => void>;
}

/** How the venue begins what it sends of a stream, `{"stream":"btcusdt@trade","data":{…}}`, and how it goes on. */
const HEAD = '{"stream":"';
const PAYLOAD = '","data":';
const AGAIN_AFTER_MS = 1_000;
const streams = new Map<string, Stream>();
/** Streams that the venue has been asked for, by the id of the request. */
const asked = new Map<number, readonly string[]>();
let nextId = 1;

export const streamLink = new Link("/stream", {
  opened: () => {
    asked.clear();
    if (streams.size > 0) subscribe([...streams.keys()]);
  },
  received: (text) => {
    if (!text.startsWith(HEAD)) {
      answered(JSON.parse(text) as Answer);
      return;
    }
    const end = text.indexOf(PAYLOAD, HEAD.length);
    const known = streams.get(text.slice(HEAD.length, end));
    if (known) for (const receive of known.receivers) receive(text.slice(end + PAYLOAD.length, -1));
  },
  closed: () => {},
  probe: () => void request("LIST_SUBSCRIPTIONS"),
});

/**
 * Receives a stream until the returned function is called. `begun` is called when the venue has begun it, also on each
 * later connection: what is asked for from then on has no gap to the stream.
 */
export function follow<T>(name: string, receive: (payload: T) => void, begun?: () => void): () => void {
  return followText(name, (text) => receive(JSON.parse(text) as T), begun);
}

/** The same for one that reads the payloads by itself. */
export function followText(name: string, receive: Receiver, begun: () => void = () => {}): () => void {
  let stream = streams.get(name);
  const isNew = stream === undefined;
  if (stream === undefined) {
    stream = { receivers: new Set(), begun: new Set() };
    streams.set(name, stream);
  }
  stream.receivers.add(receive);
  stream.begun.add(begun);
  // Without a connection it begins with the next one.
  if (isNew) subscribe([name]);
  else if (streamLink.state.peek() !== "connecting") begun();
  return () => {
    stream.receivers.delete(receive);
    stream.begun.delete(begun);
    if (stream.receivers.size > 0) return;
    streams.delete(name);
    request("UNSUBSCRIBE", [name]);
  };
}

function subscribe(names: readonly string[]): void {
  const id = request("SUBSCRIBE", names);
  if (id !== null) asked.set(id, names);
}

function answered({ id, code }: Answer): void {
  if (typeof id !== "number") return;
  if (code === undefined) begin(id);
  else refused(id);
}

function begin(id: number): void {
  const names = asked.get(id) ?? [];
  asked.delete(id);
  for (const name of names) for (const begun of streams.get(name)?.begun ?? []) begun();
}

/** One name that the venue does not know, or a moment without room, fails them all: each is asked for by itself. */
function refused(id: number): void {
  const names = asked.get(id) ?? [];
  asked.delete(id);
  setTimeout(() => {
    for (const name of names) if (streams.has(name)) subscribe([name]);
  }, AGAIN_AFTER_MS);
}

/** The id of the request, if there is a connection. */
function request(method: string, params?: readonly string[]): number | null {
  const id = nextId++;
  return streamLink.send({ id, method, ...(params && { params }) }) ? id : null;
}

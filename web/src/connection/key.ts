// The Ed25519 key of this browser. Its private half cannot be read, not even by this page: the browser only signs with it.

export interface BrowserKey {
  readonly apiKey: string;
  readonly pair: CryptoKeyPair;
  readonly user: string;
  readonly account: string;
  readonly role: string;
  readonly expiresMs: number;
}

const DATABASE = "buttonwood";
const STORE = "keys";
const NAME = "own";

/** Browsers offer keys to pages of this machine and to pages by TLS only. */
export const canHoldKeys = (): boolean => isSecureContext && crypto.subtle !== undefined;

export async function generate(): Promise<{ pair: CryptoKeyPair; publicKey: string }> {
  const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
  return { pair, publicKey: base64(raw) };
}

export async function sign(pair: CryptoKeyPair, text: string): Promise<string> {
  return base64(await crypto.subtle.sign("Ed25519", pair.privateKey, new TextEncoder().encode(text)));
}

export async function load(): Promise<BrowserKey | null> {
  return ((await inStore("readonly", (store) => store.get(NAME))) as BrowserKey | undefined) ?? null;
}

export async function save(key: BrowserKey): Promise<void> {
  await inStore("readwrite", (store) => store.put(key, NAME));
}

/** Another window of this browser may have stored another one since: that one stays. */
export async function forget(apiKey: string): Promise<void> {
  if ((await load())?.apiKey === apiKey) await inStore("readwrite", (store) => store.delete(NAME));
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await open();
  try {
    return await done(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  return done(opening);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's database failed"));
  });
}

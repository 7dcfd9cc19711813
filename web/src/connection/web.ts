// Requests of the page itself: sign-in and its cookie.
import { Refused } from "./api";

export interface SessionAnswer {
  readonly signedIn: boolean;
  readonly demo: boolean;
  readonly accounts?: readonly string[];
  readonly user?: string;
  readonly account?: string;
  readonly role?: string;
}

export type Credentials =
  | { readonly code: string; readonly account: string }
  | { readonly user: string; readonly password: string; readonly totp?: string }
  | { readonly apiKey: string; readonly timestamp: number; readonly nonce: string; readonly signature: string };

export const SIGN_IN = "/web/v1/sign-in";

export const readSession = (): Promise<SessionAnswer> => call("GET", "/web/v1/session");
export const signIn = (with_: Credentials): Promise<SessionAnswer> => call("POST", SIGN_IN, with_);
export const signOut = (everywhere: boolean): Promise<unknown> => call("POST", "/web/v1/sign-out", { everywhere });
export const registerKey = (publicKey: string): Promise<{ apiKey: string; expiresAt: number }> =>
  call("POST", "/web/v1/keys", { publicKey });

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const sent = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(path, { ...sent, credentials: "same-origin", cache: "no-store" });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer as T;
  const { code = 0, msg = `The venue answered ${response.status}.` } = (answer ?? {}) as {
    code?: number;
    msg?: string;
  };
  throw new Refused(response.status, code, msg);
}

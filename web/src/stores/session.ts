// Who is signed in. The browser holds a key of its own; a cookie is needed only to register it, and to sign out.
import { computed, effect, signal } from "@preact/signals";
import { apiLink, NotSent, Refused, request, Unanswered, whenOpen } from "../connection/api";
import { onTime } from "../connection/asAccount";
import { clockKnown, venueNow } from "../connection/clock";
import { type BrowserKey, canHoldKeys, forget, generate, load, save, sign } from "../connection/key";
import * as web from "../connection/web";
import { catchUpAccount, followAccount, leaveAccount } from "./account";
import { loadActions } from "./act";
import { clearNotices, notice } from "./notices";
import { armed } from "./settings";
import type { Session } from "./types";

const current = signal<Session | null>(null);
const key = signal<BrowserKey | null>(null);
const isReady = signal(false);

export const session = computed(() => current.value);
/** Whether it is known by now whether someone is signed in. */
export const isSessionKnown = computed(() => isReady.value);
/** What a demo offers; `hasCode`: the address has the code that the venue printed. */
export const signInChoices = signal<{ demo: boolean; accounts: readonly string[]; hasCode: boolean }>({
  demo: false,
  accounts: [],
  hasCode: false,
});
/** Whether the venue cancels the orders of this page when its connection ends. */
export const cancelOnDisconnect = signal(false);
/** A logon is on its way: there is one at a time. */
let isLoggingOn = false;
/** The last logon failed, and a message says so. */
let hasFailed = false;
/** The venue ends this sign-in because the page asks for it. */
let isSigningOut = false;
/** Other windows of this browser, which hold the same key. */
let windows: BroadcastChannel | null = null;
const AGAIN_AFTER_MS = 3_000;

let code = takeCode();

export async function followSession(): Promise<void> {
  followAccount(loggedOffByVenue);
  windows = new BroadcastChannel("buttonwood.signedOut");
  windows.onmessage = ({ data }) => {
    if (data === key.peek()?.apiKey) void leave();
  };
  key.value = await load().catch(() => null);
  whenOpen(() => void logOn());
  const known = await readChoices();
  // The browser has lost its key and kept the cookie.
  if (key.peek() === null && known?.signedIn && canHoldKeys()) {
    await hold(known).then(logOn, (error: unknown) => notice("bad", `Signing in failed: ${(error as Error).message}`));
  }
  // With a key it is known when the key has been tried.
  if (key.peek() === null) isReady.value = true;
  // Another demo, or the same one anew: its printed address brings a new code.
  addEventListener("hashchange", () => {
    const found = takeCode();
    if (found === "") return;
    code = found;
    signInChoices.value = { ...signInChoices.peek(), hasCode: true };
  });
}

export async function signInDemo(account: string): Promise<string | null> {
  const failure = await signIn({ code, account });
  if (failure === null) {
    code = "";
    signInChoices.value = { ...signInChoices.peek(), hasCode: false };
  }
  return failure;
}

export const signInPassword = (user: string, password: string, totp?: string): Promise<string | null> =>
  signIn({ user, password, ...(totp ? { totp } : {}) });

/** Ends the session and revokes the key of this browser; `everywhere`: of all browsers of this user. */
export async function signOut(everywhere: boolean): Promise<void> {
  isSigningOut = true;
  const failure = await withCookie(() => web.signOut(everywhere)).catch((error: Error) => error);
  isSigningOut = false;
  windows?.postMessage(key.peek()?.apiKey);
  const left = leave();
  if (failure) {
    notice("warning", `The venue could not be asked to forget this browser's key: ${failure.message}`);
  }
  await left;
}

/** Cancels the orders sent from now on when the connection ends. Turning it off cancels those that stand under it. */
export async function setCancelOnDisconnect(on: boolean): Promise<void> {
  const held = key.peek();
  if (held === null || isLoggingOn) return;
  const before = cancelOnDisconnect.peek();
  cancelOnDisconnect.value = on;
  isLoggingOn = true;
  try {
    // The stream of events goes on: only the logon has the switch.
    await sendLogOn(held);
  } catch (error) {
    // Whether it holds is not known; the next connection begins with it.
    if (error instanceof Unanswered) {
      apiLink.restart();
    } else {
      cancelOnDisconnect.value = before;
      notice("bad", `Cancel on disconnect stays ${before ? "on" : "off"}: ${(error as Error).message}`);
    }
  } finally {
    isLoggingOn = false;
  }
}

/** A sentence if it failed. */
async function signIn(credentials: web.Credentials): Promise<string | null> {
  if (!canHoldKeys()) {
    return "This browser keeps keys for pages of this machine or by https only: open the page as http://localhost:… or by TLS.";
  }
  try {
    // A key that could not be logged on would stay accepted by the venue, and be forgotten here.
    if (key.peek() !== null) await signOut(false);
    const answer = await web.signIn(credentials);
    if (answer.role === "operator") {
      await web.signOut(false);
      return "This is an operator's login: it trades for no account, and this page has no operators' part yet.";
    }
    await hold(answer);
    await logOn();
    return null;
  } catch (error) {
    return error instanceof Refused ? error.message : `The sign-in failed: ${(error as Error).message}`;
  }
}

/** Makes a key of this browser for who has signed in, and has the venue accept it. */
async function hold({ user = "", account = "", role = "" }: web.SessionAnswer): Promise<void> {
  const { pair, publicKey } = await generate();
  const { apiKey, expiresAt } = await web.registerKey(publicKey);
  const held = { apiKey, pair, user, account, role, expiresMs: expiresAt };
  await save(held);
  key.value = held;
}

/** Logs the key of this browser on; on success the account is followed. */
async function logOn(): Promise<void> {
  const held = key.peek();
  if (held === null || isLoggingOn || isSigningOut) return;
  isLoggingOn = true;
  try {
    await clockKnown;
    await sendLogOn(held);
    // Signed out meanwhile.
    if (key.peek() !== held) return;
    // Before the first click: a connection that breaks must not take it away.
    void loadActions().catch(() => {});
    current.value = { user: held.user, account: held.account, role: held.role };
    await catchUpAccount();
    hasFailed = false;
  } catch (error) {
    if (error instanceof Refused && error.status === 401) await leave();
    // A connection that broke begins again, and logs on again.
    else if (error instanceof Unanswered) apiLink.restart();
    else if (!(error instanceof NotSent)) {
      if (!hasFailed) notice("bad", `Signing in failed, and is tried again: ${(error as Error).message}`);
      hasFailed = true;
      setTimeout(() => void logOn(), AGAIN_AFTER_MS);
    }
  } finally {
    isLoggingOn = false;
    isReady.value = true;
    // Somebody else has signed in meanwhile.
    if (key.peek() !== null && key.peek() !== held) void logOn();
  }
}

function sendLogOn({ apiKey, pair }: BrowserKey): Promise<unknown> {
  return onTime(async () => {
    const params = { apiKey, cancelOnDisconnect: cancelOnDisconnect.peek(), timestamp: venueNow() };
    const payload = Object.entries(params)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join("&");
    return request("session.logon", { ...params, signature: await sign(pair, payload) });
  });
}

/** Nothing of the account stays on the page, and nothing that would act for it. */
async function leave(): Promise<void> {
  const held = key.peek();
  key.value = null;
  current.value = null;
  cancelOnDisconnect.value = false;
  armed.value = false;
  leaveAccount();
  clearNotices();
  if (held !== null) await forget(held.apiKey).catch(() => {});
  await request("session.logout").catch(() => {});
  await readChoices();
}

function loggedOffByVenue(): void {
  // The venue revokes the key before it ends the cookie: the page shows the end of both.
  if (current.peek() === null || isSigningOut) return;
  void leave();
  notice("warning", "The venue has ended this sign-in: the key of this browser was revoked or has expired.");
}

/** A venue that was restarted has forgotten the cookie; the key gets a new one. */
async function withCookie(act: () => Promise<unknown>): Promise<void> {
  const held = key.peek();
  const known = await web.readSession();
  if (!known.signedIn && held !== null) await web.signIn(await signedByKey(held));
  await act();
}

/** The lines that an operator's request signs, too: method, path, query, SHA-256 of the body, time, nonce. */
async function signedByKey({ apiKey, pair }: BrowserKey): Promise<web.Credentials> {
  const timestamp = venueNow();
  const nonce = crypto.randomUUID();
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const lines = ["POST", web.SIGN_IN, "", empty, String(timestamp), nonce];
  return { apiKey, timestamp, nonce, signature: await sign(pair, lines.join("\n")) };
}

async function readChoices(): Promise<web.SessionAnswer | null> {
  const answer = await web.readSession().catch(() => null);
  if (answer === null) return null;
  signInChoices.value = { demo: answer.demo, accounts: answer.accounts ?? ["alice", "bob"], hasCode: code !== "" };
  return answer;
}

/** The code after the `#`, which no request has; it leaves the address at once. */
function takeCode(): string {
  const found = /^#([A-Za-z0-9_-]{8,})$/.exec(location.hash)?.[1] ?? "";
  if (found !== "") history.replaceState(null, "", location.pathname + location.search);
  return found;
}

// The name of the account tells two tabs apart.
effect(() => {
  if (current.value !== null) document.title = `${current.value.account} · Buttonwood`;
  else document.title = "Buttonwood";
});

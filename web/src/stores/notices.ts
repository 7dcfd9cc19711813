import { signal } from "@preact/signals";
import { venueNow } from "../connection/clock";
import type { Notice } from "./types";

const KEPT = 500;
let nextId = 1;

/** Newest first. */
export const notices = signal<readonly Notice[]>([]);

/** Does what a notice offers; it offers it once. */
export function takeFix(id: number): void {
  const fix = notices.peek().find((one) => one.id === id)?.fix;
  notices.value = notices.peek().map((one) => (one.id === id ? withoutFix(one) : one));
  fix?.run();
}

/** They may be of the account that has left. */
export function clearNotices(): void {
  notices.value = [];
}

function withoutFix({ fix: _, ...rest }: Notice): Notice {
  return rest;
}

export function notice(kind: Notice["kind"], text: string, fix?: NonNullable<Notice["fix"]>): void {
  const made: Notice = { id: nextId++, kind, text, timeMs: venueNow(), ...(fix && { fix }) };
  notices.value = [made, ...notices.value].slice(0, KEPT);
}

import { signal } from "@preact/signals";
import type { Notice } from "./types";

const KEPT = 500;
let nextId = 1;

/** Newest first. */
export const notices = signal<readonly Notice[]>([]);

export function notice(kind: Notice["kind"], text: string, fix?: NonNullable<Notice["fix"]>): void {
  const made: Notice = { id: nextId++, kind, text, timeMs: Date.now(), ...(fix && { fix }) };
  notices.value = [made, ...notices.value].slice(0, KEPT);
}

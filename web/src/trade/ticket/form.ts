// What stands in the ticket, as plain values for the rules.
import { Signal } from "@preact/signals";
import { ticket } from "../../stores/ticketDraft";

type Plain<T> = { readonly [K in keyof T]: T[K] extends Signal<infer V> ? V : Plain<T[K]> };

export type Form = Plain<typeof ticket>;
/** What each order of a list has, and the ticket's own order too. */
export type OrderForm = Form["pending"];

/** Reads every field, so that a component or an effect that calls this follows them all. */
export function readForm(): Form {
  return plain(ticket) as Form;
}

/** Sets the field that a problem names, such as `price` or `stop.stopPrice`. */
export function setField(path: string, text: string): void {
  const found = path.split(".").reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], ticket);
  if (!(found instanceof Signal)) throw new Error(`the ticket has no field ${path}`);
  found.value = text;
}

function plain(node: object): object {
  return Object.fromEntries(
    Object.entries(node).map(([name, entry]) => [name, entry instanceof Signal ? entry.value : plain(entry)]),
  );
}

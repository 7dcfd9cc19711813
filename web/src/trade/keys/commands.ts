// Everything that a key or the palette can do.
import { computed, signal } from "@preact/signals";
import { cancel, cancelMany } from "../../stores/act";
import { chosen, markets } from "../../stores/markets";
import { notice } from "../../stores/notices";
import { ordersOfChosen } from "../../stores/orders";
import { cancelOnDisconnect, session, setCancelOnDisconnect, signOut } from "../../stores/session";
import { actsOnDown, isSoundOn, keys, palette, theme } from "../../stores/settings";
import { prefill, ticket } from "../../stores/ticketDraft";
import type { Side } from "../../stores/types";
import { pressArm } from "../safety/arming";
import { paysLater } from "../ticket/types";
import { KIND_GROUPS, KIND_NAMES } from "../ticket/words";
import { openDialog } from "./dialogs";
import { keyTrades } from "./keyTrades";

export interface Command {
  readonly id: string;
  readonly group: "Trade" | "Cancel" | "Ticket" | "Market" | "Page";
  readonly title: string;
  /** The key it has unless the person chose another; empty: none. */
  readonly chord: string;
  /** Runs from a key only while the page is armed. */
  readonly trades?: boolean;
  readonly run: () => void;
}

const cycle = <T>(values: readonly T[], now: T): T => values[(values.indexOf(now) + 1) % values.length] as T;

function focusField(testId: string): void {
  const focus = () => {
    const field = document.querySelector<HTMLInputElement>(`[data-testid="${testId}"]`);
    field?.focus();
    field?.select?.();
    return field !== null;
  };
  // At once, so that the next key is the field's. A dialog keeps the focus until it has closed, and the type that was
  // chosen a moment ago may have other fields.
  if (document.querySelector("dialog[open]") !== null || !focus()) setTimeout(focus);
}

function chooseSide(side: Side): void {
  prefill({ side });
  focusField("ticket-qty");
}

function stepMarket(by: 1 | -1): void {
  const symbols = [...markets.peek().keys()];
  const next = symbols[(symbols.indexOf(chosen.peek()) + by + symbols.length) % symbols.length];
  if (next !== undefined) chosen.value = next;
}

function cancelLast(): void {
  const last = ordersOfChosen.peek()[0];
  if (last) void cancel(last);
}

export function cancelSymbol(): void {
  const symbol = chosen.peek();
  const count = ordersOfChosen.peek().length;
  if (count === 0) notice("info", `No open orders of ${symbol}.`);
  else void cancelMany({ symbol });
}

const COMMANDS: readonly Command[] = [
  ...keyTrades(),
  { id: "cancel-last", group: "Cancel", title: "Cancel my newest order here", chord: "Shift+Z", run: cancelLast },
  {
    id: "cancel-buys",
    group: "Cancel",
    title: "Cancel my buys here",
    chord: "Shift+D",
    run: () => void cancelMany({ symbol: chosen.peek(), side: "BUY" }),
  },
  {
    id: "cancel-sells",
    group: "Cancel",
    title: "Cancel my sells here",
    chord: "Shift+F",
    run: () => void cancelMany({ symbol: chosen.peek(), side: "SELL" }),
  },
  { id: "cancel-symbol", group: "Cancel", title: "Cancel all my orders here", chord: "Shift+C", run: cancelSymbol },
  {
    id: "cancel-all",
    group: "Cancel",
    title: "Cancel all my orders of all markets",
    chord: "Shift+X",
    run: () => void cancelMany({}),
  },
  {
    id: "cancel-on-disconnect",
    group: "Cancel",
    title: "Cancel on disconnect: on or off",
    chord: "",
    run: () => void setCancelOnDisconnect(!cancelOnDisconnect.peek()),
  },
  { id: "arm", group: "Trade", title: "Arm or disarm one click and trading keys", chord: "A", run: pressArm },
  { id: "buy", group: "Ticket", title: "Ticket: buy", chord: "B", run: () => chooseSide("BUY") },
  { id: "sell", group: "Ticket", title: "Ticket: sell", chord: "S", run: () => chooseSide("SELL") },
  { id: "price", group: "Ticket", title: "Ticket: price", chord: "P", run: () => focusField("ticket-price") },
  { id: "qty", group: "Ticket", title: "Ticket: quantity", chord: "Q", run: () => focusField("ticket-qty") },
  { id: "type", group: "Ticket", title: "Ticket: order type", chord: "Y", run: () => focusField("ticket-type") },
  ...KIND_GROUPS.flatMap(({ kinds }) => kinds).map(
    (kind): Command => ({
      id: `type-${kind}`,
      group: "Ticket",
      title: `Order type: ${KIND_NAMES[kind].split(":")[0]}`,
      chord: { LIMIT: "L", MARKET: "M", STOP_LOSS: "O" }[kind as string] ?? "",
      run: () => {
        ticket.type.value = kind;
        if (paysLater(kind)) ticket.side.value = "BUY";
        focusField("ticket-type");
      },
    }),
  ),
  { id: "next-market", group: "Market", title: "Next market", chord: "]", run: () => stepMarket(1) },
  { id: "previous-market", group: "Market", title: "Previous market", chord: "[", run: () => stepMarket(-1) },
  { id: "palette", group: "Page", title: "Commands and markets", chord: "Ctrl+K", run: () => openDialog("palette") },
  { id: "keys", group: "Page", title: "Keys", chord: "?", run: () => openDialog("keys") },
  { id: "settings", group: "Page", title: "Settings", chord: ",", run: () => openDialog("settings") },
  {
    id: "theme",
    group: "Page",
    title: "Theme: dark, light, as the system",
    chord: "T",
    run: () => {
      theme.value = cycle(["dark", "light", "system"] as const, theme.peek());
    },
  },
  {
    id: "palette-colors",
    group: "Page",
    title: "Colors: blue and orange, green and red, red and green",
    chord: "",
    run: () => {
      palette.value = cycle(["blue-orange", "green-red", "red-green"] as const, palette.peek());
    },
  },
  {
    id: "sound",
    group: "Page",
    title: "Sounds: on or off",
    chord: "",
    run: () => {
      isSoundOn.value = !isSoundOn.peek();
    },
  },
  {
    id: "act-on-down",
    group: "Page",
    title: "Act on the press of a mouse button: on or off",
    chord: "",
    run: () => {
      actsOnDown.value = !actsOnDown.peek();
    },
  },
  { id: "sign-out", group: "Page", title: "Sign out", chord: "", run: () => void signOut(false) },
  { id: "sign-out-everywhere", group: "Page", title: "Sign out everywhere", chord: "", run: () => void signOut(true) },
];

const added = signal<readonly Command[]>([]);

/** All commands: those above and those that panels have added. */
export const commands = computed<readonly Command[]>(() => {
  const isSignedIn = session.value !== null;
  return [...COMMANDS, ...added.value].filter(({ id }) => isSignedIn || !id.startsWith("sign-out"));
});

/** Adds a panel's own command, such as to center the ladder; returns how to remove it. */
export function addCommand(command: Command): () => void {
  added.value = [...added.peek(), command];
  return () => {
    added.value = added.peek().filter((one) => one !== command);
  };
}

/** The chord of each command, by its id; an empty text: none. */
export const bindings = computed<ReadonlyMap<string, string>>(
  () => new Map(commands.value.map(({ id, chord }) => [id, keys.value[id] ?? chord])),
);

/** The chord that a person gives a command; `null` gives back the page's own. */
export function bind(id: string, chord: string | null): void {
  const { [id]: _, ...others } = keys.peek();
  keys.value = chord === null ? others : { ...others, [id]: chord };
}

// The order ticket: one form for every order type and list of the venue.
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { format } from "../../numbers/decimal";
import { accountFreshness } from "../../stores/account";
import { book, bookFreshness } from "../../stores/book";
import { worstOf } from "../../stores/freshness";
import { market as chosenMarket } from "../../stores/markets";
import { lastSent } from "../../stores/orders";
import { session } from "../../stores/session";
import { ticket } from "../../stores/ticketDraft";
import type { Freshness, Market, Side } from "../../stores/types";
import { later } from "../../ui/Later";
import { Panel } from "../../ui/Panel";
import { entering, orderDraft } from "./draft";
import { readForm } from "./form";
import { NumberField } from "./NumberField";
import type { Problem } from "./numbers";
import { type FindProblem, PriceFields, TimeFields } from "./OrderFields";
import { PercentButtons } from "./PercentButtons";
import { PhaseLine, PhaseMark } from "./PhaseLine";
import { PreviewTable } from "./PreviewTable";
import { ProblemLine } from "./ProblemLine";
import { preview } from "./preview";
import { quoteScale, type ReadTicket, readTicket, type Situation } from "./rules";
import { SelectField } from "./SelectField";
import { send, sentList } from "./send";
import { meansOf, situationOf, watchBook } from "./situation";
import "./ticket.css";
import { isList, type Kind, ownTimes, ownTypes, PEGS, paysLater, TAKES } from "./types";
import { VenueCheck } from "./VenueCheck";
import { buttonWords, KIND_GROUPS, KIND_HINTS, KIND_NAMES, kindUnavailable, PEG_NAMES, verbOf } from "./words";

const MoreFields = later("Further terms", async () => (await import("./MoreFields")).MoreFields);
const OrderLife = later("What became of the order", async () => (await import("./OrderLife")).OrderLife);
const LegFields = later("The further orders of a list", async () => (await import("./LegFields")).LegFields);

/** Shown at once: they concern a choice rather than a number that is being typed. */
const OF_CHOICES = ["side", "type", "phase", "timeInForce"];

export function TicketPanel() {
  const market = chosenMarket.value;
  const freshness = useComputed(() => worstOf(accountFreshness.value, bookFreshness.value));
  return (
    <Panel
      title="Order"
      testId="order-ticket"
      freshness={freshness.value}
      class="ticket"
      tools={market && <PhaseMark market={market} />}
    >
      {market === null ? (
        <p class="ticket-nothing">Reading the market …</p>
      ) : (
        <TicketForm key={market.symbol} market={market} freshness={freshness.value} />
      )}
    </Panel>
  );
}

function TicketForm({ market, freshness }: { market: Market; freshness: Freshness }) {
  const form = useRef<HTMLFormElement>(null);
  /** Whether the person has tried to send: then what is missing is said, too. */
  const hasTried = useSignal(false);
  const hasSent = useComputed(() => lastSent.value !== null || sentList.value !== null);
  useEffect(watchBook, []);
  usePricesOf(market);

  const situation = situationOf(market);
  const means = meansOf(market);
  const values = readForm();
  const read = readTicket(values, market, situation);
  const { own, kind } = read;
  const seen = preview(own, book, market, means);
  const certain = read.problems.filter(({ isCertain }) => isCertain);
  const blocked = whyNot(freshness, certain);
  const problemOf: FindProblem = (path) => {
    const problem = read.problems.find(({ field }) => field === path);
    const isShown = hasTried.value || OF_CHOICES.includes(path) || textAt(values, path).trim() !== "";
    return problem && isShown ? problem : undefined;
  };

  const submit = (event: Event) => {
    event.preventDefault();
    if (blocked !== null) return;
    hasTried.value = certain.length > 0;
    const first = certain[0];
    if (first === undefined) send(read, market);
    else form.current?.querySelector<HTMLElement>(`[data-path="${first.field}"]`)?.focus();
  };
  const drafts =
    session.value === null || certain.length > 0 || freshness !== "live"
      ? []
      : entering(read).map((order) => orderDraft(order, read, market));
  return (
    <form
      ref={form}
      class="ticket-form"
      data-side={own.side}
      noValidate
      autocomplete="off"
      onSubmit={submit}
      onKeyDown={(event) => {
        // A key that is held down sends once.
        if (event.key === "Enter" && event.repeat) event.preventDefault();
      }}
    >
      <PhaseLine market={market} />
      <Sides kind={kind} />
      <ProblemLine path="side" problem={problemOf("side")} />
      <TypeField kind={kind} market={market} problemOf={problemOf} />
      <OwnFields read={read} market={market} situation={situation} problemOf={problemOf} />
      <PercentButtons read={read} market={market} means={means} />
      <TimeFields path="" times={ownTimes(kind, own.type, ticket.peg.value)} problemOf={problemOf} />
      <MoreTerms read={read} market={market} situation={situation} problemOf={problemOf} />
      {isList(kind) && <LegFields read={read} market={market} situation={situation} problemOf={problemOf} />}
      <PreviewTable order={own} seen={seen} market={market} />
      <div class="ticket-foot">
        <VenueCheck drafts={drafts} />
        <button
          type="submit"
          class="button ticket-submit"
          data-look={own.side === "BUY" ? "buy" : "sell"}
          data-testid="ticket-submit"
          disabled={blocked !== null}
          aria-describedby="ticket-blocked"
        >
          {buttonWords(read, market)}
        </button>
        <p id="ticket-blocked" class="ticket-blocked warning">
          {blocked}
        </p>
        {hasSent.value && <OrderLife />}
      </div>
    </form>
  );
}

interface PartProps {
  read: ReadTicket;
  market: Market;
  situation: Situation;
  problemOf: FindProblem;
}

function Sides({ kind }: { kind: Kind }) {
  const only = paysLater(kind) ? `An ${kind} buys first, and sells what it has bought` : undefined;
  const side = (one: Side) => (
    <button
      type="button"
      class="ticket-side"
      data-side={one}
      data-testid={`ticket-side-${one.toLowerCase()}`}
      aria-pressed={ticket.side.value === one}
      disabled={one === "SELL" && only !== undefined}
      title={one === "SELL" ? only : undefined}
      onClick={() => {
        ticket.side.value = one;
      }}
    >
      {verbOf(one)}
    </button>
  );
  return (
    <div class="ticket-sides" role="group" aria-label="Side">
      {side("BUY")}
      {side("SELL")}
    </div>
  );
}

function TypeField({ kind, market, problemOf }: { kind: Kind; market: Market; problemOf: FindProblem }) {
  const choose = (chosen: Kind) => {
    ticket.type.value = chosen;
    if (paysLater(chosen)) ticket.side.value = "BUY";
  };
  return (
    <>
      <div class="ticket-line">
        <label class="ticket-label" for="ticket-field-type">
          Type
        </label>
        <select
          id="ticket-field-type"
          class="field"
          data-testid="ticket-type"
          value={kind}
          aria-describedby="ticket-hint"
          onChange={(event) => choose(event.currentTarget.value as Kind)}
        >
          {KIND_GROUPS.map(({ name, kinds }) => (
            <optgroup key={name} label={name}>
              {kinds.map((one) => {
                const unavailable = kindUnavailable(one, market);
                return (
                  <option key={one} value={one} disabled={unavailable !== null} selected={one === kind}>
                    {unavailable === null ? KIND_NAMES[one] : `${KIND_NAMES[one]} (${unavailable})`}
                  </option>
                );
              })}
            </optgroup>
          ))}
        </select>
      </div>
      <p id="ticket-hint" class="ticket-hint">
        {KIND_HINTS[kind]}
      </p>
      <ProblemLine path="type" problem={problemOf("type")} />
    </>
  );
}

/** Price and size of the ticket's own order; of an OCO its take-profit order. */
function OwnFields({ read, market, situation, problemOf }: PartProps) {
  const { kind, own } = read;
  const peg = ticket.peg.value;
  const types = ownTypes(kind, peg);
  const isPegged = kind === "PEGGED";
  const hasPrice = TAKES[own.type].price && !(isPegged && peg === "MARKET_PEG");
  const priceLabel = isPegged ? (own.side === "BUY" ? "Never above" : "Never below") : "Price";
  const isByQuote = kind === "MARKET" && ticket.isByQuote.value;
  return (
    <>
      {isPegged && (
        <SelectField
          label="Follows"
          path="peg"
          value={own.peg?.reference ?? "PRIMARY_PEG"}
          options={PEGS.map((value) => ({ value, text: PEG_NAMES[value] }))}
          onChoose={(value) => {
            ticket.peg.value = value;
          }}
        />
      )}
      {types.length > 1 && (
        <SelectField
          label={kind === "OCO" ? "Take profit" : isList(kind) ? "First order" : "Enters as"}
          path="own-type"
          value={own.type}
          options={types.map((value) => ({ value, text: KIND_NAMES[value] }))}
          onChoose={(value) => {
            ticket.ownType.value = value;
          }}
        />
      )}
      {isPegged && peg !== "MARKET_PEG" && (
        <NumberField
          label="Offset"
          path="pegOffset"
          testId="ticket-peg-offset"
          value={ticket.pegOffset}
          scale={{ decimals: 0, step: 1n, min: -1_000_000n, max: 1_000_000n }}
          unit="ticks"
          start={0n}
          placeholder="0"
          problem={problemOf("pegOffset")}
        />
      )}
      <PriceFields
        path=""
        type={own.type}
        side={own.side}
        times={[]}
        market={market}
        situation={situation}
        problemOf={problemOf}
        priceLabel={hasPrice ? priceLabel : null}
      />
      {kind === "MARKET" && (
        <div class="ticket-line">
          <span class="ticket-label">Size in</span>
          <div class="ticket-units" role="group" aria-label="Size in">
            {[market.base, market.quote].map((asset, index) => (
              <button
                key={asset}
                type="button"
                class="ticket-choice"
                aria-pressed={isByQuote === (index === 1)}
                data-testid={index === 1 ? "ticket-by-quote" : "ticket-by-base"}
                onClick={() => {
                  ticket.isByQuote.value = index === 1;
                }}
              >
                {asset}
              </button>
            ))}
          </div>
        </div>
      )}
      {isByQuote ? (
        <NumberField
          label="Amount"
          path="quoteQty"
          testId="ticket-quote-qty"
          value={ticket.quoteQty}
          scale={{ ...quoteScale(market), step: 10n ** BigInt(market.quoteDecimals) }}
          unit={market.quote}
          problem={problemOf("quoteQty")}
        />
      ) : (
        <NumberField
          label="Quantity"
          path="qty"
          testId="ticket-qty"
          value={ticket.qty}
          scale={market.qty}
          unit={market.base}
          problem={problemOf("qty")}
        />
      )}
    </>
  );
}

/** The terms that few orders have; their fields are loaded when they are opened. */
function MoreTerms(props: PartProps) {
  const { own, selfTrade } = props.read;
  const set = [own.icebergQty !== null || own.isHidden, own.minQty !== null, selfTrade !== "NONE", own.isWithinBalance];
  const count = set.filter(Boolean).length;
  const hasProblem = ["icebergQty", "minQty"].some((path) => props.problemOf(path) !== undefined);
  const isOpen = useSignal(false);
  return (
    <details
      class="ticket-more"
      open={isOpen.value || hasProblem}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>More terms{count > 0 && ` (${count} set)`}</summary>
      {(isOpen.value || hasProblem) && <MoreFields {...props} />}
    </details>
  );
}

/** Numbers of another market mean nothing in this one; a first price is offered once it is known. */
function usePricesOf(market: Market): void {
  useEffect(() => {
    const orders = [ticket, ticket.pending, ticket.profit, ticket.stop];
    const fields = orders.flatMap(({ price, stopPrice, icebergQty, minQty }) => [price, stopPrice, icebergQty, minQty]);
    return () => {
      for (const field of [...fields, ticket.qty, ticket.quoteQty, ticket.pendingQty]) field.value = "";
    };
  }, []);
  const isOffered = useSignal(false);
  useSignalEffect(() => {
    const { bestBid, last } = situationOf(market);
    const offered = bestBid ?? last;
    if (isOffered.peek() || offered === null) return;
    isOffered.value = true;
    if (ticket.price.peek() === "") ticket.price.value = format(offered, market.price.decimals);
  });
}

/** Why the button sends nothing now. */
function whyNot(freshness: Freshness, certain: readonly Problem[]): string | null {
  if (session.value === null) return "Sign in to trade.";
  if (session.value.role !== "trader") return "This sign-in may read only.";
  if (freshness === "stale") return "No sign of life from the venue: nothing is sent until it is back.";
  if (freshness === "catching-up") return "Catching up with the venue: a moment.";
  return certain.find(({ field }) => field === "phase")?.text ?? null;
}

function textAt(values: object, path: string): string {
  const found = path
    .split(".")
    .reduce<unknown>((node, name) => (node as Readonly<Record<string, unknown>> | undefined)?.[name], values);
  return typeof found === "string" ? found : "";
}

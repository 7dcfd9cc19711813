// The fields of one order: only those that its type takes.
import { ticket } from "../../stores/ticketDraft";
import type { Market, Side } from "../../stores/types";
import { NumberField } from "./NumberField";
import type { Problem } from "./numbers";
import { ProblemLine, problemId } from "./ProblemLine";
import { type Situation, trailingScale } from "./rules";
import { SelectField } from "./SelectField";
import { chosenOf, type OrderType, TAKES, type TimeInForce, waitsForRise } from "./types";
import { TIME_NAMES } from "./words";

export type FindProblem = (path: string) => Problem | undefined;

export interface OrderFieldsProps {
  /** In front of the names of its fields: empty, or `pending.` and so on. */
  path: "" | "pending." | "profit." | "stop.";
  type: OrderType;
  side: Side;
  times: readonly TimeInForce[];
  market: Market;
  situation: Situation;
  problemOf: FindProblem;
  /** `null`: it has no price to enter. */
  priceLabel: string | null;
}

export const fieldsOf = (path: OrderFieldsProps["path"]) =>
  ({ "": ticket, "pending.": ticket.pending, "profit.": ticket.profit, "stop.": ticket.stop })[path];

/** Stop, trailing distance and price. */
export function PriceFields({ path, type, side, market, situation, problemOf, priceLabel }: OrderFieldsProps) {
  const fields = fieldsOf(path);
  const takes = TAKES[type];
  const isRise = waitsForRise(type, side);
  const best = side === "BUY" ? situation.bestBid : situation.bestAsk;
  const field = (name: string) => `${path}${name}`;
  return (
    <>
      {takes.trigger && (
        <>
          <NumberField
            label={`Stop ${isRise ? "≥" : "≤"}`}
            path={field("stopPrice")}
            testId={`ticket-${path}stop-price`}
            value={fields.stopPrice}
            scale={market.price}
            unit={market.quote}
            start={situation.last}
            problem={problemOf(field("stopPrice"))}
          />
          <NumberField
            label="Trailing"
            path={field("trailing")}
            testId={`ticket-${path}trailing`}
            value={fields.trailing}
            scale={trailingScale(market, isRise)}
            unit="%"
            start={100n}
            placeholder="none"
            problem={problemOf(field("trailing"))}
          />
        </>
      )}
      {priceLabel !== null && (
        <NumberField
          label={priceLabel}
          path={field("price")}
          testId={`ticket-${path}price`}
          value={fields.price}
          scale={market.price}
          unit={market.quote}
          start={best ?? situation.last}
          problem={problemOf(field("price"))}
        />
      )}
    </>
  );
}

/** How long it stands. */
export function TimeFields({ path, times, problemOf }: Pick<OrderFieldsProps, "path" | "times" | "problemOf">) {
  const fields = fieldsOf(path);
  if (times.length === 0) return null;
  const time = chosenOf(times, fields.timeInForce.value);
  const field = `${path}goodTill`;
  const id = `ticket-field-${field}`;
  return (
    <>
      <SelectField
        label="Time in force"
        path={`${path}timeInForce`}
        value={time}
        options={times.map((one) => ({ value: one, text: TIME_NAMES[one] }))}
        onChoose={(chosen) => {
          fields.timeInForce.value = chosen;
        }}
      />
      <ProblemLine path={`${path}timeInForce`} problem={problemOf(`${path}timeInForce`)} />
      {time === "GTD" && (
        <div class="ticket-line">
          <label class="ticket-label" for={id}>
            Until (UTC)
          </label>
          <input
            id={id}
            class="field number"
            type="datetime-local"
            data-testid={`ticket-${path}good-till`}
            data-path={field}
            value={fields.goodTill}
            aria-invalid={problemOf(field) !== undefined}
            aria-describedby={problemOf(field) && problemId(field)}
            onInput={(event) => {
              fields.goodTill.value = event.currentTarget.value;
            }}
          />
          <ProblemLine path={field} problem={problemOf(field)} />
        </div>
      )}
    </>
  );
}

// The further orders of a list.
import { ticket } from "../../stores/ticketDraft";
import type { Market } from "../../stores/types";
import { NumberField } from "./NumberField";
import { type FindProblem, PriceFields, TimeFields } from "./OrderFields";
import type { ReadOrder, ReadTicket, Situation } from "./rules";
import { SelectField } from "./SelectField";
import { TermFields } from "./TermFields";
import {
  type OrderType,
  opposite,
  PENDING_TYPES,
  PROFIT_TYPES,
  paysLater,
  STOP_TYPES,
  TAKES,
  timesInList,
} from "./types";
import { KIND_NAMES, verbOf } from "./words";

interface Props {
  read: ReadTicket;
  market: Market;
  situation: Situation;
  problemOf: FindProblem;
}

export function LegFields({ read, market, situation, problemOf }: Props) {
  const { kind, pending, profit, stop, own } = read;
  const leg = (
    path: "pending." | "profit." | "stop.",
    title: string,
    types: readonly OrderType[],
    order: ReadOrder,
  ) => (
    <Leg
      path={path}
      title={title}
      types={types}
      order={order}
      market={market}
      situation={situation}
      problemOf={problemOf}
    />
  );
  const hasLater = pending !== null || profit !== null;
  const laterSide = (pending ?? profit ?? own).side;
  return (
    <>
      {hasLater && (
        <fieldset class="ticket-leg">
          <legend>Then</legend>
          <SelectField
            label="Side"
            path="pendingSide"
            value={ticket.pendingSide.value}
            options={[
              { value: "opposite", text: verbOf(opposite(own.side)) },
              {
                value: "same",
                text: verbOf(own.side),
                unavailable: paysLater(kind) ? "it sells what was bought" : null,
              },
            ]}
            onChoose={(value) => {
              ticket.pendingSide.value = value;
            }}
          />
          {paysLater(kind) ? (
            <p class="ticket-hint">The quantity is what the first order has bought, in whole lots, less the fee.</p>
          ) : (
            <NumberField
              label="Quantity"
              path="pendingQty"
              testId="ticket-pending-qty"
              value={ticket.pendingQty}
              scale={market.qty}
              unit={market.base}
              start={own.qty}
              problem={problemOf("pendingQty")}
            />
          )}
        </fieldset>
      )}
      {pending && leg("pending.", `${verbOf(laterSide)} order`, PENDING_TYPES, pending)}
      {profit && leg("profit.", "Take profit", PROFIT_TYPES, profit)}
      {stop && leg("stop.", "Stop", STOP_TYPES, stop)}
    </>
  );
}

interface LegProps extends Omit<Props, "read"> {
  path: "pending." | "profit." | "stop.";
  title: string;
  types: readonly OrderType[];
  order: ReadOrder;
}

function Leg({ path, title, types, order, market, situation, problemOf }: LegProps) {
  const fields = ticket[path.slice(0, -1) as "pending" | "profit" | "stop"];
  const { type, side } = order;
  const times = timesInList(type);
  const props = { path, type, side, times, market, situation, problemOf };
  return (
    <fieldset class="ticket-leg">
      <legend>{title}</legend>
      <SelectField
        label="Type"
        path={`${path}type`}
        value={type}
        options={types.map((value) => ({ value, text: KIND_NAMES[value] }))}
        onChoose={(value) => {
          fields.type.value = value;
        }}
      />
      <PriceFields {...props} priceLabel={TAKES[type].price ? "Price" : null} />
      <TimeFields path={path} times={times} problemOf={problemOf} />
      <details class="ticket-more">
        <summary>More terms</summary>
        <TermFields {...props} priceLabel={null} />
      </details>
    </fieldset>
  );
}

// The terms that few orders have.
import { ticket } from "../../stores/ticketDraft";
import type { Market } from "../../stores/types";
import { Toggle } from "../../ui/Toggle";
import type { FindProblem } from "./OrderFields";
import type { ReadTicket, Situation } from "./rules";
import { SelectField } from "./SelectField";
import { TermFields } from "./TermFields";
import { ownTimes, SELF_TRADE_MODES } from "./types";
import { SELF_TRADE_NAMES } from "./words";

interface Props {
  read: ReadTicket;
  market: Market;
  situation: Situation;
  problemOf: FindProblem;
}

export function MoreFields({ read, market, situation, problemOf }: Props) {
  const { kind, own, selfTrade } = read;
  return (
    <>
      <TermFields
        path=""
        type={own.type}
        side={own.side}
        times={ownTimes(kind, own.type, ticket.peg.value)}
        market={market}
        situation={situation}
        problemOf={problemOf}
        priceLabel={null}
      />
      {kind === "MARKET" && (
        <Toggle
          testId="ticket-within-balance"
          checked={ticket.isWithinBalance.value}
          onChange={(on) => {
            ticket.isWithinBalance.value = on;
          }}
        >
          Trade as far as the balance pays
        </Toggle>
      )}
      <SelectField
        label="Own orders"
        path="selfTrade"
        value={selfTrade as keyof typeof SELF_TRADE_NAMES}
        options={SELF_TRADE_MODES.map((value) => ({ value, text: SELF_TRADE_NAMES[value] }))}
        onChoose={(value) => {
          ticket.selfTrade.value = value;
        }}
      />
    </>
  );
}

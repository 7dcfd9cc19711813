import { formatGrouped } from "../../numbers/decimal";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { question, sendNow, warningsFor } from "./send";
import { situationOf } from "./situation";
import { buttonWords, orderLines } from "./words";

/** Asks once more where a warning applies. */
export function ConfirmDialog() {
  const asked = question.value;
  if (asked === null) return null;
  const { read, market } = asked;
  const close = () => {
    question.value = null;
  };
  const confirm = () => {
    close();
    sendNow(read, market);
  };
  const { last } = situationOf(market);
  // The market moves on while the person reads.
  const current = warningsFor(read, market);
  return (
    <Dialog
      title={`Send this order to ${market.symbol}?`}
      onClose={close}
      testId="confirm-dialog"
      class="ticket-confirm"
    >
      <ul class="ticket-confirm-orders">
        {orderLines(read, market).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ul class="ticket-confirm-warnings">
        {(current.length > 0 ? current : asked.warnings).map((warning) => (
          <li key={warning} class="warning">
            ! {warning}
          </li>
        ))}
      </ul>
      {last !== null && <p class="dim">Last price {formatGrouped(last, market.price.decimals)}</p>}
      <div class="ticket-confirm-buttons">
        <Button onClick={close}>Keep editing</Button>
        <Button look={read.own.side === "BUY" ? "buy" : "sell"} testId="confirm" onClick={confirm}>
          {buttonWords(read, market)}
        </Button>
      </div>
    </Dialog>
  );
}

import { formatGrouped } from "../../numbers/decimal";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { answerQuestion, question } from "./send";
import { situationOf } from "./situation";
import "./confirm.css";

/** Asks once more where a warning applies. */
export function ConfirmDialog() {
  const asking = question.value;
  if (asking === null) return null;
  const { market, side, title, lines, action, warnings, asked } = asking;
  const close = () => answerQuestion(false);
  const { last } = situationOf(market);
  const current = warnings();
  return (
    <Dialog title={title} onClose={close} testId="confirm-dialog" class="ticket-confirm">
      <ul class="ticket-confirm-orders">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <ul class="ticket-confirm-warnings">
        {(current.length > 0 ? current : asked).map((warning) => (
          <li key={warning} class="warning">
            ! {warning}
          </li>
        ))}
      </ul>
      {last !== null && <p class="dim">Last price {formatGrouped(last, market.price.decimals)}</p>}
      <div class="ticket-confirm-buttons">
        <Button onClick={close}>Keep editing</Button>
        <Button look={side === "BUY" ? "buy" : "sell"} testId="confirm" onClick={() => answerQuestion(true)}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

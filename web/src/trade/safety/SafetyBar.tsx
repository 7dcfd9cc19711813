// What limits harm: the arm switch, cancels by one click, and cancel on disconnect.
import { cancelMany } from "../../stores/act";
import { chosen } from "../../stores/markets";
import { openOrders, ordersOfChosen } from "../../stores/orders";
import { cancelOnDisconnect, session, setCancelOnDisconnect } from "../../stores/session";
import { Button } from "../../ui/Button";
import { Toggle } from "../../ui/Toggle";
import { openDialog } from "../keys/dialogs";
import { ArmSwitch } from "./ArmSwitch";
import { onPress } from "./press";
import "./safety.css";

export function SafetyBar() {
  const isSignedIn = session.value !== null;
  return (
    <div class="safety" role="group" aria-label="Safety" data-testid="safety">
      <ArmSwitch />
      {isSignedIn && <Cancels />}
      {isSignedIn && (
        <Toggle
          testId="cancel-on-disconnect"
          checked={cancelOnDisconnect.value}
          onChange={(on) => void setCancelOnDisconnect(on)}
          title={
            cancelOnDisconnect.value
              ? "On: the venue cancels orders sent from now on when this page loses its connection. Turning it off cancels those that stand under it."
              : "Off: your orders stay when this page loses its connection."
          }
        >
          <span class="safety-long">Cancel on disconnect</span>
          <span class="safety-short" aria-hidden="true">
            ✕ On disconnect
          </span>
        </Toggle>
      )}
      <span class="safety-tools">
        <Button look="plain" label="Commands" title="Commands (Ctrl+K)" onClick={() => openDialog("palette")}>
          ⌘
        </Button>
        <Button look="plain" class="safety-keys" label="Keys" title="Keys (?)" onClick={() => openDialog("keys")}>
          ?
        </Button>
        <Button
          look="plain"
          label="Settings"
          title="Settings (,)"
          testId="settings"
          onClick={() => openDialog("settings")}
        >
          ⚙
        </Button>
      </span>
    </div>
  );
}

function Cancels() {
  const symbol = chosen.value;
  const here = ordersOfChosen.value;
  const buys = here.filter(({ side }) => side === "BUY").length;
  return (
    <span class="safety-cancels" role="group" aria-label="Cancel orders">
      <span class="safety-word" aria-hidden="true">
        Cancel
      </span>
      <CancelButton id="buys" text="Buys" of={`buys of ${symbol}`} count={buys} filter={{ symbol, side: "BUY" }} />
      <CancelButton
        id="sells"
        text="Sells"
        of={`sells of ${symbol}`}
        count={here.length - buys}
        filter={{ symbol, side: "SELL" }}
      />
      <CancelButton id="symbol" text={symbol} of={`orders of ${symbol}`} count={here.length} filter={{ symbol }} />
      <CancelButton id="all" text="All" of="orders of all markets" count={openOrders.value.length} filter={{}} />
    </span>
  );
}

interface CancelProps {
  id: string;
  text: string;
  of: string;
  count: number;
  filter: Parameters<typeof cancelMany>[0];
}

function CancelButton({ id, text, of, count, filter }: CancelProps) {
  return (
    <button
      type="button"
      class="button safety-cancel"
      data-testid={`cancel-${id}`}
      disabled={count === 0}
      aria-label={`${text} ${count}: cancel ${count} ${of}`}
      title={count === 0 ? `No open ${of}` : `Cancel ${count} open ${of}`}
      {...onPress(() => void cancelMany(filter))}
    >
      <span aria-hidden="true">✕</span> {text} <span class="safety-count">{count}</span>
    </button>
  );
}

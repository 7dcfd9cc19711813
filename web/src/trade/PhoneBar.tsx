// What a phone shows at a time, and how a thumb changes it.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { prefill } from "../stores/ticketDraft";
import type { Side } from "../stores/types";
import { Button } from "../ui/Button";
import { Tabs } from "../ui/Tabs";

type View = "market" | "trade" | "orders" | "ticket";
type Segment = "chart" | "ladder" | "book" | "trades";

export const phoneView = signal<View>("trade");
const segment = signal<Segment>("chart");

const SEGMENTS = [
  { id: "chart", text: "Chart" },
  { id: "ladder", text: "Ladder" },
  { id: "book", text: "Book" },
  { id: "trades", text: "Trades" },
] as const;

const VIEWS: readonly { id: View; text: string }[] = [
  { id: "market", text: "Markets" },
  { id: "trade", text: "Trade" },
  { id: "orders", text: "Orders" },
];

export function PhoneSegments(panels: Record<Segment, ComponentChildren>) {
  return (
    <>
      <Tabs
        label="Panels"
        tabs={SEGMENTS}
        chosen={segment.value}
        onChoose={(id) => {
          segment.value = id;
        }}
      />
      <div class="phone-panel">{panels[segment.value]}</div>
    </>
  );
}

export function PhoneBar() {
  const open = (side: Side) => {
    prefill({ side });
    phoneView.value = "ticket";
  };
  return (
    <div class="phone-bars">
      {phoneView.value === "trade" && (
        <div class="phone-sides">
          <Button look="buy" onClick={() => open("BUY")}>
            Buy
          </Button>
          <Button look="sell" onClick={() => open("SELL")}>
            Sell
          </Button>
        </div>
      )}
      <nav class="phone-nav" aria-label="Views">
        {VIEWS.map(({ id, text }) => (
          <Button
            key={id}
            look="plain"
            pressed={phoneView.value === id}
            onClick={() => {
              phoneView.value = id;
            }}
          >
            {text}
          </Button>
        ))}
      </nav>
    </div>
  );
}

// Own orders, fills and balances over all markets, beside each other where there is room, else behind tabs.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { accountFreshness } from "../../stores/account";
import { fills } from "../../stores/fills";
import { FRESHNESS_WORDS } from "../../stores/freshness";
import { notices } from "../../stores/notices";
import { openOrders } from "../../stores/orders";
import { Button } from "../../ui/Button";
import { later } from "../../ui/Later";
import { Tabs } from "../../ui/Tabs";
import { Balances, exportBalances } from "./Balances";
import { exportFills, Fills, fillFilter } from "./Fills";
import { Filters } from "./Filters";
import { followLives } from "./life";
import { linkedLists } from "./linked";
import { exportOrders, OpenOrders, orderFilter } from "./OpenOrders";
import "./dock.css";
import { useWidth } from "./useWidth";

const Lists = later("The lists", async () => (await import("./Lists")).Lists);
const Messages = later("The messages", async () => (await import("./Messages")).Messages);
const OrderLife = later("The order", async () => (await import("./OrderLife")).OrderLife);

type Tab = "orders" | "lists" | "messages" | "fills" | "balances";

/** From here on the three tables have room for what they need most, in pixels. */
const WIDE_FROM = 1_120;

export function Dock() {
  const [element, width] = useWidth<HTMLDivElement>();
  const tab = useSignal<Tab>("orders");
  const life = useSignal<string | null>(null);
  useEffect(followLives, []);
  const isWide = width >= WIDE_FROM;
  const beside: Tab[] = isWide ? ["fills", "balances"] : [];
  const tabs = allTabs().filter(({ id }) => !beside.includes(id));
  const chosen = beside.includes(tab.value) ? "orders" : tab.value;
  const choose = (id: Tab) => {
    tab.value = id;
  };
  const onLife = (key: string) => {
    life.value = key;
  };
  return (
    <div ref={element} class="dock" data-wide={isWide} data-state={accountFreshness.value}>
      <Pane
        id={chosen}
        onLife={onLife}
        title={<Tabs label="Orders and account" tabs={tabs} chosen={chosen} onChoose={choose} />}
        isChosenByTab
      />
      {beside.map((id) => (
        <Pane
          key={id}
          id={id}
          onLife={onLife}
          title={<h2 class="panel-title">{id === "fills" ? "Fills" : "Balances"}</h2>}
        />
      ))}
      {life.value !== null && (
        <OrderLife
          orderKey={life.value}
          onClose={() => {
            life.value = null;
          }}
        />
      )}
    </div>
  );
}

function allTabs(): { id: Tab; text: string }[] {
  return [
    { id: "orders", text: `Open orders${count(openOrders.value.length)}` },
    { id: "lists", text: `Lists${count(linkedLists.value.length)}` },
    { id: "fills", text: `Fills${count(fills.value.length)}` },
    { id: "balances", text: "Balances" },
    { id: "messages", text: `Messages${count(notices.value.length)}` },
  ];
}

const count = (rows: number) => (rows === 0 ? "" : ` ${rows}`);

interface PaneProps {
  id: Tab;
  title: ComponentChildren;
  onLife: (key: string) => void;
  isChosenByTab?: boolean;
}

function Pane({ id, title, onLife, isChosenByTab = false }: PaneProps) {
  const [element, width] = useWidth<HTMLElement>();
  // Messages are the page's own, not the venue's.
  const freshness = id === "messages" ? "live" : accountFreshness.value;
  return (
    <section ref={element} class="panel dock-pane" aria-label={NAMES[id]} data-state={freshness}>
      <header class="panel-head">
        {title}
        {freshness !== "live" && <span class="panel-state">{FRESHNESS_WORDS[freshness]}</span>}
        <div class="panel-tools">
          <Tools id={id} />
        </div>
      </header>
      <div
        class="panel-body dock-body"
        {...(isChosenByTab && { id: `tab-${id}`, role: "tabpanel", "aria-label": NAMES[id] })}
      >
        {id === "orders" && <OpenOrders width={width} onLife={onLife} />}
        {id === "lists" && <Lists onLife={onLife} />}
        {id === "fills" && <Fills width={width} />}
        {id === "balances" && <Balances width={width} />}
        {id === "messages" && <Messages />}
      </div>
    </section>
  );
}

const NAMES: Readonly<Record<Tab, string>> = {
  orders: "Open orders",
  lists: "Lists",
  fills: "Fills",
  balances: "Balances",
  messages: "Messages",
};

function Tools({ id }: { id: Tab }) {
  switch (id) {
    case "orders":
      return (
        <>
          <Filters label="open orders" filter={orderFilter} />
          <Export what="open orders" onClick={exportOrders} />
        </>
      );
    case "fills":
      return (
        <>
          <Filters label="fills" filter={fillFilter} />
          <Export what="fills" onClick={exportFills} />
        </>
      );
    case "balances":
      return <Export what="balances" onClick={exportBalances} />;
    default:
      return null;
  }
}

function Export({ what, onClick }: { what: string; onClick: () => void }) {
  return (
    <Button
      look="plain"
      class="dock-export"
      label={`Save ${what} as CSV`}
      title={`Save ${what} as CSV`}
      onClick={onClick}
    >
      CSV
    </Button>
  );
}

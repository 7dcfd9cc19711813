// What stands below the chart: book and depth beside each other where there is room, otherwise one of them; the auction
// while there is one.
import { signal } from "@preact/signals";
import { auction } from "../stores/auction";
import { isInAuction, market } from "../stores/markets";
import { oneOf, stored } from "../stores/stored";
import { later } from "../ui/Later";
import { Tabs } from "../ui/Tabs";
import { BookPanel } from "./book/BookPanel";

type Side = "book" | "other";

export const AuctionPanel = later("The auction", async () => (await import("./auction/AuctionPanel")).AuctionPanel);
const DepthPanel = later("The depth chart", async () => (await import("./depth/DepthPanel")).DepthPanel);

const wide = matchMedia("(min-width: 1500px)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => {
  isWide.value = wide.matches;
});
const shown = stored<Side>("belowChart", "book", oneOf("book", "other"));

export function BelowChart() {
  // Its result stays until it is put away.
  const isAuction = isInAuction(market.value) || auction.value?.isResult === true;
  const other = isAuction ? <AuctionPanel /> : <DepthPanel />;
  // An auction is what a trader looks for then.
  if (isWide.value || isAuction) {
    return (
      <div class="trade-below">
        <BookPanel />
        {other}
      </div>
    );
  }
  return (
    <div class="trade-tabbed">
      <Tabs
        label="Below the chart"
        tabs={[
          { id: "book", text: "Book" },
          { id: "other", text: "Depth" },
        ]}
        chosen={shown.value}
        onChoose={(id: Side) => {
          shown.value = id;
        }}
      />
      {shown.value === "book" ? <BookPanel /> : other}
    </div>
  );
}

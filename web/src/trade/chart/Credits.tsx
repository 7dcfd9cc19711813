import { useSignal } from "@preact/signals";
import { later } from "../../ui/Later";
import "./chart.css";

const Notices = later("The notices", async () => (await import("./Notices")).Notices);

/** Names the makers of the chart, as its license asks for, and opens all notices. */
export function Credits() {
  const isOpen = useSignal(false);
  return (
    <span class="chart-credits">
      Chart by{" "}
      <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
        TradingView
      </a>
      <button
        type="button"
        class="chart-about"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        About
      </button>
      {isOpen.value && (
        <Notices
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </span>
  );
}

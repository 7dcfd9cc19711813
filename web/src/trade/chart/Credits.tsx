import { useSignal } from "@preact/signals";
import { Dialog } from "../../ui/Dialog";
import "./chart.css";

/** The notices that the licenses of what the page is built with ask for. `web/NOTICE` has the same. */
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
        <Dialog
          title="About this page"
          class="chart-notices"
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <p>Buttonwood is licensed under the Apache License 2.0. Its page contains:</p>
          <ul>
            <li>
              TradingView Lightweight Charts, Copyright (с) 2023 TradingView, Inc.{" "}
              <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
                https://www.tradingview.com/
              </a>
              , under the Apache License 2.0
            </li>
            <li>Preact, Copyright (c) 2015-present Jason Miller, under the MIT License</li>
            <li>Preact Signals, Copyright (c) 2022-present Preact Team, under the MIT License</li>
          </ul>
        </Dialog>
      )}
    </span>
  );
}

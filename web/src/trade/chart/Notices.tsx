import { Dialog } from "../../ui/Dialog";

/** The notices that the licenses of what the page is built with ask for. `web/NOTICE` has the same. */
export function Notices({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="About this page" class="chart-notices" onClose={onClose}>
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
  );
}

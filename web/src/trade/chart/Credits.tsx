/** The notices that the licenses of what the page is built with ask for. `web/NOTICE` has the same. */
export function Credits() {
  return (
    <div class="chart-credits">
      <p>
        The chart is{" "}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          TradingView
        </a>{" "}
        Lightweight Charts, Copyright (с) 2023 TradingView, Inc., licensed under the Apache License 2.0.
      </p>
      <p>The page is built with Preact, Copyright (c) 2015-present Jason Miller, licensed under the MIT License.</p>
    </div>
  );
}

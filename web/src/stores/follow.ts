// Begins all stores.
import { apiLink } from "../connection/api";
import { followClock } from "../connection/clock";
import { streamLink } from "../connection/streams";
import { followAuction } from "./auction";
import { followBook } from "./book";
import { followCandles } from "./candles";
import { followMarkets } from "./markets";
import { followSession } from "./session";
import { followTrades } from "./trades";

export function followVenue(): void {
  apiLink.open();
  streamLink.open();
  followClock();
  followMarkets();
  followBook();
  followTrades();
  followCandles();
  followAuction();
  void followSession();
}

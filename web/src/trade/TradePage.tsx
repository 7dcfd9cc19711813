// The trade page: all panels at once on a desk, one at a time on a phone.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { SignIn } from "../sign-in/SignIn";
import { isInAuction, market } from "../stores/markets";
import { session } from "../stores/session";
import { AuctionPanel } from "./auction/AuctionPanel";
import { BookPanel } from "./book/BookPanel";
import { ChartPanel } from "./chart/ChartPanel";
import { DepthPanel } from "./depth/DepthPanel";
import { Dock } from "./dock/Dock";
import { Hints } from "./Hints";
import { InstrumentsPanel } from "./instruments/InstrumentsPanel";
import { CommandPalette } from "./keys/CommandPalette";
import { installKeys } from "./keys/install";
import { KeySheet } from "./keys/KeySheet";
import { LadderPanel } from "./ladder/LadderPanel";
import { PhoneBar, PhoneSegments, phoneView } from "./PhoneBar";
import { SettingsDialog } from "./safety/SettingsDialog";
import { TapePanel } from "./tape/TapePanel";
import { TicketPanel } from "./ticket/TicketPanel";
import "./trade.css";

const desk = matchMedia("(min-width: 768px)");
const isDesk = signal(desk.matches);
desk.addEventListener("change", () => {
  isDesk.value = desk.matches;
});

export function TradePage() {
  useEffect(() => installKeys(), []);
  return (
    <>
      {isDesk.value ? <Desk /> : <Phone />}
      <KeySheet />
      <CommandPalette />
      <SettingsDialog />
    </>
  );
}

function Desk() {
  return (
    <div class="trade">
      <div class="trade-left">
        <InstrumentsPanel />
        <TapePanel />
      </div>
      <div class="trade-middle">
        <ChartPanel />
        <div class="trade-below">
          <BookPanel />
          {isInAuction(market.value) ? <AuctionPanel /> : <DepthPanel />}
        </div>
      </div>
      <LadderPanel />
      <div class="trade-right">
        <SignIn />
        <TicketPanel />
      </div>
      <div class="trade-dock">
        <Dock />
      </div>
      <Hints />
    </div>
  );
}

function Phone() {
  const view = phoneView.value;
  return (
    <div class="phone">
      {session.value === null && <SignIn />}
      {view === "market" && <InstrumentsPanel />}
      {view === "trade" && (
        <PhoneSegments
          chart={<ChartPanel />}
          ladder={<LadderPanel />}
          book={isInAuction(market.value) ? <AuctionPanel /> : <BookPanel />}
          trades={<TapePanel />}
        />
      )}
      {view === "orders" && <Dock />}
      {view === "ticket" && <TicketPanel />}
      <PhoneBar />
    </div>
  );
}

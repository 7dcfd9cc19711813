// The trade page on a phone: one view at a time.
import { SignIn } from "../sign-in/SignIn";
import { isInAuction, market } from "../stores/markets";
import { session } from "../stores/session";
import { AuctionPanel } from "./BelowChart";
import { BookPanel } from "./book/BookPanel";
import { ChartPanel } from "./chart/ChartPanel";
import { Dock } from "./dock/Dock";
import { InstrumentsPanel } from "./instruments/InstrumentsPanel";
import { LadderPanel } from "./ladder/LadderPanel";
import { PhoneBar, PhoneSegments, phoneView } from "./PhoneBar";
import { SafetyBar } from "./safety/SafetyBar";
import { TapePanel } from "./tape/TapePanel";
import { TicketPanel } from "./ticket/TicketPanel";

export function Phone() {
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
      {view === "orders" && (
        <>
          <SafetyBar />
          <Dock />
        </>
      )}
      {view === "ticket" && <TicketPanel />}
      <PhoneBar />
    </div>
  );
}

// The trade page: all panels at once on a desk, one at a time on a phone.
import { useEffect } from "preact/hooks";
import { SignIn } from "../sign-in/SignIn";
import { isSessionKnown, session } from "../stores/session";
import { hintsSeen } from "../stores/settings";
import { isDesk } from "../ui/desk";
import { later } from "../ui/Later";
import { BelowChart } from "./BelowChart";
import { ChartPanel } from "./chart/ChartPanel";
import { Dock } from "./dock/Dock";
import { InstrumentsPanel } from "./instruments/InstrumentsPanel";
import { dialog } from "./keys/dialogs";
import { EscapeHint } from "./keys/EscapeHint";
import { installKeys } from "./keys/install";
import { LadderPanel } from "./ladder/LadderPanel";
import { TapePanel } from "./tape/TapePanel";
import { question } from "./ticket/send";
import { TicketPanel } from "./ticket/TicketPanel";
import "./trade.css";

const ConfirmDialog = later("The question", async () => (await import("./ticket/ConfirmDialog")).ConfirmDialog);
const Hints = later("The hints", async () => (await import("./Hints")).Hints);
const KeySheet = later("The keys", async () => (await import("./keys/KeySheet")).KeySheet);
const CommandPalette = later("The palette", async () => (await import("./keys/CommandPalette")).CommandPalette);
const Phone = later("The page", async () => (await import("./Phone")).Phone);
const SettingsDialog = later("The settings", async () => (await import("./safety/SettingsDialog")).SettingsDialog);

export function TradePage() {
  useEffect(() => installKeys(), []);
  return (
    <>
      {isDesk.value ? <Desk /> : <Phone />}
      {dialog.value === "keys" && <KeySheet />}
      {dialog.value === "palette" && <CommandPalette />}
      {dialog.value === "settings" && <SettingsDialog />}
      {question.value !== null && <ConfirmDialog />}
      <EscapeHint />
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
        <BelowChart />
      </div>
      <LadderPanel />
      <div class="trade-right">
        <SignIn />
        {/* What comes above it comes with it: it never moves under the pointer. */}
        {isSessionKnown.value && <TicketPanel />}
      </div>
      <div class="trade-dock">
        <Dock />
      </div>
      {session.value !== null && !hintsSeen.value && <Hints />}
    </div>
  );
}

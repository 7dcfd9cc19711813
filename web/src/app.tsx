// The frame of all pages: what is above and below, and what speaks to the person.
import { Announcements } from "./frame/Announcements";
import { StatusBar } from "./frame/StatusBar";
import { Toasts } from "./frame/Toasts";
import { TopBar } from "./frame/TopBar";
import { TradePage } from "./trade/TradePage";
import "./frame/frame.css";

export function App() {
  return (
    <div class="frame">
      <TopBar />
      <main class="frame-page">
        <TradePage />
      </main>
      <StatusBar />
      <Toasts />
      <Announcements />
    </div>
  );
}

// A short tone for each trade of some size: high for a buyer, low for a seller, louder for more.
import { tradeListeners } from "../../stores/trades";
import type { Trade } from "../../stores/types";

const BUY_HZ = 880;
const SELL_HZ = 440;
const SECONDS = 0.07;
/** More tones than this a second are one noise. */
const GAP_MS = 60;
/** Trades that were caught up with are not news. */
const FRESH_MS = 3_000;

/** Sounds until the returned function is called. `from`: smallest size; without one, none sounds. */
export function soundTrades(from: () => bigint | null): () => void {
  const audio = new AudioContext();
  let lastMs = 0;
  const hear = ({ qty, aggressor, timeMs }: Trade) => {
    const least = from();
    const now = performance.now();
    if (least === null || qty < least || now - lastMs < GAP_MS || Date.now() - timeMs > FRESH_MS) return;
    lastMs = now;
    // Ten times the smallest size has the full volume.
    tone(audio, aggressor === "BUY" ? BUY_HZ : SELL_HZ, Math.min(1, Number((qty * 10n) / least) / 100));
  };
  tradeListeners.add(hear);
  return () => {
    tradeListeners.delete(hear);
    void audio.close();
  };
}

function tone(audio: AudioContext, hertz: number, volume: number): void {
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.frequency.value = hertz;
  gain.gain.setValueAtTime(0.3 * volume, audio.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + SECONDS);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start();
  oscillator.stop(audio.currentTime + SECONDS);
}

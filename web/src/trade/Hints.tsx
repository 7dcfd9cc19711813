import { hintsSeen } from "../stores/settings";
import { Button } from "../ui/Button";

/** Three sentences for who has just signed in for the first time. */
export function Hints() {
  return (
    <section class="hints" aria-label="Hints">
      <ol>
        <li>Click a price in the ladder or the book: it stands in the ticket.</li>
        <li>Press “Arm” to trade by one click in the ladder, and by keys.</li>
        <li>
          Press <kbd>?</kbd> for all keys, <kbd>Ctrl</kbd> <kbd>K</kbd> for all commands.
        </li>
      </ol>
      <Button
        onClick={() => {
          hintsSeen.value = true;
        }}
      >
        Got it
      </Button>
    </section>
  );
}

import { notices, takeFix } from "../../stores/notices";
import type { Notice } from "../../stores/types";
import { Button } from "../../ui/Button";
import { clock } from "./words";
import "./lists.css";

const SIGNS: Readonly<Record<Notice["kind"], string>> = { info: "i", good: "✓", warning: "!", bad: "✕" };
const WORDS: Readonly<Record<Notice["kind"], string>> = {
  info: "Note",
  good: "Done",
  warning: "Warning",
  bad: "Refused",
};

export function Messages() {
  if (notices.value.length === 0) return <p class="table-empty">No messages.</p>;
  return (
    <ol class="dock-messages" aria-label="Messages">
      {notices.value.map(({ id, kind, text, timeMs, fix }) => (
        <li key={id} class="dock-message">
          <time class="dim number">{clock(timeMs).slice(0, 8)}</time>
          <span class={kind === "info" ? "dim" : kind} role="img" aria-label={WORDS[kind]}>
            {SIGNS[kind]}
          </span>
          <span>{text}</span>
          {fix && <Button onClick={() => takeFix(id)}>{fix.label}</Button>}
        </li>
      ))}
    </ol>
  );
}

import type { ComponentChildren } from "preact";
import { FRESHNESS_WORDS } from "../stores/freshness";
import type { Freshness } from "../stores/types";

interface Props {
  title: string;
  testId?: string;
  /** What the panel shows greys unless this is `live`. */
  freshness?: Freshness;
  tools?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

export function Panel({ title, testId, freshness = "live", tools, children, class: name = "" }: Props) {
  return (
    <section class={`panel ${name}`} aria-label={title} data-testid={testId} data-state={freshness}>
      <header class="panel-head">
        <h2 class="panel-title">{title}</h2>
        {freshness !== "live" && <span class="panel-state">{FRESHNESS_WORDS[freshness]}</span>}
        <div class="panel-tools">{tools}</div>
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}

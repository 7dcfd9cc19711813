import type { ComponentChildren } from "preact";

interface Props {
  onClick: () => void;
  children: ComponentChildren;
  look?: "plain" | "accent" | "buy" | "sell";
  disabled?: boolean;
  /** Why it is disabled, or what it does. */
  title?: string;
  label?: string;
  testId?: string;
  pressed?: boolean;
  class?: string;
}

export function Button({ onClick, children, look, disabled, title, label, testId, pressed, class: name = "" }: Props) {
  return (
    <button
      type="button"
      class={`button ${name}`}
      data-look={look}
      data-testid={testId}
      disabled={disabled}
      title={title}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

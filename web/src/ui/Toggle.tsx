import type { ComponentChildren } from "preact";

interface Props {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ComponentChildren;
  disabled?: boolean;
  title?: string;
  testId?: string;
}

export function Toggle({ checked, onChange, children, disabled, title, testId }: Props) {
  return (
    <label class="toggle" title={title}>
      <input
        type="checkbox"
        role="switch"
        data-testid={testId}
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

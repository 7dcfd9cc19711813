import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "./Button";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  testId?: string;
  class?: string;
}

/** Modal while it is there: the browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, testId, class: name = "" }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      data-testid={testId}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 class="dialog-title">{title}</h2>
        <Button look="plain" label="Close" onClick={onClose}>
          ✕
        </Button>
      </div>
      {children}
    </dialog>
  );
}

// What a person does with orders, loaded when somebody signs in: a page that only shows the market needs none of it.
import type * as actions from "./actions";

export type { Outcome } from "./actions";

let loaded: typeof actions | null = null;

/** Even of a loaded file `import()` answers only in a later task, which may be a frame later. */
export const loadActions = async () => {
  loaded ??= await import("./actions");
  return loaded;
};

export const place: typeof actions.place = async (...of) => (await loadActions()).place(...of);
export const placeList: typeof actions.placeList = async (...of) => (await loadActions()).placeList(...of);
export const test: typeof actions.test = async (...of) => (await loadActions()).test(...of);
export const cancel: typeof actions.cancel = async (...of) => (await loadActions()).cancel(...of);
export const cancelMany: typeof actions.cancelMany = async (...of) => (await loadActions()).cancelMany(...of);
export const amend: typeof actions.amend = async (...of) => (await loadActions()).amend(...of);

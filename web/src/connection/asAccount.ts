import { type Params, Refused, request } from "./api";
import { measureClock, venueNow } from "./clock";

/** The time of a request is too old, or ahead of the venue's clock. */
const TIME_REFUSED = -1021;

/** A request of the account that is logged on: it carries its time, and the venue refuses one that is old. */
export function asAccount<T>(method: string, params: Params = {}): Promise<T> {
  return onTime(() => request<T>(method, { ...params, timestamp: venueNow() }));
}

/** A request whose time was refused changed nothing: it is sent once more when the venue's time has been read. */
export async function onTime<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Refused && error.code === TIME_REFUSED)) throw error;
    await measureClock();
    return send();
  }
}

import { type Params, request } from "./api";
import { venueNow } from "./clock";

/** A request of the account that is logged on: it carries its time, and the venue refuses one that is old. */
export function asAccount<T>(method: string, params: Params = {}): Promise<T> {
  return request<T>(method, { ...params, timestamp: venueNow() });
}

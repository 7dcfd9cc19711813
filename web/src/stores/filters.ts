import type { Filter } from "../api/types";

/** The filter of a type, with its own fields. */
export function filterIn<T extends Filter["filterType"]>(
  filters: readonly Filter[],
  type: T,
): Extract<Filter, { filterType: T }> | undefined {
  return filters.find((filter): filter is Extract<Filter, { filterType: T }> => filter.filterType === type);
}

/** Without a sign of life for so long, what a panel shows may be the past. */
export const STALE_AFTER_MS = 2_000;
/** A link that was quiet for so long is asked for a sign of life. */
export const PROBE_AFTER_MS = 900;
/** A link that does not answer for so long is given up and opened anew. */
export const DEAD_AFTER_MS = 5_000;

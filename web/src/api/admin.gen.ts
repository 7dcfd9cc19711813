// Made from api/admin-openapi.json by scripts/types.mjs (make web-api).
export interface paths {
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All accounts */
        get: operations["get-accounts"];
        put?: never;
        /** Open an account */
        post: operations["post-accounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/kill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Turn an account's kill switch on, which cancels its open orders and refuses new ones, or off */
        put: operations["put-accounts-account-kill"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/limits/{symbol}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set an account's limits in one instrument; 0 is no limit, no fields show the present values */
        patch: operations["patch-accounts-account-limits-symbol"];
        trace?: never;
    };
    "/accounts/{account}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An account's open orders */
        get: operations["get-accounts-account-orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/risk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set an account's risk mode and order rates; 0 is no limit, no fields show the present values */
        patch: operations["patch-accounts-account-risk"];
        trace?: never;
    };
    "/accounts/{account}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An account's withdrawals in two steps: open ones, and recently ended ones */
        get: operations["get-accounts-account-withdrawals"];
        put?: never;
        /** Lock an amount until the withdrawal is confirmed or canceled */
        post: operations["post-accounts-account-withdrawals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/withdrawals/{external_ref}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approve a withdrawal that another operator has requested */
        post: operations["post-accounts-account-withdrawals-external_ref-approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/withdrawals/{external_ref}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a withdrawal: its amount is free again */
        post: operations["post-accounts-account-withdrawals-external_ref-cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account}/withdrawals/{external_ref}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a withdrawal that has its approvals: its amount leaves the account */
        post: operations["post-accounts-account-withdrawals-external_ref-confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change an account's fees and limits */
        patch: operations["patch-accounts-name"];
        trace?: never;
    };
    "/accounts/{name}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An account's free balances, and those that its orders and withdrawals hold */
        get: operations["get-accounts-name-balances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All assets with their supply */
        get: operations["get-assets"];
        put?: never;
        /** List an asset */
        post: operations["post-assets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the operators' commands: time, key, address, effect or reason of the refusal */
        get: operations["get-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/breaker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the circuit breaker: an automatic halt when an index falls */
        put: operations["put-breaker"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deposit an amount of an asset into an account */
        post: operations["post-deposits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/halt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Halt the venue: it refuses new orders and trades nothing, but takes cancels */
        post: operations["post-halt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All instruments */
        get: operations["get-instruments"];
        put?: never;
        /** List an instrument */
        post: operations["post-instruments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments/{symbol}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delist an instrument, for ever: all its open orders are canceled */
        delete: operations["delete-instruments-symbol"];
        options?: never;
        head?: never;
        /** Change bounds and fees; no fields show the present values */
        patch: operations["patch-instruments-symbol"];
        trace?: never;
    };
    "/instruments/{symbol}/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set the phases of an instrument by the time of the week (UTC); no fields show the calendar */
        patch: operations["patch-instruments-symbol-calendar"];
        trace?: never;
    };
    "/instruments/{symbol}/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set the fees of makers and takers by volume; no fields show the schedule */
        patch: operations["patch-instruments-symbol-fees"];
        trace?: never;
    };
    "/instruments/{symbol}/orders/{order_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An order of any account, open or ended */
        get: operations["get-instruments-symbol-orders-order_id"];
        put?: never;
        post?: never;
        /** Cancel an open order of any account */
        delete: operations["delete-instruments-symbol-orders-order_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments/{symbol}/phase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the phase of an instrument */
        put: operations["put-instruments-symbol-phase"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments/{symbol}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change filters, counts and price bands; 0 is no such rule, no fields show the present values */
        patch: operations["patch-instruments-symbol-rules"];
        trace?: never;
    };
    "/instruments/{symbol}/trades/{trade_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A trade with both its sides: accounts, orders and fees */
        get: operations["get-instruments-symbol-trades-trade_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments/{symbol}/trades/{trade_id}/bust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo a trade: each side returns what it received, fees included */
        post: operations["post-instruments-symbol-trades-trade_id-bust"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/instruments/{symbol}/trades/{trade_id}/correct": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the price of a trade: one side pays the difference to the other, fees stay */
        post: operations["post-instruments-symbol-trades-trade_id-correct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The valid keys */
        get: operations["get-keys"];
        put?: never;
        /** Create a key. The answer is the only place that shows the secret of an HMAC key */
        post: operations["post-keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a key at once */
        delete: operations["delete-keys-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/log-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the level of the venue's log, until its end or the next change */
        put: operations["put-log-level"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/log/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Commands in the log by time, account, instrument, order and name */
        get: operations["get-log-commands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/log/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Books, balances, open orders and phases of a moment of the past, from the log */
        get: operations["get-log-state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The valid logins */
        get: operations["get-logins"];
        put?: never;
        /** Create a login. The answer is the only place that shows the secret of its one-time codes */
        post: operations["post-logins"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logins/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a login at once, and its keys */
        delete: operations["delete-logins-user"];
        options?: never;
        head?: never;
        /** Change the password, the one-time codes or the ways of a login, or sign it out everywhere */
        patch: operations["patch-logins-user"];
        trace?: never;
    };
    "/market": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole market: assets, instruments, accounts with their limits and transfers, keys */
        get: operations["get-market"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/numbering-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a numbering day: sessions of OUCH end, and logins number their orders from 1 again */
        post: operations["post-numbering-day"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receivables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Receivables: debts between accounts after a bust or a correction */
        get: operations["get-receivables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/receivables/{receivable}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pay a receivable from the debtor's free balance, as far as it suffices */
        post: operations["post-receivables-receivable-settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the halt of the venue */
        post: operations["post-resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The stored snapshots, oldest first */
        get: operations["get-snapshots"];
        put?: never;
        /** Take a snapshot now, in the background */
        post: operations["post-snapshots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Status of the venue: role, sequence, durability, snapshots, spool, read model, replica, halt, phases */
        get: operations["get-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move the clock of a test or a demo forward, and wait until what is due then is carried out */
        post: operations["post-test-clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/test/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the faults that wait for a request */
        get: operations["get-test-faults"];
        put?: never;
        /** Have a fault meet the next orders, cancels and changes of an account */
        post: operations["post-test-faults"];
        /** Remove the faults that wait for a request */
        delete: operations["delete-test-faults"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The open withdrawals in two steps */
        get: operations["get-withdrawals"];
        put?: never;
        /** Withdraw an amount in one step; only where withdrawals need no approval */
        post: operations["post-withdrawals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            code: number;
            /** @description One sentence */
            msg: string;
            /** @description The rule that refuses it, where there is one */
            reason?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        /** Format: uint32 */
                        finished_orders_kept: number;
                        /** Format: uint32 */
                        id: number;
                        killed: boolean;
                        /** @description None if it pays the instrument's fees */
                        maker_fee_bps: string | null;
                        /** Format: uint32 */
                        max_open_orders: number;
                        taker_fee_bps: string | null;
                        /** Format: uint32 */
                        trades_kept: number;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "?"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint32
                     * @description Finished orders that the engine keeps in memory; the read model has all
                     * @default 1000
                     */
                    finished_orders_kept?: number;
                    /**
                     * @description Own fee as a maker in basis points, 0 to 10000; needs --taker-fee-bps
                     *     [default: the instruments' fees]
                     */
                    maker_fee_bps?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open orders over all instruments
                     * @default 10000
                     */
                    max_open_orders?: number;
                    /** @description 1 to 32 letters, digits, `.`, `_` and `-` */
                    name: string;
                    /**
                     * @description Own fee as a taker in basis points, 0 to 10000; needs --maker-fee-bps
                     *     [default: the instruments' fees]
                     */
                    taker_fee_bps?: string | null;
                    /**
                     * Format: uint32
                     * @description Trades that the engine keeps in memory, where they can be busted or corrected; the read
                     *     model has all
                     * @default 1000
                     */
                    trades_kept?: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-accounts-account-kill": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "switch": "On"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description State of the kill switch: `on` stops the account
                     * @enum {string}
                     */
                    switch: "On" | "Off";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        killed: boolean;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-accounts-account-limits-symbol": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uint32
                     * @description Largest distance of a limit price through the last price, in whole basis points
                     */
                    collar_bps?: number | null;
                    /** @description Largest price times quantity of all open orders together, in the quote asset */
                    max_open_notional?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open orders
                     */
                    max_open_orders?: number | null;
                    /** @description Largest price times quantity of an order, in the quote asset */
                    max_order_notional?: string | null;
                    /** @description Largest quantity of an order, in whole lots */
                    max_order_qty?: string | null;
                    /** @description Largest position, long or short, if all open orders of that side were filled */
                    max_position?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        /** Format: uint32 */
                        collar_bps: number | null;
                        max_open_notional: string | null;
                        /** Format: uint32 */
                        max_open_orders: number | null;
                        max_order_notional: string | null;
                        max_order_qty: string | null;
                        max_position: string | null;
                        symbol: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-accounts-account-orders": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        client_order_id: string;
                        created: string;
                        filled_qty: string;
                        /** @description Amount of the quote asset that it has traded */
                        filled_quote: string;
                        /** Format: uint64 */
                        order_id: number;
                        /**
                         * Format: uint64
                         * @description The list that it is in, if it is in one
                         */
                        order_list: number | null;
                        /** @description Such as `Limit` or `StopLoss` */
                        order_type: string;
                        price: string;
                        qty: string;
                        /** @enum {string} */
                        side: "Buy" | "Sell";
                        status: ("New" | "PartiallyFilled" | "Filled") | "Canceled" | "Expired" | "Prevented";
                        symbol: string;
                        time_in_force: string;
                        updated: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-accounts-account-risk": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Mode; changes only while the account has no open orders, position, balances or receivables */
                    mode?: ("Cash" | "Limits" | "None") | null;
                    /**
                     * Format: uint32
                     * @description Largest number of new orders in 10 seconds; 0 is no limit
                     */
                    orders_per_10s?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest number of new orders in a day (UTC); 0 is no limit
                     */
                    orders_per_day?: number | null;
                    /**
                     * Format: uint32
                     * @description Self-trade prevention group: its accounts do not trade with each other; 0 is no group
                     */
                    stp_group?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        mode: string;
                        /** Format: uint32 */
                        orders_per_10s: number | null;
                        /** Format: uint32 */
                        orders_per_day: number | null;
                        /** Format: uint32 */
                        stp_group: number | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-accounts-account-withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-accounts-account-withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "?",
                 *       "asset": "?",
                 *       "external_ref": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Amount above 0 with at most the asset's decimals, such as 12.5 */
                    amount: string;
                    /** @description Asset, such as USDT */
                    asset: string;
                    /** @description Reference of 1 to 64 visible ASCII characters; a repeated one is carried out once */
                    external_ref: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-accounts-account-withdrawals-external_ref-approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                external_ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-accounts-account-withdrawals-external_ref-cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                external_ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-accounts-account-withdrawals-external_ref-confirm": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account: string;
                external_ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-accounts-name": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uint32
                     * @description Finished orders that the engine keeps in memory; the read model has all
                     */
                    finished_orders_kept?: number | null;
                    /** @description Own fee as a maker in basis points, 0 to 10000; needs --taker-fee-bps */
                    maker_fee_bps?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open orders over all instruments
                     */
                    max_open_orders?: number | null;
                    /**
                     * @description Remove the own fees: the instruments' fees apply again
                     * @default false
                     */
                    no_own_fees?: boolean;
                    /** @description Own fee as a taker in basis points, 0 to 10000; needs --maker-fee-bps */
                    taker_fee_bps?: string | null;
                    /**
                     * Format: uint32
                     * @description Trades that the engine keeps in memory, where they can be busted or corrected; the read
                     *     model has all
                     */
                    trades_kept?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        /** Format: uint32 */
                        finished_orders_kept: number;
                        /** Format: uint32 */
                        id: number;
                        killed: boolean;
                        /** @description None if it pays the instrument's fees */
                        maker_fee_bps: string | null;
                        /** Format: uint32 */
                        max_open_orders: number;
                        taker_fee_bps: string | null;
                        /** Format: uint32 */
                        trades_kept: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-accounts-name-balances": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset: string;
                        free: string;
                        /** @description The part that open orders and withdrawals hold */
                        locked: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset: string;
                        /** Format: uint8 */
                        decimals: number;
                        /** @description The sum of the balances of all accounts and the venue */
                        supply: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "?"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint8
                     * @description Decimals of its amounts, 0 to 18: the smallest unit is 10^-N
                     * @default 8
                     */
                    decimals?: number;
                    /** @description 1 to 16 capital letters and digits, such as `BTC` */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset: string;
                        /** Format: uint8 */
                        decimals: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-audit": {
        parameters: {
            query?: {
                command?: string;
                from?: string;
                key?: number;
                limit?: number;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The account that it was for, such as the owner of a canceled order */
                        account: string;
                        /** @description Address of the client; null for `Admin` */
                        address: string | null;
                        command: string;
                        /** @description How many events of each kind it led to */
                        effect: {
                            [key: string]: number;
                        };
                        /** @description The fields of the command, with the names and steps of now */
                        fields: unknown;
                        /**
                         * Format: uint32
                         * @description Number of the operator's key; 0 through the admin socket
                         */
                        key: number;
                        /** @description `AdminApi` over HTTP; `Admin` through the admin socket, or on a stopped venue */
                        origin: string;
                        /** @description Why the venue refused it; null if it was carried out */
                        reason: string | null;
                        /** Format: uint64 */
                        sequence: number;
                        time: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-breaker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "levels": [],
                 *       "symbol": "?"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Decline from the index's opening in basis points, 1 to 10000, and seconds of the halt; 0 is
                     *     until `resume`. Up to 3 times, in ascending order
                     */
                    levels: number[];
                    /** @description Instrument whose last price is the index */
                    symbol: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        index: string;
                        levels: {
                            /** Format: uint32 */
                            bps: number;
                            /** Format: uint64 */
                            seconds: number;
                        }[];
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "?",
                 *       "amount": "?",
                 *       "asset": "?",
                 *       "external_ref": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account */
                    account: string;
                    /** @description Amount above 0 with at most the asset's decimals, such as 12.5 */
                    amount: string;
                    /** @description Asset, such as USDT */
                    asset: string;
                    /** @description Reference of 1 to 64 visible ASCII characters; a repeated one is carried out once */
                    external_ref: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset: string;
                        free: string;
                        /** @description The part that open orders and withdrawals hold */
                        locked: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-halt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uint8
                     * @description Level of the halt, 1 to 3, which clients see; it has no other effect
                     * @default 1
                     */
                    level?: number;
                    /**
                     * Format: uint64
                     * @description Seconds after which trading resumes by itself [default: until `resume`]
                     */
                    seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        halted: boolean;
                        /** Format: uint8 */
                        level: number;
                        /**
                         * Format: uint64
                         * @description Null if the halt lasts until `resume`
                         */
                        seconds: number | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-instruments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        base: string;
                        delisted: boolean;
                        lot_size: string;
                        maker_fee_bps: string;
                        market_max_qty: string;
                        /** @description Null without an upper bound. */
                        max_notional: string | null;
                        /** Format: uint32 */
                        max_open_orders: number;
                        max_price: string;
                        max_qty: string;
                        min_notional: string;
                        min_price: string;
                        min_qty: string;
                        phase: string | null;
                        quote: string;
                        symbol: string;
                        taker_fee_bps: string;
                        tick_size: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-instruments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "base": "?",
                 *       "lot_size": "?",
                 *       "quote": "?",
                 *       "symbol": "?",
                 *       "tick_size": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Asset that is bought and sold */
                    base: string;
                    /** @description Smallest step of a quantity, such as 0.00001 */
                    lot_size: string;
                    /** @description Fee of a maker in basis points of what it receives, 0 to 10000, such as 7.5 */
                    maker_fee_bps?: string | null;
                    /** @description Largest quantity of a market order, in whole lots */
                    market_max_qty?: string | null;
                    /** @description Largest price times quantity, in the quote asset, or `none` */
                    max_notional?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open orders of one account in the instrument
                     */
                    max_open_orders?: number | null;
                    /** @description Largest price of an order, in whole ticks */
                    max_price?: string | null;
                    /** @description Largest quantity of an order, in whole lots */
                    max_qty?: string | null;
                    /** @description Smallest price times quantity, in the quote asset */
                    min_notional?: string | null;
                    /** @description Smallest price of an order, in whole ticks */
                    min_price?: string | null;
                    /** @description Smallest quantity of an order, in whole lots */
                    min_qty?: string | null;
                    /** @description Asset that prices are in */
                    quote: string;
                    /** @description 1 to 20 capital letters, digits, `-`, `_` and `.` */
                    symbol: string;
                    /** @description Fee of a taker in basis points of what it receives, 0 to 10000 */
                    taker_fee_bps?: string | null;
                    /** @description Smallest step of a price, such as 0.01 */
                    tick_size: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        symbol: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-instruments-symbol": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        delisted: boolean;
                        symbol: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-instruments-symbol": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Fee of a maker in basis points of what it receives, 0 to 10000, such as 7.5 */
                    maker_fee_bps?: string | null;
                    /** @description Largest quantity of a market order, in whole lots */
                    market_max_qty?: string | null;
                    /** @description Largest price times quantity, in the quote asset, or `none` */
                    max_notional?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open orders of one account in the instrument
                     */
                    max_open_orders?: number | null;
                    /** @description Largest price of an order, in whole ticks */
                    max_price?: string | null;
                    /** @description Largest quantity of an order, in whole lots */
                    max_qty?: string | null;
                    /** @description Smallest price times quantity, in the quote asset */
                    min_notional?: string | null;
                    /** @description Smallest price of an order, in whole ticks */
                    min_price?: string | null;
                    /** @description Smallest quantity of an order, in whole lots */
                    min_qty?: string | null;
                    /** @description Fee of a taker in basis points of what it receives, 0 to 10000 */
                    taker_fee_bps?: string | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        base: string;
                        delisted: boolean;
                        lot_size: string;
                        maker_fee_bps: string;
                        market_max_qty: string;
                        /** @description Null without an upper bound. */
                        max_notional: string | null;
                        /** Format: uint32 */
                        max_open_orders: number;
                        max_price: string;
                        max_qty: string;
                        min_notional: string;
                        min_price: string;
                        min_qty: string;
                        phase: string | null;
                        quote: string;
                        symbol: string;
                        taker_fee_bps: string;
                        tick_size: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-instruments-symbol-calendar": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Remove all sessions: the phase then changes only by `phase`
                     * @default false
                     */
                    clear?: boolean;
                    /**
                     * @description Start of a phase: days (`Mon-Fri`, `Mon,Wed,Sat`), time (UTC, `09:00` or `09:00:30`), phase.
                     *     Up to 16 times; the sessions replace all present ones
                     * @default []
                     */
                    sessions?: [
                        string,
                        string,
                        "PreOpen" | "OpeningAuction" | "Continuous" | "VolatilityAuction" | "ClosingAuction" | "Halt" | "Closed"
                    ][];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: {
                            /** @description Such as `Mon,Tue` */
                            days: string;
                            phase: string;
                            /** @description When it begins, in UTC */
                            time: string;
                        }[];
                        symbol: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-instruments-symbol-fees": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Asset of the fees: the one that each side receives, or the quote asset for both
                     *     [default: Received, or the present one]
                     * @enum {string|null}
                     */
                    asset?: "Received" | "Quote" | null;
                    /**
                     * @description Remove the schedule: the fees of `instrument add` apply again
                     * @default false
                     */
                    clear?: boolean;
                    /**
                     * @description Fees in basis points from this volume on, in the quote asset over the last 30 days; a fee
                     *     below 0 is a rebate. Up to 8 times, with ascending volumes from 0 on; the tiers replace all
                     *     present ones
                     * @default []
                     */
                    tiers?: [
                        string,
                        string,
                        string
                    ][];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Asset of the fees; null without a schedule */
                        asset: string | null;
                        symbol: string;
                        tiers: {
                            maker_fee_bps: string;
                            taker_fee_bps: string;
                            volume_min: string;
                        }[];
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-instruments-symbol-orders-order_id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: number;
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        client_order_id: string;
                        created: string;
                        filled_qty: string;
                        /** @description Amount of the quote asset that it has traded */
                        filled_quote: string;
                        /** Format: uint64 */
                        order_id: number;
                        /**
                         * Format: uint64
                         * @description The list that it is in, if it is in one
                         */
                        order_list: number | null;
                        /** @description Such as `Limit` or `StopLoss` */
                        order_type: string;
                        price: string;
                        qty: string;
                        /** @enum {string} */
                        side: "Buy" | "Sell";
                        status: ("New" | "PartiallyFilled" | "Filled") | "Canceled" | "Expired" | "Prevented";
                        symbol: string;
                        time_in_force: string;
                        updated: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-instruments-symbol-orders-order_id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                order_id: number;
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        client_order_id: string;
                        created: string;
                        filled_qty: string;
                        /** @description Amount of the quote asset that it has traded */
                        filled_quote: string;
                        /** Format: uint64 */
                        order_id: number;
                        /**
                         * Format: uint64
                         * @description The list that it is in, if it is in one
                         */
                        order_list: number | null;
                        /** @description Such as `Limit` or `StopLoss` */
                        order_type: string;
                        price: string;
                        qty: string;
                        /** @enum {string} */
                        side: "Buy" | "Sell";
                        status: ("New" | "PartiallyFilled" | "Filled") | "Canceled" | "Expired" | "Prevented";
                        symbol: string;
                        time_in_force: string;
                        updated: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-instruments-symbol-phase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "phase": "PreOpen"
                 *     }
                 */
                "application/json": {
                    /** @description Phase that begins at once */
                    phase: "PreOpen" | "OpeningAuction" | "Continuous" | "VolatilityAuction" | "ClosingAuction" | "Halt" | "Closed";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        phase: string;
                        symbol: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-instruments-symbol-rules": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * Format: uint32
                     * @description Minutes of the average price, 0 to 1440; 0 takes the last trade's price
                     */
                    avg_price_mins?: number | null;
                    /**
                     * @description Phase that begins instead of a trade outside the bands
                     * @enum {string|null}
                     */
                    breach?: "VolatilityAuction" | "Halt" | null;
                    /**
                     * Format: uint64
                     * @description Seconds of that phase; 0 is until `phase` ends it
                     */
                    breach_s?: number | null;
                    /**
                     * Format: uint32
                     * @description Highest limit price of a buy, in basis points of the average price (12000 is 20 % above it)
                     */
                    buy_max_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Lowest limit price of a buy, in basis points of the average price (8000 is 20 % below it)
                     */
                    buy_min_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest distance of a trade from the last trade's price, in basis points
                     */
                    dynamic_band_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest number of parts of an iceberg
                     */
                    iceberg_parts_max?: number | null;
                    /** @description Smallest quantity of a market order, in whole lots */
                    market_min_qty?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of amends of one order
                     */
                    max_amends?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open icebergs of one account
                     */
                    max_iceberg_orders?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest number of open order lists of one account
                     */
                    max_order_lists?: number | null;
                    /** @description Largest quantity of the base asset that an account may have, with its open buys */
                    max_position?: string | null;
                    /**
                     * Format: uint32
                     * @description Largest number of untriggered stop orders of one account
                     */
                    max_stop_orders?: number | null;
                    /**
                     * @description Price for the notional bounds of market orders: the average price (on), or the best (off)
                     * @enum {string|null}
                     */
                    notional_by_avg_price?: "On" | "Off" | null;
                    /**
                     * Format: uint32
                     * @description Highest limit price of a sell, in basis points of the average price
                     */
                    sell_max_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Lowest limit price of a sell, in basis points of the average price
                     */
                    sell_min_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest distance of a trade from the last auction's price, in basis points
                     */
                    static_band_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Largest trailing delta of a trailing stop, in basis points
                     */
                    trailing_delta_max_bps?: number | null;
                    /**
                     * Format: uint32
                     * @description Smallest trailing delta of a trailing stop, in basis points
                     */
                    trailing_delta_min_bps?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uint32
                         * @description 0 takes the last trade's price
                         */
                        avg_price_mins: number;
                        breach: string;
                        /**
                         * Format: uint64
                         * @description 0 is until `phase` ends it
                         */
                        breach_s: number;
                        /** Format: uint32 */
                        buy_max_bps: number | null;
                        /** Format: uint32 */
                        buy_min_bps: number | null;
                        /** Format: uint32 */
                        dynamic_band_bps: number | null;
                        /** Format: uint32 */
                        iceberg_parts_max: number | null;
                        market_min_qty: string | null;
                        /** Format: uint32 */
                        max_amends: number | null;
                        /** Format: uint32 */
                        max_iceberg_orders: number | null;
                        /** Format: uint32 */
                        max_order_lists: number | null;
                        max_position: string | null;
                        /** Format: uint32 */
                        max_stop_orders: number | null;
                        notional_by_avg_price: boolean;
                        /** Format: uint32 */
                        sell_max_bps: number | null;
                        /** Format: uint32 */
                        sell_min_bps: number | null;
                        /** Format: uint32 */
                        static_band_bps: number | null;
                        symbol: string;
                        /** Format: uint32 */
                        trailing_delta_max_bps: number | null;
                        /** Format: uint32 */
                        trailing_delta_min_bps: number | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-instruments-symbol-trades-trade_id": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
                trade_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description When an operator undid it; null if it stands */
                        busted: string | null;
                        buyer: {
                            account: string;
                            /** @description Null if history no longer has the order */
                            client_order_id: string | null;
                            fee: string;
                            fee_asset: string;
                            is_maker: boolean;
                            /** Format: uint64 */
                            order_id: number;
                        };
                        /** @description When an operator last corrected its price */
                        corrected: string | null;
                        /** @description The price as executed, if it was corrected */
                        orig_price: string | null;
                        /** @description The corrected one, if it was corrected */
                        price: string;
                        qty: string;
                        quote_qty: string;
                        seller: {
                            account: string;
                            /** @description Null if history no longer has the order */
                            client_order_id: string | null;
                            fee: string;
                            fee_asset: string;
                            is_maker: boolean;
                            /** Format: uint64 */
                            order_id: number;
                        };
                        symbol: string;
                        time: string;
                        /** Format: uint64 */
                        trade_id: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-instruments-symbol-trades-trade_id-bust": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
                trade_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "buyer": "?",
                 *       "seller": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account that bought */
                    buyer: string;
                    /** @description Account that sold */
                    seller: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        buyer: {
                            account: string;
                            base: string;
                            quote: string;
                        };
                        /** @description Amounts that could not be moved, as receivables */
                        owed: {
                            amount: string;
                            asset: string;
                            creditor: string;
                            debtor: string;
                            /** Format: uint64 */
                            receivable: number;
                        }[];
                        seller: {
                            account: string;
                            base: string;
                            quote: string;
                        };
                        symbol: string;
                        /** Format: uint64 */
                        trade_id: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-instruments-symbol-trades-trade_id-correct": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
                trade_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "buyer": "?",
                 *       "price": "?",
                 *       "seller": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account that bought */
                    buyer: string;
                    /** @description The correct price */
                    price: string;
                    /** @description Account that sold */
                    seller: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        buyer: {
                            account: string;
                            base: string;
                            quote: string;
                        };
                        /** @description Amounts that could not be moved, as receivables */
                        owed: {
                            amount: string;
                            asset: string;
                            creditor: string;
                            debtor: string;
                            /** Format: uint64 */
                            receivable: number;
                        }[];
                        seller: {
                            account: string;
                            base: string;
                            quote: string;
                        };
                        symbol: string;
                        /** Format: uint64 */
                        trade_id: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        allow_ip?: string[];
                        expires?: string | null;
                        /** Format: uint32 */
                        key: number;
                        kind?: string;
                        /** @description User name of the login whose browser made it; missing for other keys */
                        login?: string | null;
                        name?: string | null;
                        once?: boolean;
                        /** @description PEM; null for an HMAC key */
                        public_key?: string | null;
                        role: "trader" | "read-only" | "market-data" | "operator";
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account of the key */
                    account: string;
                    /**
                     * @description Address or network from which the key may be used, such as 192.0.2.0/24; may be repeated
                     *     [default: any]
                     * @default []
                     */
                    allow_ip?: string[];
                    /**
                     * @description Time when the key ends (RFC 3339), such as 2027-01-31T00:00:00Z, until the year 2554
                     *     [default: never]
                     */
                    expires?: string | null;
                    /**
                     * @description Kind of its signatures; ed25519 and rsa need --public-key
                     * @default hmac
                     * @enum {string}
                     */
                    kind?: "hmac" | "ed25519" | "rsa";
                    /**
                     * @description Name, by which `apply` finds the key: 1 to 24 letters, digits, `.`, `_` and `-`, unique in
                     *     the account [default: none]
                     */
                    name?: string | null;
                    /**
                     * @description Accept each signed request once: one that is sent again is refused
                     * @default false
                     */
                    once?: boolean;
                    /** @description The text of the file of `--public-key`. */
                    public_key_pem?: string | null;
                    /**
                     * @description Permissions of the key
                     * @default trader
                     */
                    role?: "trader" | "read-only" | "market-data" | "operator";
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        api_key: string;
                        /** Format: uint32 */
                        key: number | null;
                        /** @description Only of an HMAC key, and only in this answer */
                        secret_key?: string | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-keys-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uint32 */
                        revoked: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "put-log-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "level": "?"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or levels by module such as
                     *     `info,gateway=debug`
                     */
                    level: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description From now until the venue's end, or the next change */
                        level: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-log-commands": {
        parameters: {
            query?: {
                account?: string;
                from?: string;
                kind?: string;
                limit?: number;
                order?: number;
                symbol?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        commands: {
                            account: string;
                            address: string | null;
                            /** Format: uint64 */
                            batch: number;
                            client_seq: string;
                            command: string;
                            /** @description The fields of the command, with the names and steps of then */
                            fields: unknown;
                            /** Format: uint32 */
                            key: number;
                            /**
                             * Format: uint64
                             * @description Higher than `sequence` if the command ran in steps
                             */
                            last_sequence: number;
                            origin: string;
                            received_ns: string;
                            /** @description Why the venue refused it */
                            rejected: string | null;
                            retry_key: string | null;
                            /** Format: uint64 */
                            sequence: number;
                            sequenced_ns: string;
                            session: string;
                            time: string;
                        }[];
                        /**
                         * Format: uint64
                         * @description The commands that were looked through
                         */
                        examined: number;
                        /**
                         * Format: uint64
                         * @description `from` of the page after this one; null at the end of the range
                         */
                        next: number | null;
                        /**
                         * Format: uint64
                         * @description `to` of the page before this one; null if there is none
                         */
                        previous: number | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-log-state": {
        parameters: {
            query?: {
                account?: string;
                at?: string;
                symbol?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: {
                            account: string;
                            balances: {
                                asset: string;
                                free: string;
                                locked: string;
                            }[];
                            /** @description The fields of each open order, with the names and steps of then */
                            open_orders: {
                                [key: string]: unknown;
                            }[];
                        }[];
                        /** Format: uint64 */
                        batch: number;
                        instruments: {
                            asks: string[][];
                            /** @description Price and quantity of each displayed level, best first */
                            bids: string[][];
                            /** @description Such as `Continuous` or `Halt`; `delisted` for ever */
                            phase: string;
                            symbol: string;
                        }[];
                        /** Format: uint16 */
                        rules_version: number;
                        /**
                         * Format: uint64
                         * @description The last command up to the moment
                         */
                        sequence: number;
                        sequenced_ns: string;
                        time: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        /**
                         * Format: uint
                         * @description Its valid keys: one for each browser that the person signed in with
                         */
                        keys: number;
                        /** Format: uint32 */
                        login: number;
                        role: "trader" | "read-only" | "market-data" | "operator";
                        /** @description Whether it asks for one-time codes; missing without the master key */
                        totp?: boolean | null;
                        user: string;
                        ways: ("page" | "ouch")[];
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "?",
                 *       "password": "?",
                 *       "user": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account of the login */
                    account: string;
                    /**
                     * Format: password
                     * @description At least 12 characters
                     */
                    password: string;
                    /**
                     * @description Permissions of the login
                     * @default trader
                     */
                    role?: "trader" | "read-only" | "operator";
                    /**
                     * @description Ask for a one-time code with the password; an operator's login always does
                     * @default false
                     */
                    totp?: boolean;
                    /** @description User name: 1 to 32 small letters, digits, `.`, `_`, `@`, `+` and `-` */
                    user: string;
                    /**
                     * @description Where it may sign in; may be repeated
                     * @default [
                     *       "page"
                     *     ]
                     */
                    ways?: ("page" | "ouch")[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uint32 */
                        login: number | null;
                        /** @description What an authenticator app reads, only in this answer; missing without one-time codes */
                        otpauth_uri?: string | null;
                        /** @description The key of a login for OUCH over UDP, only in this answer */
                        udp_key?: string | null;
                        user: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-logins-user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uint */
                        keys_revoked: number;
                        revoked: string;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "patch-logins-user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Make another key for OUCH over UDP
                     * @default false
                     */
                    new_udp_key?: boolean;
                    /**
                     * Format: password
                     * @description At least 12 characters
                     * @default null
                     */
                    password?: string | null;
                    /**
                     * @description Sign the person out everywhere: the keys of the login are revoked
                     * @default false
                     */
                    sign_out?: boolean;
                    /**
                     * @description `new` asks for one-time codes of a new secret, `off` for none
                     * @enum {string|null}
                     */
                    totp?: "new" | "off" | null;
                    /**
                     * @description Where it may sign in; may be repeated, and replaces the present ways
                     * @default []
                     */
                    ways?: ("page" | "ouch")[];
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        /**
                         * Format: uint
                         * @description Its valid keys: one for each browser that the person signed in with
                         */
                        keys: number;
                        /** Format: uint32 */
                        login: number;
                        /** @description What an authenticator app reads, only in the answer that sets it */
                        otpauth_uri?: string | null;
                        role: "trader" | "read-only" | "market-data" | "operator";
                        /** @description Whether it asks for one-time codes; missing without the master key */
                        totp?: boolean | null;
                        /** @description The key for OUCH over UDP, only in the answer that makes it */
                        udp_key?: string | null;
                        user: string;
                        ways: ("page" | "ouch")[];
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-market": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: {
                            account: string;
                            /** Format: uint32 */
                            finished_orders_kept: number;
                            /** Format: uint32 */
                            id: number;
                            killed: boolean;
                            limits: {
                                account: string;
                                /** Format: uint32 */
                                collar_bps: number | null;
                                max_open_notional: string | null;
                                /** Format: uint32 */
                                max_open_orders: number | null;
                                max_order_notional: string | null;
                                max_order_qty: string | null;
                                max_position: string | null;
                                symbol: string;
                            }[];
                            /** @description None if it pays the instrument's fees */
                            maker_fee_bps: string | null;
                            /** Format: uint32 */
                            max_open_orders: number;
                            /** @description Null is no group, or no limit. */
                            risk: {
                                account: string;
                                mode: string;
                                /** Format: uint32 */
                                orders_per_10s: number | null;
                                /** Format: uint32 */
                                orders_per_day: number | null;
                                /** Format: uint32 */
                                stp_group: number | null;
                            };
                            taker_fee_bps: string | null;
                            /** Format: uint32 */
                            trades_kept: number;
                            transfers: {
                                amount: string;
                                asset: string;
                                external_ref: string;
                                /** @description Else it is a withdrawal */
                                is_deposit: boolean;
                            }[];
                        }[];
                        assets: {
                            asset: string;
                            /** Format: uint8 */
                            decimals: number;
                            /** @description The sum of the balances of all accounts and the venue */
                            supply: string;
                        }[];
                        instruments: {
                            base: string;
                            calendar: {
                                sessions: {
                                    /** @description Such as `Mon,Tue` */
                                    days: string;
                                    phase: string;
                                    /** @description When it begins, in UTC */
                                    time: string;
                                }[];
                                symbol: string;
                            };
                            delisted: boolean;
                            fees: {
                                /** @description Asset of the fees; null without a schedule */
                                asset: string | null;
                                symbol: string;
                                tiers: {
                                    maker_fee_bps: string;
                                    taker_fee_bps: string;
                                    volume_min: string;
                                }[];
                            };
                            lot_size: string;
                            maker_fee_bps: string;
                            market_max_qty: string;
                            /** @description Null without an upper bound. */
                            max_notional: string | null;
                            /** Format: uint32 */
                            max_open_orders: number;
                            max_price: string;
                            max_qty: string;
                            min_notional: string;
                            min_price: string;
                            min_qty: string;
                            phase: string | null;
                            quote: string;
                            /** @description By the names of the options. Null is no such rule. */
                            rules: {
                                /**
                                 * Format: uint32
                                 * @description 0 takes the last trade's price
                                 */
                                avg_price_mins: number;
                                breach: string;
                                /**
                                 * Format: uint64
                                 * @description 0 is until `phase` ends it
                                 */
                                breach_s: number;
                                /** Format: uint32 */
                                buy_max_bps: number | null;
                                /** Format: uint32 */
                                buy_min_bps: number | null;
                                /** Format: uint32 */
                                dynamic_band_bps: number | null;
                                /** Format: uint32 */
                                iceberg_parts_max: number | null;
                                market_min_qty: string | null;
                                /** Format: uint32 */
                                max_amends: number | null;
                                /** Format: uint32 */
                                max_iceberg_orders: number | null;
                                /** Format: uint32 */
                                max_order_lists: number | null;
                                max_position: string | null;
                                /** Format: uint32 */
                                max_stop_orders: number | null;
                                notional_by_avg_price: boolean;
                                /** Format: uint32 */
                                sell_max_bps: number | null;
                                /** Format: uint32 */
                                sell_min_bps: number | null;
                                /** Format: uint32 */
                                static_band_bps: number | null;
                                symbol: string;
                                /** Format: uint32 */
                                trailing_delta_max_bps: number | null;
                                /** Format: uint32 */
                                trailing_delta_min_bps: number | null;
                            };
                            symbol: string;
                            taker_fee_bps: string;
                            tick_size: string;
                        }[];
                        keys: {
                            account: string;
                            allow_ip?: string[];
                            expires?: string | null;
                            /** Format: uint32 */
                            key: number;
                            kind?: string;
                            /** @description User name of the login whose browser made it; missing for other keys */
                            login?: string | null;
                            name?: string | null;
                            once?: boolean;
                            /** @description PEM; null for an HMAC key */
                            public_key?: string | null;
                            role: "trader" | "read-only" | "market-data" | "operator";
                        }[];
                        logins: {
                            account: string;
                            /**
                             * Format: uint
                             * @description Its valid keys: one for each browser that the person signed in with
                             */
                            keys: number;
                            /** Format: uint32 */
                            login: number;
                            role: "trader" | "read-only" | "market-data" | "operator";
                            /** @description Whether it asks for one-time codes; missing without the master key */
                            totp?: boolean | null;
                            user: string;
                            ways: ("page" | "ouch")[];
                        }[];
                        venue: {
                            /**
                             * Format: uint8
                             * @description Operators other than the requester that must approve a withdrawal
                             */
                            withdrawal_approvals: number;
                        };
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-numbering-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uint32
                         * @description The number of the day that has begun
                         */
                        numbering_day: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-receivables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount: string;
                        asset: string;
                        creditor: string;
                        debtor: string;
                        /** Format: uint64 */
                        receivable: number;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-receivables-receivable-settle": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receivable: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        amount: string;
                        asset: string;
                        creditor: string;
                        debtor: string;
                        /** Format: uint64 */
                        receivable: number;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        halted: boolean;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uint64 */
                        batch: number;
                        /**
                         * Format: uint64
                         * @description Null while the file is being replaced
                         */
                        bytes: number | null;
                        file: string | null;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        begun: boolean;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        disk_full: boolean;
                        /** @enum {string} */
                        durability: "fsync" | "os" | "memory";
                        /** @description The halt of the whole venue; null if there is none */
                        halt: {
                            /**
                             * Format: uint8
                             * @description 1 to 3
                             */
                            level: number;
                            /** @description When trading resumes by itself; null if an operator must end the halt */
                            resumes: string | null;
                        } | null;
                        instruments: {
                            /** @description Such as `Continuous` or `Halt`; `Delisted` for ever */
                            phase: string;
                            symbol: string;
                            /** @description When the phase ends by itself; null if it does not */
                            until: string | null;
                        }[];
                        /**
                         * Format: uint64
                         * @description Seconds since the first event that the read model lacks; null if it has all events, or none
                         */
                        read_model_behind_s: number | null;
                        /**
                         * Format: uint64
                         * @description First sequence from which the read model has all events: 1 if none is missing, 0 before the
                         *     read model is open
                         */
                        read_model_complete_from: number;
                        read_model_failing: boolean;
                        /** Format: uint64 */
                        read_model_sequence: number;
                        replica: string;
                        /** @description Always `primary`: a venue on one machine has no standby */
                        role: string;
                        /** Format: uint64 */
                        sequence: number;
                        /** Format: uint64 */
                        snapshot_failures: number;
                        /**
                         * Format: uint64
                         * @description Null before the first snapshot
                         */
                        snapshot_sequence: number | null;
                        /** Format: uint64 */
                        spool_first_sequence: number;
                        /**
                         * Format: uint8
                         * @description Operators other than the requester that must approve a withdrawal
                         */
                        withdrawal_approvals: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-test-clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "advance_ms": 1
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: int64
                     * @description Milliseconds that the clock moves forward, 1 to 2678400000 (31 days)
                     */
                    advance_ms: number;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uint64
                         * @description How far it is ahead of the machine's clock, in milliseconds
                         */
                        ahead_ms: number;
                        /**
                         * Format: uint64
                         * @description Time of the venue, in milliseconds since 1970
                         */
                        time_ms: number;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-test-faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Only requests of this account */
                        account: string | null;
                        /**
                         * Format: uint32
                         * @description Requests that it still meets
                         */
                        count: number;
                        fault: "drop-ack" | "delay" | "disconnect" | "internal-error" | "rate-limit" | "unknown" | "overload" | "reject" | "halt";
                        /**
                         * Format: uint64
                         * @description Milliseconds of a delay
                         */
                        ms: number | null;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-test-faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fault": "drop-ack"
                 *     }
                 */
                "application/json": {
                    /** @description Only requests of this account [default: any] */
                    account?: string | null;
                    /**
                     * Format: uint32
                     * @description Requests that it meets, 1 to 1000000 [default: 1]
                     */
                    count?: number | null;
                    /** @description What happens to a request that places, cancels or changes an order */
                    fault: "drop-ack" | "delay" | "disconnect" | "internal-error" | "rate-limit" | "unknown" | "overload" | "reject" | "halt";
                    /**
                     * Format: uint64
                     * @description Milliseconds of a delay, 1 to 600000
                     */
                    ms?: number | null;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Only requests of this account */
                        account: string | null;
                        /**
                         * Format: uint32
                         * @description Requests that it still meets
                         */
                        count: number;
                        fault: "drop-ack" | "delay" | "disconnect" | "internal-error" | "rate-limit" | "unknown" | "overload" | "reject" | "halt";
                        /**
                         * Format: uint64
                         * @description Milliseconds of a delay
                         */
                        ms: number | null;
                    };
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "delete-test-faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Only requests of this account */
                        account: string | null;
                        /**
                         * Format: uint32
                         * @description Requests that it still meets
                         */
                        count: number;
                        fault: "drop-ack" | "delay" | "disconnect" | "internal-error" | "rate-limit" | "unknown" | "overload" | "reject" | "halt";
                        /**
                         * Format: uint64
                         * @description Milliseconds of a delay
                         */
                        ms: number | null;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "get-withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        account: string;
                        amount: string;
                        /**
                         * Format: uint
                         * @description Approvals that it lacks before it can be confirmed; 0 once it has ended
                         */
                        approvals_missing: number;
                        /** @description Numbers of the keys of the other operators that approved it, in order */
                        approved_by: number[];
                        asset: string;
                        /** @description Null while it is open */
                        ended: string | null;
                        external_ref: string;
                        requested: string;
                        /**
                         * Format: uint32
                         * @description Number of the key of the operator that requested it; 0 through the admin socket
                         */
                        requested_by: number;
                        /**
                         * Format: uint64
                         * @description Sequence of its request
                         */
                        sequence: number;
                        status: "Requested" | "Completed" | "Canceled";
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    "post-withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "account": "?",
                 *       "amount": "?",
                 *       "asset": "?",
                 *       "external_ref": "?"
                 *     }
                 */
                "application/json": {
                    /** @description Account */
                    account: string;
                    /** @description Amount above 0 with at most the asset's decimals, such as 12.5 */
                    amount: string;
                    /** @description Asset, such as USDT */
                    asset: string;
                    /** @description Reference of 1 to 64 visible ASCII characters; a repeated one is carried out once */
                    external_ref: string;
                };
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        asset: string;
                        free: string;
                        /** @description The part that open orders and withdrawals hold */
                        locked: string;
                    }[];
                };
            };
            /** @description The request is invalid; nothing was changed */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The key is unknown, not an operator's, or not allowed from this address */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request names something that does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A rule of the venue refuses it; nothing was changed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address is banned for some time */
            418: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The address has sent too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The venue takes no requests at the moment */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}

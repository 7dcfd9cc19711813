// Made from api/openapi.json by scripts/types.mjs (make web-api).
export interface paths {
    "/api/v3/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * account.status
         * @description Roles: trader, read-only. In the WebSocket API: `account.status`.
         */
        get: operations["GET /api/v3/account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/account/commission": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * account.commission
         * @description Roles: trader, read-only. In the WebSocket API: `account.commission`.
         */
        get: operations["GET /api/v3/account/commission"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/aggTrades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * trades.aggregate
         * @description Public: no key. In the WebSocket API: `trades.aggregate`.
         */
        get: operations["GET /api/v3/aggTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/allOrderList": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * allOrderLists
         * @description Roles: trader, read-only. In the WebSocket API: `allOrderLists`.
         */
        get: operations["GET /api/v3/allOrderList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/allOrders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * allOrders
         * @description Roles: trader, read-only. In the WebSocket API: `allOrders`.
         */
        get: operations["GET /api/v3/allOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/avgPrice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * avgPrice
         * @description Public: no key. In the WebSocket API: `avgPrice`.
         */
        get: operations["GET /api/v3/avgPrice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/batchCancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * /api/v3/batchCancel
         * @description Roles: trader.
         */
        post: operations["POST /api/v3/batchCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/batchOrders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * /api/v3/batchOrders
         * @description Roles: trader.
         */
        post: operations["POST /api/v3/batchOrders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/depth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * depth
         * @description Public: no key. In the WebSocket API: `depth`.
         */
        get: operations["GET /api/v3/depth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/exchangeInfo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * exchangeInfo
         * @description Public: no key. In the WebSocket API: `exchangeInfo`.
         */
        get: operations["GET /api/v3/exchangeInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/executionRules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * executionRules
         * @description Public: no key. In the WebSocket API: `executionRules`.
         */
        get: operations["GET /api/v3/executionRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/historicalBlockTrades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * blockTrades.historical
         * @description Public: no key. In the WebSocket API: `blockTrades.historical`.
         */
        get: operations["GET /api/v3/historicalBlockTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/historicalTrades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * trades.historical
         * @description Public: no key. In the WebSocket API: `trades.historical`.
         */
        get: operations["GET /api/v3/historicalTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/klines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * klines
         * @description Public: no key. In the WebSocket API: `klines`.
         */
        get: operations["GET /api/v3/klines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/myAllocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * myAllocations
         * @description Roles: trader, read-only. In the WebSocket API: `myAllocations`.
         */
        get: operations["GET /api/v3/myAllocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/myFilters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * myFilters
         * @description Roles: trader, read-only. In the WebSocket API: `myFilters`.
         */
        get: operations["GET /api/v3/myFilters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/myPreventedMatches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * myPreventedMatches
         * @description Roles: trader, read-only. In the WebSocket API: `myPreventedMatches`.
         */
        get: operations["GET /api/v3/myPreventedMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/myTrades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * myTrades
         * @description Roles: trader, read-only. In the WebSocket API: `myTrades`.
         */
        get: operations["GET /api/v3/myTrades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/openOrderList": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * openOrderLists.status
         * @description Roles: trader, read-only. In the WebSocket API: `openOrderLists.status`.
         */
        get: operations["GET /api/v3/openOrderList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/openOrders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * openOrders.status
         * @description Roles: trader, read-only. In the WebSocket API: `openOrders.status`.
         */
        get: operations["GET /api/v3/openOrders"];
        put?: never;
        post?: never;
        /**
         * openOrders.cancelAll
         * @description Roles: trader. In the WebSocket API: `openOrders.cancelAll`.
         */
        delete: operations["DELETE /api/v3/openOrders"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * order.status
         * @description Roles: trader, read-only. In the WebSocket API: `order.status`.
         */
        get: operations["GET /api/v3/order"];
        put?: never;
        /**
         * order.place
         * @description Roles: trader. In the WebSocket API: `order.place`.
         */
        post: operations["POST /api/v3/order"];
        /**
         * order.cancel
         * @description Roles: trader. In the WebSocket API: `order.cancel`.
         */
        delete: operations["DELETE /api/v3/order"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order/amend/keepPriority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * order.amend.keepPriority
         * @description Roles: trader. In the WebSocket API: `order.amend.keepPriority`.
         */
        put: operations["PUT /api/v3/order/amend/keepPriority"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order/amendments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * order.amendments
         * @description Roles: trader, read-only. In the WebSocket API: `order.amendments`.
         */
        get: operations["GET /api/v3/order/amendments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order/cancelReplace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * order.cancelReplace
         * @description Roles: trader. In the WebSocket API: `order.cancelReplace`.
         */
        post: operations["POST /api/v3/order/cancelReplace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order/oco": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place
         * @description Roles: trader. In the WebSocket API: `orderList.place`.
         */
        post: operations["POST /api/v3/order/oco"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/order/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * order.test
         * @description Roles: trader. In the WebSocket API: `order.test`.
         */
        post: operations["POST /api/v3/order/test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * orderList.status
         * @description Roles: trader, read-only. In the WebSocket API: `orderList.status`.
         */
        get: operations["GET /api/v3/orderList"];
        put?: never;
        post?: never;
        /**
         * orderList.cancel
         * @description Roles: trader. In the WebSocket API: `orderList.cancel`.
         */
        delete: operations["DELETE /api/v3/orderList"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList/oco": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place.oco
         * @description Roles: trader. In the WebSocket API: `orderList.place.oco`.
         */
        post: operations["POST /api/v3/orderList/oco"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList/opo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place.opo
         * @description Roles: trader. In the WebSocket API: `orderList.place.opo`.
         */
        post: operations["POST /api/v3/orderList/opo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList/opoco": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place.opoco
         * @description Roles: trader. In the WebSocket API: `orderList.place.opoco`.
         */
        post: operations["POST /api/v3/orderList/opoco"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList/oto": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place.oto
         * @description Roles: trader. In the WebSocket API: `orderList.place.oto`.
         */
        post: operations["POST /api/v3/orderList/oto"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/orderList/otoco": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * orderList.place.otoco
         * @description Roles: trader. In the WebSocket API: `orderList.place.otoco`.
         */
        post: operations["POST /api/v3/orderList/otoco"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ping
         * @description Public: no key. In the WebSocket API: `ping`.
         */
        get: operations["GET /api/v3/ping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/rateLimit/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * account.rateLimits.orders
         * @description Roles: trader, read-only. In the WebSocket API: `account.rateLimits.orders`.
         */
        get: operations["GET /api/v3/rateLimit/order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/referencePrice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * referencePrice
         * @description Public: no key. In the WebSocket API: `referencePrice`.
         */
        get: operations["GET /api/v3/referencePrice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/referencePrice/calculation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * referencePrice.calculation
         * @description Public: no key. In the WebSocket API: `referencePrice.calculation`.
         */
        get: operations["GET /api/v3/referencePrice/calculation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/sor/order": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * sor.order.place
         * @description Roles: trader. In the WebSocket API: `sor.order.place`.
         */
        post: operations["POST /api/v3/sor/order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/sor/order/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * sor.order.test
         * @description Roles: trader. In the WebSocket API: `sor.order.test`.
         */
        post: operations["POST /api/v3/sor/order/test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ticker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ticker
         * @description Public: no key. In the WebSocket API: `ticker`.
         */
        get: operations["GET /api/v3/ticker"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ticker/24hr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ticker.24hr
         * @description Public: no key. In the WebSocket API: `ticker.24hr`.
         */
        get: operations["GET /api/v3/ticker/24hr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ticker/bookTicker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ticker.book
         * @description Public: no key. In the WebSocket API: `ticker.book`.
         */
        get: operations["GET /api/v3/ticker/bookTicker"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ticker/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ticker.price
         * @description Public: no key. In the WebSocket API: `ticker.price`.
         */
        get: operations["GET /api/v3/ticker/price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/ticker/tradingDay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * ticker.tradingDay
         * @description Public: no key. In the WebSocket API: `ticker.tradingDay`.
         */
        get: operations["GET /api/v3/ticker/tradingDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/time": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * time
         * @description Public: no key. In the WebSocket API: `time`.
         */
        get: operations["GET /api/v3/time"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * trades.recent
         * @description Public: no key. In the WebSocket API: `trades.recent`.
         */
        get: operations["GET /api/v3/trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/uiKlines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * uiKlines
         * @description Public: no key. In the WebSocket API: `uiKlines`.
         */
        get: operations["GET /api/v3/uiKlines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v3/userDataStream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * userDataStream.ping
         * @description Roles: trader, read-only. In the WebSocket API: `userDataStream.ping`.
         */
        put: operations["PUT /api/v3/userDataStream"];
        /**
         * userDataStream.start
         * @description Roles: trader, read-only. In the WebSocket API: `userDataStream.start`.
         */
        post: operations["POST /api/v3/userDataStream"];
        /**
         * userDataStream.stop
         * @description Roles: trader, read-only. In the WebSocket API: `userDataStream.stop`.
         */
        delete: operations["DELETE /api/v3/userDataStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/asset/tradeFee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/asset/tradeFee
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/asset/tradeFee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/capital/config/getall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/capital/config/getall
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/capital/config/getall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/capital/deposit/hisrec": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/capital/deposit/hisrec
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/capital/deposit/hisrec"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/capital/withdraw/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/capital/withdraw/history
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/capital/withdraw/history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/margin/allPairs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/margin/allPairs
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/margin/allPairs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/margin/isolated/allPairs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/margin/isolated/allPairs
         * @description Roles: trader, read-only.
         */
        get: operations["GET /sapi/v1/margin/isolated/allPairs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sapi/v1/system/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * /sapi/v1/system/status
         * @description Public: no key.
         */
        get: operations["GET /sapi/v1/system/status"];
        put?: never;
        post?: never;
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
        /** @description `GET /api/v3/account` */
        AccountInfo: {
            accountType: string;
            balances: components["schemas"]["BalanceInfo"][];
            brokered: boolean;
            /** Format: uint32 */
            buyerCommission: number;
            canDeposit: boolean;
            canTrade: boolean;
            canWithdraw: boolean;
            commissionRates: components["schemas"]["CommissionRates"];
            /** Format: uint32 */
            makerCommission: number;
            permissions: string[];
            preventSor: boolean;
            requireSelfTradePrevention: boolean;
            /** Format: uint32 */
            sellerCommission: number;
            /** Format: uint32 */
            takerCommission: number;
            /** Format: uint32 */
            uid: number;
            /** Format: uint64 */
            updateTime: number;
        };
        /** @description One of `GET /api/v3/aggTrades` */
        AggTradeInfo: {
            M: boolean;
            /** Format: uint64 */
            T: number;
            /** Format: uint64 */
            a: number;
            /** Format: uint64 */
            f: number;
            /** Format: uint64 */
            l: number;
            m: boolean;
            p: string;
            q: string;
        };
        /** @description `PUT /api/v3/order/amend/keepPriority` */
        AmendAnswer: {
            amendedOrder: components["schemas"]["AmendedOrder"];
            /** Format: uint64 */
            executionId: number;
            listStatus?: components["schemas"]["ListOfAmended"];
            /** Format: uint64 */
            transactTime: number;
        };
        /** @description The fields that appear only where they say something. */
        AmendedOrder: {
            clientOrderId: string;
            cumulativeQuoteQty: string;
            executedQty: string;
            expiryReason?: string;
            /** Format: uint64 */
            goodTillDate?: number;
            hidden?: boolean;
            icebergQty?: string;
            minQty?: string;
            /** Format: uint64 */
            orderId: number;
            /** Format: int64 */
            orderListId: number;
            origClientOrderId: string;
            pegOffsetType?: string;
            /** Format: int32 */
            pegOffsetValue?: number;
            pegPriceType?: string;
            peggedPrice?: string;
            /** Format: uint64 */
            preventedMatchId?: number;
            preventedQty: string;
            preventedQuantity?: string;
            price: string;
            qty: string;
            quoteOrderQty: string;
            selfTradePreventionMode: string;
            side: string;
            status: string;
            stopPrice?: string;
            /** Format: int64 */
            strategyId?: number;
            /** Format: int32 */
            strategyType?: number;
            symbol: string;
            timeInForce: string;
            /** Format: uint32 */
            trailingDelta?: number;
            /** Format: int64 */
            trailingTime?: number;
            type: string;
            withinBalance?: boolean;
            /** Format: uint64 */
            workingTime?: number;
        };
        /** @description One of `GET /api/v3/order/amendments` */
        Amendment: {
            /** Format: uint64 */
            executionId: number;
            newClientOrderId: string;
            newQty: string;
            /** Format: uint64 */
            orderId: number;
            origClientOrderId: string;
            origQty: string;
            symbol: string;
            /** Format: uint64 */
            time: number;
        };
        /** @description Why a request failed. The code says what kind it is, the text which parameter or rule it was. */
        ApiError: {
            /** Format: int32 */
            code: number;
            msg: string;
            /** @description The reason by which the engine refused an order, a cancel or a change. */
            reason?: string;
        };
        /** @description `GET /api/v3/avgPrice` */
        AvgPrice: {
            /** Format: uint64 */
            closeTime: number;
            /** Format: uint32 */
            mins: number;
            price: string;
        };
        BalanceInfo: {
            asset: string;
            free: string;
            locked: string;
        };
        /** @description `POST /api/v3/batchOrders` and `POST /api/v3/batchCancel` */
        BatchAnswer: components["schemas"]["Part"][];
        /** @description `POST /api/v3/batchOrders` and `POST /api/v3/batchCancel` */
        BatchAnswer2: components["schemas"]["Part2"][];
        /** @description `POST /api/v3/userDataStream` */
        BegunStream: {
            listenKey: string;
        };
        /** @description One of `GET /api/v3/ticker/bookTicker` */
        BookTicker: {
            askPrice: string;
            askQty: string;
            bidPrice: string;
            bidQty: string;
            symbol: string;
        };
        /** @description `DELETE /api/v3/order` and `DELETE /api/v3/orderList`, and one of `DELETE /api/v3/openOrders` */
        CancelAnswer: components["schemas"]["CanceledOrder"] | components["schemas"]["CanceledList"];
        CancelHalf: components["schemas"]["CancelAnswer"] | components["schemas"]["ApiError"];
        /** @description `GET /api/v3/orderList`, and one of `GET /api/v3/openOrderList` and `GET /api/v3/allOrderList` */
        CanceledList: {
            contingencyType: string;
            listClientOrderId: string;
            listOrderStatus: string;
            listStatusType: string;
            /** Format: uint64 */
            orderListId: number;
            orderReports: components["schemas"]["CanceledOrder"][];
            orders: components["schemas"]["ListedOrder"][];
            symbol: string;
            /** Format: uint64 */
            transactionTime: number;
        };
        /** @description What a result has beyond an acknowledgement. */
        CanceledOrder: {
            clientOrderId: string;
            cummulativeQuoteQty: string;
            executedQty: string;
            expiryReason?: string;
            /** Format: uint64 */
            goodTillDate?: number;
            hidden?: boolean;
            icebergQty?: string;
            minQty?: string;
            /** Format: uint64 */
            orderId: number;
            /** Format: int64 */
            orderListId: number;
            origClientOrderId: string;
            /** @description Missing while another order of its list has yet to pay it. */
            origQty?: string;
            origQuoteOrderQty: string;
            pegOffsetType?: string;
            /** Format: int32 */
            pegOffsetValue?: number;
            pegPriceType?: string;
            peggedPrice?: string;
            /** Format: uint64 */
            preventedMatchId?: number;
            preventedQuantity?: string;
            price: string;
            selfTradePreventionMode: string;
            side: string;
            status: string;
            stopPrice?: string;
            /** Format: int64 */
            strategyId?: number;
            /** Format: int32 */
            strategyType?: number;
            symbol: string;
            timeInForce: string;
            /** Format: uint32 */
            trailingDelta?: number;
            /** Format: int64 */
            trailingTime?: number;
            /** Format: uint64 */
            transactTime: number;
            type: string;
            withinBalance?: boolean;
            /**
             * Format: int64
             * @description A cancel does not show since when the order worked.
             */
            workingTime?: number;
        };
        /** @description One of `GET /sapi/v1/capital/config/getall` */
        CoinInfo: {
            coin: string;
            depositAllEnable: boolean;
            free: string;
            freeze: string;
            ipoable: string;
            ipoing: string;
            isLegalMoney: boolean;
            locked: string;
            name: string;
            networkList: components["schemas"]["Network"][];
            storage: string;
            trading: boolean;
            withdrawAllEnable: boolean;
            withdrawing: string;
        };
        /** @description `GET /api/v3/account/commission` */
        Commission: {
            discount: components["schemas"]["Discount"];
            specialCommission: components["schemas"]["CommissionRates"];
            standardCommission: components["schemas"]["CommissionRates"];
            symbol: string;
            taxCommission: components["schemas"]["CommissionRates"];
        };
        CommissionRates: {
            buyer: string;
            maker: string;
            seller: string;
            taker: string;
        };
        /** @description One of `GET /sapi/v1/capital/deposit/hisrec` */
        DepositInfo: {
            address: string;
            addressTag: string;
            amount: string;
            coin: string;
            /** Format: uint64 */
            completeTime: number;
            confirmTimes: string;
            id: string;
            /** Format: uint64 */
            insertTime: number;
            network: string;
            /**
             * Format: uint64
             * @description 1: every deposit is credited at once
             */
            status: number;
            /** Format: uint8 */
            transferType: number;
            /** @description The operator's reference */
            txId: string;
            /** Format: uint8 */
            unlockConfirm: number;
            /** Format: uint8 */
            walletType: number;
        };
        /** @description `GET /api/v3/depth`, and the stream of partial depth. */
        Depth: {
            asks: string[][];
            bids: string[][];
            /** Format: uint64 */
            lastUpdateId: number;
        };
        Discount: {
            discount: string;
            discountAsset: string;
            enabledForAccount: boolean;
            enabledForSymbol: boolean;
        };
        /** @description `{}`: the answer to a ping, and to a test order. */
        Empty: Record<string, never>;
        /** @description `GET /api/v3/exchangeInfo` */
        ExchangeInfo: {
            exchangeFilters: components["schemas"]["Filter"][];
            rateLimits: components["schemas"]["RateLimit"][];
            /** Format: uint64 */
            serverTime: number;
            symbols: components["schemas"]["SymbolInfo"][];
            timezone: string;
        };
        /** @description `GET /api/v3/executionRules` */
        ExecutionRules: {
            symbolRules: components["schemas"]["SymbolRules"][];
        };
        FillInfo: {
            commission: string;
            commissionAsset: string;
            price: string;
            qty: string;
            /** Format: uint64 */
            tradeId: number;
        };
        Filter: {
            /** @constant */
            filterType: "PRICE_FILTER";
            maxPrice: string;
            minPrice: string;
            tickSize: string;
        } | {
            /** @constant */
            filterType: "LOT_SIZE";
            maxQty: string;
            minQty: string;
            stepSize: string;
        } | {
            /** @constant */
            filterType: "MARKET_LOT_SIZE";
            maxQty: string;
            minQty: string;
            stepSize: string;
        } | {
            applyMaxToMarket: boolean;
            applyMinToMarket: boolean;
            /** Format: uint32 */
            avgPriceMins: number;
            /** @constant */
            filterType: "NOTIONAL";
            /** @description Absent if the notional has no upper bound. */
            maxNotional?: string;
            minNotional: string;
        } | {
            /** @constant */
            filterType: "MAX_NUM_ORDERS";
            /** Format: uint32 */
            maxNumOrders: number;
        } | {
            askMultiplierDown: string;
            askMultiplierUp: string;
            /** Format: uint32 */
            avgPriceMins: number;
            bidMultiplierDown: string;
            bidMultiplierUp: string;
            /** @constant */
            filterType: "PERCENT_PRICE_BY_SIDE";
        } | {
            /** @constant */
            filterType: "ICEBERG_PARTS";
            /** Format: uint32 */
            limit: number;
        } | {
            /** @constant */
            filterType: "MAX_NUM_ALGO_ORDERS";
            /** Format: uint32 */
            maxNumAlgoOrders: number;
        } | {
            /** @constant */
            filterType: "MAX_NUM_ICEBERG_ORDERS";
            /** Format: uint32 */
            maxNumIcebergOrders: number;
        } | {
            /** @constant */
            filterType: "MAX_POSITION";
            maxPosition: string;
        } | {
            /** @constant */
            filterType: "TRAILING_DELTA";
            /** Format: uint32 */
            maxTrailingAboveDelta: number;
            /** Format: uint32 */
            maxTrailingBelowDelta: number;
            /** Format: uint32 */
            minTrailingAboveDelta: number;
            /** Format: uint32 */
            minTrailingBelowDelta: number;
        } | {
            /** @constant */
            filterType: "MAX_NUM_ORDER_LISTS";
            /** Format: uint32 */
            maxNumOrderLists: number;
        } | {
            /** @constant */
            filterType: "MAX_NUM_ORDER_AMENDS";
            /** Format: uint32 */
            maxNumOrderAmends: number;
        };
        /** @enum {string} */
        Interval: "SECOND" | "MINUTE" | "DAY";
        /** @description One of `GET /api/v3/klines`: a list without names. */
        Kline: [
            number,
            string,
            string,
            string,
            string,
            string,
            number,
            string,
            number,
            string,
            string,
            string
        ];
        /** @description What an amended order shows of the list that it is in. */
        ListOfAmended: {
            contingencyType: string;
            listClientOrderId: string;
            listOrderStatus: string;
            /** Format: uint64 */
            orderListId: number;
            orders: components["schemas"]["ListedOrder"][];
            symbol: string;
        };
        /** @description `GET /api/v3/orderList`, and one of `GET /api/v3/openOrderList` and `GET /api/v3/allOrderList` */
        ListStatus: {
            contingencyType: string;
            listClientOrderId: string;
            listOrderStatus: string;
            listStatusType: string;
            /** Format: uint64 */
            orderListId: number;
            orders: components["schemas"]["ListedOrder"][];
            symbol: string;
            /** Format: uint64 */
            transactionTime: number;
        };
        ListedOrder: {
            clientOrderId: string;
            /** Format: uint64 */
            orderId: number;
            symbol: string;
        };
        /** @description `GET /api/v3/myFilters` */
        MyFilters: {
            assetFilters: unknown[];
            exchangeFilters: unknown[];
            symbolFilters: components["schemas"]["Filter"][];
        };
        /** @description One of `GET /api/v3/myTrades` */
        MyTrade: {
            /**
             * Format: uint64
             * @description When it was undone
             */
            bustTime?: number;
            commission: string;
            commissionAsset: string;
            /**
             * Format: uint64
             * @description When its price was last corrected; `price` and `quoteQty` are the corrected ones
             */
            correctionTime?: number;
            /** Format: uint64 */
            id: number;
            isBestMatch: boolean;
            /** @description Whether an operator has undone the trade */
            isBusted: boolean;
            isBuyer: boolean;
            isMaker: boolean;
            /** Format: uint64 */
            orderId: number;
            /** Format: int32 */
            orderListId: number;
            /** @description Its price as executed, if it was corrected */
            origPrice?: string;
            price: string;
            qty: string;
            quoteQty: string;
            symbol: string;
            /** Format: uint64 */
            time: number;
        };
        /** @description Nothing leaves the venue by a chain, but clients learn an asset's precision here. */
        Network: {
            coin: string;
            depositEnable: boolean;
            isDefault: boolean;
            name: string;
            network: string;
            withdrawEnable: boolean;
            withdrawFee: string;
            withdrawIntegerMultiple: string;
            withdrawMax: string;
            withdrawMin: string;
        };
        /** @description `POST /api/v3/order` */
        NewOrderAnswer: {
            clientOrderId: string;
            cummulativeQuoteQty?: string;
            executedQty?: string;
            expiryReason?: string;
            fills?: components["schemas"]["FillInfo"][];
            /** Format: uint64 */
            goodTillDate?: number;
            hidden?: boolean;
            icebergQty?: string;
            minQty?: string;
            /** Format: uint64 */
            orderId: number;
            /** Format: int64 */
            orderListId: number;
            /** @description Missing while another order of its list has yet to pay it. */
            origQty?: string;
            origQuoteOrderQty?: string;
            pegOffsetType?: string;
            /** Format: int32 */
            pegOffsetValue?: number;
            pegPriceType?: string;
            peggedPrice?: string;
            /** Format: uint64 */
            preventedMatchId?: number;
            preventedMatches?: components["schemas"]["PreventedInfo"][];
            preventedQuantity?: string;
            price?: string;
            selfTradePreventionMode?: string;
            side?: string;
            status?: string;
            stopPrice?: string;
            /** Format: int64 */
            strategyId?: number;
            /** Format: int32 */
            strategyType?: number;
            symbol: string;
            timeInForce?: string;
            /** Format: uint32 */
            trailingDelta?: number;
            /** Format: int64 */
            trailingTime?: number;
            /** Format: uint64 */
            transactTime: number;
            type?: string;
            withinBalance?: boolean;
            /**
             * Format: int64
             * @description A cancel does not show since when the order worked.
             */
            workingTime?: number;
        };
        NewOrderHalf: components["schemas"]["NewOrderAnswer"] | components["schemas"]["ApiError"] | null;
        /**
         * @description `POST /api/v3/orderList/oco`, `…/oto`, `…/otoco`, `…/opo`, `…/opoco` and
         *     `POST /api/v3/order/oco`
         */
        NewOrderListAnswer: {
            contingencyType: string;
            listClientOrderId: string;
            listOrderStatus: string;
            listStatusType: string;
            /** Format: uint64 */
            orderListId: number;
            orderReports: components["schemas"]["NewOrderAnswer"][];
            orders: components["schemas"]["ListedOrder"][];
            symbol: string;
            /** Format: uint64 */
            transactionTime: number;
        };
        /** @description One of `GET /api/v3/rateLimit/order` */
        OrderCount: {
            /** Format: uint32 */
            count: number;
            interval: components["schemas"]["Interval"];
            /** Format: uint32 */
            intervalNum: number;
            /** Format: uint32 */
            limit: number;
            rateLimitType: components["schemas"]["RateLimitType"];
        };
        /** @description `GET /api/v3/order`, and one of `GET /api/v3/openOrders` and `GET /api/v3/allOrders` */
        OrderInfo: {
            /**
             * @description The displayed quantity that trades ahead of it at its price; `null` for one that is not on
             *     the book. Only if it was asked for.
             */
            aheadQty?: string;
            clientOrderId: string;
            cummulativeQuoteQty: string;
            executedQty: string;
            expiryReason?: string;
            /** Format: uint64 */
            goodTillDate?: number;
            hidden?: boolean;
            icebergQty: string | null;
            isWorking: boolean;
            minQty?: string;
            /** Format: uint64 */
            orderId: number;
            /** Format: int64 */
            orderListId: number;
            origQty: string;
            origQuoteOrderQty: string;
            pegOffsetType?: string;
            /** Format: int32 */
            pegOffsetValue?: number;
            pegPriceType?: string;
            peggedPrice?: string;
            /** Format: uint64 */
            preventedMatchId?: number;
            preventedQuantity?: string;
            price: string;
            selfTradePreventionMode: string;
            side: string;
            status: string;
            stopPrice: string | null;
            /** Format: int64 */
            strategyId?: number;
            /** Format: int32 */
            strategyType?: number;
            symbol: string;
            /** Format: uint64 */
            time: number;
            timeInForce: string;
            /** Format: uint32 */
            trailingDelta?: number;
            /** Format: int64 */
            trailingTime?: number;
            type: string;
            /** Format: uint64 */
            updateTime: number;
            withinBalance?: boolean;
            /** Format: int64 */
            workingTime: number;
        };
        OrderRates: {
            maker: string;
            taker: string;
        };
        /** @enum {string} */
        Outcome: "SUCCESS" | "FAILURE" | "NOT_ATTEMPTED";
        Part: components["schemas"]["NewOrderAnswer"] | components["schemas"]["ApiError"];
        Part2: components["schemas"]["CancelAnswer"] | components["schemas"]["ApiError"];
        /** @description One of those that an order would have made as the taker, as its answer shows it. */
        PreventedInfo: {
            /** Format: uint64 */
            makerOrderId: number;
            makerPreventedQuantity?: string;
            /** Format: uint64 */
            preventedMatchId: number;
            price: string;
            takerPreventedQuantity?: string;
        };
        /** @description One of `GET /api/v3/myPreventedMatches` */
        PreventedMatch: {
            /** Format: uint64 */
            makerOrderId: number;
            makerPreventedQuantity?: string;
            makerSymbol: string;
            /** Format: uint64 */
            preventedMatchId: number;
            price: string;
            selfTradePreventionMode: string;
            symbol: string;
            /** Format: uint64 */
            takerOrderId: number;
            takerPreventedQuantity?: string;
            /** Format: int64 */
            tradeGroupId: number;
            /** Format: uint64 */
            transactTime: number;
        };
        /** @description One of `GET /api/v3/ticker/price` */
        PriceTicker: {
            price: string;
            symbol: string;
        };
        RateLimit: {
            interval: components["schemas"]["Interval"];
            /** Format: uint32 */
            intervalNum: number;
            /** Format: uint32 */
            limit: number;
            rateLimitType: components["schemas"]["RateLimitType"];
        };
        /** @enum {string} */
        RateLimitType: "REQUEST_WEIGHT" | "ORDERS" | "RAW_REQUESTS";
        ReplaceAnswer: {
            cancelResponse: components["schemas"]["CancelHalf"];
            cancelResult: components["schemas"]["Outcome"];
            newOrderResponse: components["schemas"]["NewOrderHalf"];
            newOrderResult: components["schemas"]["Outcome"];
        };
        /**
         * @description `POST /api/v3/sor/order`. The venue has one book a symbol, so the order works there and nowhere
         *     else.
         */
        RoutedOrderAnswer: {
            clientOrderId: string;
            cummulativeQuoteQty?: string;
            executedQty?: string;
            expiryReason?: string;
            fills?: components["schemas"]["FillInfo"][];
            /** Format: uint64 */
            goodTillDate?: number;
            hidden?: boolean;
            icebergQty?: string;
            minQty?: string;
            /** Format: uint64 */
            orderId: number;
            /** Format: int64 */
            orderListId: number;
            /** @description Missing while another order of its list has yet to pay it. */
            origQty?: string;
            origQuoteOrderQty?: string;
            pegOffsetType?: string;
            /** Format: int32 */
            pegOffsetValue?: number;
            pegPriceType?: string;
            peggedPrice?: string;
            /** Format: uint64 */
            preventedMatchId?: number;
            preventedMatches?: components["schemas"]["PreventedInfo"][];
            preventedQuantity?: string;
            price?: string;
            selfTradePreventionMode?: string;
            side?: string;
            status?: string;
            stopPrice?: string;
            /** Format: int64 */
            strategyId?: number;
            /** Format: int32 */
            strategyType?: number;
            symbol: string;
            timeInForce?: string;
            /** Format: uint32 */
            trailingDelta?: number;
            /** Format: int64 */
            trailingTime?: number;
            /** Format: uint64 */
            transactTime: number;
            type?: string;
            usedSor: boolean;
            withinBalance?: boolean;
            workingFloor: string;
            /**
             * Format: int64
             * @description A cancel does not show since when the order worked.
             */
            workingTime?: number;
        };
        /** @description `GET /api/v3/time` */
        ServerTime: {
            /** Format: uint64 */
            serverTime: number;
        };
        /** @description One of `GET /api/v3/ticker/24hr`, `…/tradingDay` and `/api/v3/ticker`. */
        StatisticsTicker: {
            askPrice?: string;
            askQty?: string;
            bidPrice?: string;
            bidQty?: string;
            /** Format: uint64 */
            closeTime: number;
            /** Format: uint64 */
            count: number;
            /** Format: int64 */
            firstId: number;
            highPrice: string;
            /** Format: int64 */
            lastId: number;
            lastPrice?: string;
            lastQty?: string;
            lowPrice: string;
            openPrice: string;
            /** Format: uint64 */
            openTime: number;
            prevClosePrice?: string;
            priceChange?: string;
            priceChangePercent?: string;
            quoteVolume: string;
            symbol: string;
            volume: string;
            weightedAvgPrice?: string;
        };
        SymbolInfo: {
            allowTrailingStop: boolean;
            allowedSelfTradePreventionModes: string[];
            amendAllowed: boolean;
            baseAsset: string;
            /** Format: uint8 */
            baseAssetPrecision: number;
            /** Format: uint8 */
            baseCommissionPrecision: number;
            cancelReplaceAllowed: boolean;
            defaultSelfTradePreventionMode: string;
            /** @description Ours, apart from Binance's own: some clients refuse a type that they do not know. */
            extendedOrderTypes: string[];
            filters: components["schemas"]["Filter"][];
            icebergAllowed: boolean;
            isMarginTradingAllowed: boolean;
            isSpotTradingAllowed: boolean;
            ocoAllowed: boolean;
            opoAllowed: boolean;
            orderTypes: string[];
            otoAllowed: boolean;
            pegInstructionsAllowed: boolean;
            permissionSets: string[][];
            permissions: unknown[];
            quoteAsset: string;
            /** Format: uint8 */
            quoteAssetPrecision: number;
            /** Format: uint8 */
            quoteCommissionPrecision: number;
            quoteOrderQtyMarketAllowed: boolean;
            /** Format: uint8 */
            quotePrecision: number;
            status: components["schemas"]["SymbolStatus"];
            symbol: string;
            timesInForce: string[];
        };
        SymbolRules: {
            rules: unknown[];
            symbol: string;
        };
        /** @description Whether a symbol trades, in Binance's words. */
        SymbolStatus: ("PRE_TRADING" | "TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH") | "POST_TRADING" | "BREAK";
        /** @description `GET /sapi/v1/system/status` */
        SystemStatus: {
            msg: string;
            /**
             * Format: uint8
             * @description 0: normal, 1: the venue is halted
             */
            status: number;
        };
        /** @description `POST /api/v3/order/test` with `computeCommissionRates` */
        TestOrderRates: {
            discount: components["schemas"]["Discount"];
            specialCommissionForOrder: components["schemas"]["OrderRates"];
            standardCommissionForOrder: components["schemas"]["OrderRates"];
            taxCommissionForOrder: components["schemas"]["OrderRates"];
        };
        /** @description One of `GET /api/v3/trades` */
        Trade: {
            /** Format: uint64 */
            id: number;
            isBestMatch: boolean;
            isBuyerMaker: boolean;
            price: string;
            qty: string;
            quoteQty: string;
            /** Format: uint64 */
            time: number;
        };
        /** @description One of `GET /sapi/v1/asset/tradeFee` */
        TradeFee: {
            makerCommission: string;
            symbol: string;
            takerCommission: string;
        };
        /** @description One of `GET /sapi/v1/capital/withdraw/history` */
        WithdrawalInfo: {
            address: string;
            amount: string;
            /** @description In UTC, as `2019-10-12 11:12:02` */
            applyTime: string;
            coin: string;
            /** @description Only once it is completed */
            completeTime?: string;
            /** Format: uint8 */
            confirmNo: number;
            id: string;
            info: string;
            network: string;
            /**
             * Format: uint64
             * @description 1: canceled, 2: requested, 6: completed
             */
            status: number;
            transactionFee: string;
            /** Format: uint8 */
            transferType: number;
            /** @description The reference of its request */
            txId: string;
            txKey: string;
            /** Format: uint8 */
            walletType: number;
            withdrawOrderId: string;
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
    "GET /api/v3/account": {
        parameters: {
            query?: {
                /** @description Leaves out the assets of which there is nothing. */
                omitZeroBalances?: boolean;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["AccountInfo"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/account/commission": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["Commission"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/aggTrades": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description From this id on. */
                fromId?: number;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
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
                    "application/json": components["schemas"]["AggTradeInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/allOrderList": {
        parameters: {
            query?: {
                /** @description From this id on. */
                fromId?: number;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["ListStatus"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/allOrders": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["OrderInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/avgPrice": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
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
                    "application/json": components["schemas"]["AvgPrice"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/batchCancel": {
        parameters: {
            query: {
                /** @description A list in JSON of up to 20 objects with the parameters of one each. */
                batchOrders: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["BatchAnswer2"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/batchOrders": {
        parameters: {
            query: {
                /** @description A list in JSON of up to 20 objects with the parameters of one each. */
                batchOrders: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/depth": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description How many at most. More than 5000 means 5000. */
                limit?: number;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["Depth"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/exchangeInfo": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description A permission, or a list of them in JSON; every market here has `SPOT`. */
                permissions?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
                /** @description Whether the answer has `permissionSets`; it has by default. */
                showPermissionSets?: boolean;
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
                    "application/json": components["schemas"]["ExchangeInfo"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/executionRules": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["ExecutionRules"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/historicalBlockTrades": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description From this id on. */
                fromId: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
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
                    "application/json": unknown[];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/historicalTrades": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description From this id on. */
                fromId?: number;
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
                    "application/json": components["schemas"]["Trade"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/klines": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description How long a candle is. */
                interval: "1s" | "1m" | "3m" | "5m" | "15m" | "30m" | "1h" | "2h" | "4h" | "6h" | "8h" | "12h" | "1d" | "3d" | "1w" | "1M";
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description Hours, or hours and minutes ahead of UTC: `8`, `-1:00`, `05:45`. */
                timeZone?: string;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
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
                    "application/json": components["schemas"]["Kline"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/myAllocations": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description From this id on. */
                fromAllocationId?: number;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": unknown[];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/myFilters": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["MyFilters"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/myPreventedMatches": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description Just this one. */
                preventedMatchId?: number;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description From this id on. */
                fromPreventedMatchId?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["PreventedMatch"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/myTrades": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description From this id on. */
                fromId?: number;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["MyTrade"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/openOrderList": {
        parameters: {
            query?: {
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["ListStatus"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/openOrders": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description Whether each order is to have `aheadQty`, its place in the queue at its price. */
                queue?: boolean;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["OrderInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "DELETE /api/v3/openOrders": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["CancelAnswer"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/order": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description The client's own id of the order or list that is meant. */
                origClientOrderId?: string;
                /** @description Whether each order is to have `aheadQty`, its place in the queue at its price. */
                queue?: boolean;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["OrderInfo"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/order": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description In the base asset. */
                quantity?: string;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit. */
                price?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description How much of the order is shown. */
                icebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                goodTillDate?: number;
                /** @description Whether market data shows nothing of the order. */
                hidden?: boolean;
                /** @description At least this quantity trades on arrival, or the order expires. */
                minQty?: string;
                /** @description Whether a market order trades as far as the balance pays. */
                withinBalance?: boolean;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Any number, which comes back. */
                strategyId?: number;
                /** @description Any number from 1000000 on, which comes back. */
                strategyType?: number;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "DELETE /api/v3/order": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description The client's own id of the order or list that is meant. */
                origClientOrderId?: string;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Cancels the order only if it is in this state. */
                cancelRestrictions?: "ONLY_NEW" | "ONLY_PARTIALLY_FILLED";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["CancelAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "PUT /api/v3/order/amend/keepPriority": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The venue's id of an order. */
                orderId?: number;
                /** @description The client's own id of the order or list that is meant. */
                origClientOrderId?: string;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description The lower quantity that the order shall have. */
                newQty: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["AmendAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/order/amendments": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The venue's id of an order. */
                orderId: number;
                /** @description From this id on. */
                fromExecutionId?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["Amendment"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/order/cancelReplace": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description In the base asset. */
                quantity?: string;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit. */
                price?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description How much of the order is shown. */
                icebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                goodTillDate?: number;
                /** @description Whether market data shows nothing of the order. */
                hidden?: boolean;
                /** @description At least this quantity trades on arrival, or the order expires. */
                minQty?: string;
                /** @description Whether a market order trades as far as the balance pays. */
                withinBalance?: boolean;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Any number, which comes back. */
                strategyId?: number;
                /** @description Any number from 1000000 on, which comes back. */
                strategyType?: number;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description Whether the new order is wanted if the cancel fails. */
                cancelReplaceMode: "STOP_ON_FAILURE" | "ALLOW_FAILURE";
                /** @description The venue's id of the order to cancel. */
                cancelOrderId?: number;
                /** @description The client's own id of the order to cancel. */
                cancelOrigClientOrderId?: string;
                /** @description The client's own id of the cancel. */
                cancelNewClientOrderId?: string;
                /** @description Cancels the order only if it is in this state. */
                cancelRestrictions?: "ONLY_NEW" | "ONLY_PARTIALLY_FILLED";
                /** @description Whether the cancel is wanted if too many orders were sent. */
                orderRateLimitExceededMode?: "DO_NOTHING" | "CANCEL_ONLY";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["ReplaceAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/order/oco": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description In the base asset. */
                quantity?: string;
                /** @description Of the stop-loss order, if it has a limit. */
                stopLimitTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit of the stop-loss order, if it has one. */
                stopLimitPrice?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description Of the stop-loss order. How much of the order is shown. */
                stopIcebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description Of the stop-loss order. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                stopGoodTillDate?: number;
                /** @description Of the stop-loss order. Whether market data shows nothing of the order. */
                stopHidden?: boolean;
                /** @description Of the stop-loss order. At least this quantity trades on arrival, or the order expires. */
                stopMinQty?: string;
                /** @description Of the stop-loss order. Whether a market order trades as far as the balance pays. */
                stopWithinBalance?: boolean;
                /** @description Of the stop-loss order. The client's own id of the order; made up unless given. */
                stopClientOrderId?: string;
                /** @description Of the stop-loss order. Any number, which comes back. */
                stopStrategyId?: number;
                /** @description Of the stop-loss order. Any number from 1000000 on, which comes back. */
                stopStrategyType?: number;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description The limit. */
                price?: string;
                /** @description Of the limit-maker order. How much of the order is shown. */
                limitIcebergQty?: string;
                /** @description Of the limit-maker order. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                limitGoodTillDate?: number;
                /** @description Of the limit-maker order. Whether market data shows nothing of the order. */
                limitHidden?: boolean;
                /** @description Of the limit-maker order. At least this quantity trades on arrival, or the order expires. */
                limitMinQty?: string;
                /** @description Of the limit-maker order. Whether a market order trades as far as the balance pays. */
                limitWithinBalance?: boolean;
                /** @description Of the limit-maker order. The client's own id of the order; made up unless given. */
                limitClientOrderId?: string;
                /** @description Of the limit-maker order. Any number, which comes back. */
                limitStrategyId?: number;
                /** @description Of the limit-maker order. Any number from 1000000 on, which comes back. */
                limitStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/order/test": {
        parameters: {
            query: {
                /** @description Whether the answer has the fees. */
                computeCommissionRates?: boolean;
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description In the base asset. */
                quantity?: string;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit. */
                price?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description How much of the order is shown. */
                icebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                goodTillDate?: number;
                /** @description Whether market data shows nothing of the order. */
                hidden?: boolean;
                /** @description At least this quantity trades on arrival, or the order expires. */
                minQty?: string;
                /** @description Whether a market order trades as far as the balance pays. */
                withinBalance?: boolean;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Any number, which comes back. */
                strategyId?: number;
                /** @description Any number from 1000000 on, which comes back. */
                strategyType?: number;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["TestOrderRates"] | components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/orderList": {
        parameters: {
            query?: {
                /** @description The venue's id of a list. */
                orderListId?: number;
                /** @description The client's own id of the order or list that is meant. */
                origClientOrderId?: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["ListStatus"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "DELETE /api/v3/orderList": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The venue's id of a list. */
                orderListId?: number;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["CanceledList"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/orderList/oco": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description In the base asset. */
                quantity?: string;
                /** @description Of the order above the market. What is asked for: a type of order, or how much a ticker has. */
                aboveType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order above the market. What has a limit price must have one. */
                aboveTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order above the market. Of a market order, in the quote asset, in place of `quantity`. */
                aboveQuoteOrderQty?: string;
                /** @description Of the order above the market. The limit. */
                abovePrice?: string;
                /** @description Of the order above the market. The price that triggers the order. */
                aboveStopPrice?: string;
                /** @description Of the order above the market. How far the trigger follows the price, in hundredths of a percent. */
                aboveTrailingDelta?: number;
                /** @description Of the order above the market. How much of the order is shown. */
                aboveIcebergQty?: string;
                /** @description Of the order above the market. Which price the order follows. */
                abovePegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order above the market. How the offset of the peg is counted. */
                abovePegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order above the market. The offset of the peg: of levels only 0, of ticks any. */
                abovePegOffsetValue?: string;
                /** @description Of the order above the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                aboveGoodTillDate?: number;
                /** @description Of the order above the market. Whether market data shows nothing of the order. */
                aboveHidden?: boolean;
                /** @description Of the order above the market. At least this quantity trades on arrival, or the order expires. */
                aboveMinQty?: string;
                /** @description Of the order above the market. Whether a market order trades as far as the balance pays. */
                aboveWithinBalance?: boolean;
                /** @description Of the order above the market. The client's own id of the order; made up unless given. */
                aboveClientOrderId?: string;
                /** @description Of the order above the market. Any number, which comes back. */
                aboveStrategyId?: number;
                /** @description Of the order above the market. Any number from 1000000 on, which comes back. */
                aboveStrategyType?: number;
                /** @description Of the order below the market. What is asked for: a type of order, or how much a ticker has. */
                belowType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order below the market. What has a limit price must have one. */
                belowTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order below the market. Of a market order, in the quote asset, in place of `quantity`. */
                belowQuoteOrderQty?: string;
                /** @description Of the order below the market. The limit. */
                belowPrice?: string;
                /** @description Of the order below the market. The price that triggers the order. */
                belowStopPrice?: string;
                /** @description Of the order below the market. How far the trigger follows the price, in hundredths of a percent. */
                belowTrailingDelta?: number;
                /** @description Of the order below the market. How much of the order is shown. */
                belowIcebergQty?: string;
                /** @description Of the order below the market. Which price the order follows. */
                belowPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order below the market. How the offset of the peg is counted. */
                belowPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order below the market. The offset of the peg: of levels only 0, of ticks any. */
                belowPegOffsetValue?: string;
                /** @description Of the order below the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                belowGoodTillDate?: number;
                /** @description Of the order below the market. Whether market data shows nothing of the order. */
                belowHidden?: boolean;
                /** @description Of the order below the market. At least this quantity trades on arrival, or the order expires. */
                belowMinQty?: string;
                /** @description Of the order below the market. Whether a market order trades as far as the balance pays. */
                belowWithinBalance?: boolean;
                /** @description Of the order below the market. The client's own id of the order; made up unless given. */
                belowClientOrderId?: string;
                /** @description Of the order below the market. Any number, which comes back. */
                belowStrategyId?: number;
                /** @description Of the order below the market. Any number from 1000000 on, which comes back. */
                belowStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/orderList/opo": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order that comes first. Of the order. */
                workingSide: "BUY" | "SELL";
                /** @description Of the order that comes first. What is asked for: a type of order, or how much a ticker has. */
                workingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that comes first. In the base asset. */
                workingQuantity?: string;
                /** @description Of the order that comes first. What has a limit price must have one. */
                workingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that comes first. Of a market order, in the quote asset, in place of `quantity`. */
                workingQuoteOrderQty?: string;
                /** @description Of the order that comes first. The limit. */
                workingPrice?: string;
                /** @description Of the order that comes first. The price that triggers the order. */
                workingStopPrice?: string;
                /** @description Of the order that comes first. How far the trigger follows the price, in hundredths of a percent. */
                workingTrailingDelta?: number;
                /** @description Of the order that comes first. How much of the order is shown. */
                workingIcebergQty?: string;
                /** @description Of the order that comes first. Which price the order follows. */
                workingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that comes first. How the offset of the peg is counted. */
                workingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that comes first. The offset of the peg: of levels only 0, of ticks any. */
                workingPegOffsetValue?: string;
                /** @description Of the order that comes first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                workingGoodTillDate?: number;
                /** @description Of the order that comes first. Whether market data shows nothing of the order. */
                workingHidden?: boolean;
                /** @description Of the order that comes first. At least this quantity trades on arrival, or the order expires. */
                workingMinQty?: string;
                /** @description Of the order that comes first. Whether a market order trades as far as the balance pays. */
                workingWithinBalance?: boolean;
                /** @description Of the order that comes first. The client's own id of the order; made up unless given. */
                workingClientOrderId?: string;
                /** @description Of the order that comes first. Any number, which comes back. */
                workingStrategyId?: number;
                /** @description Of the order that comes first. Any number from 1000000 on, which comes back. */
                workingStrategyType?: number;
                /** @description Of the order that waits for the first. Of the order. */
                pendingSide: "BUY" | "SELL";
                /** @description Of the order that waits for the first. What is asked for: a type of order, or how much a ticker has. */
                pendingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that waits for the first. What has a limit price must have one. */
                pendingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that waits for the first. Of a market order, in the quote asset, in place of `quantity`. */
                pendingQuoteOrderQty?: string;
                /** @description Of the order that waits for the first. The limit. */
                pendingPrice?: string;
                /** @description Of the order that waits for the first. The price that triggers the order. */
                pendingStopPrice?: string;
                /** @description Of the order that waits for the first. How far the trigger follows the price, in hundredths of a percent. */
                pendingTrailingDelta?: number;
                /** @description Of the order that waits for the first. How much of the order is shown. */
                pendingIcebergQty?: string;
                /** @description Of the order that waits for the first. Which price the order follows. */
                pendingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that waits for the first. How the offset of the peg is counted. */
                pendingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that waits for the first. The offset of the peg: of levels only 0, of ticks any. */
                pendingPegOffsetValue?: string;
                /** @description Of the order that waits for the first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingGoodTillDate?: number;
                /** @description Of the order that waits for the first. Whether market data shows nothing of the order. */
                pendingHidden?: boolean;
                /** @description Of the order that waits for the first. At least this quantity trades on arrival, or the order expires. */
                pendingMinQty?: string;
                /** @description Of the order that waits for the first. Whether a market order trades as far as the balance pays. */
                pendingWithinBalance?: boolean;
                /** @description Of the order that waits for the first. The client's own id of the order; made up unless given. */
                pendingClientOrderId?: string;
                /** @description Of the order that waits for the first. Any number, which comes back. */
                pendingStrategyId?: number;
                /** @description Of the order that waits for the first. Any number from 1000000 on, which comes back. */
                pendingStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/orderList/opoco": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order that comes first. Of the order. */
                workingSide: "BUY" | "SELL";
                /** @description Of the order that comes first. What is asked for: a type of order, or how much a ticker has. */
                workingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that comes first. In the base asset. */
                workingQuantity?: string;
                /** @description Of the order that comes first. What has a limit price must have one. */
                workingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that comes first. Of a market order, in the quote asset, in place of `quantity`. */
                workingQuoteOrderQty?: string;
                /** @description Of the order that comes first. The limit. */
                workingPrice?: string;
                /** @description Of the order that comes first. The price that triggers the order. */
                workingStopPrice?: string;
                /** @description Of the order that comes first. How far the trigger follows the price, in hundredths of a percent. */
                workingTrailingDelta?: number;
                /** @description Of the order that comes first. How much of the order is shown. */
                workingIcebergQty?: string;
                /** @description Of the order that comes first. Which price the order follows. */
                workingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that comes first. How the offset of the peg is counted. */
                workingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that comes first. The offset of the peg: of levels only 0, of ticks any. */
                workingPegOffsetValue?: string;
                /** @description Of the order that comes first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                workingGoodTillDate?: number;
                /** @description Of the order that comes first. Whether market data shows nothing of the order. */
                workingHidden?: boolean;
                /** @description Of the order that comes first. At least this quantity trades on arrival, or the order expires. */
                workingMinQty?: string;
                /** @description Of the order that comes first. Whether a market order trades as far as the balance pays. */
                workingWithinBalance?: boolean;
                /** @description Of the order that comes first. The client's own id of the order; made up unless given. */
                workingClientOrderId?: string;
                /** @description Of the order that comes first. Any number, which comes back. */
                workingStrategyId?: number;
                /** @description Of the order that comes first. Any number from 1000000 on, which comes back. */
                workingStrategyType?: number;
                /** @description Of the order that waits for the first. Of the order. */
                pendingSide: "BUY" | "SELL";
                /** @description Of the pending order above the market. What is asked for: a type of order, or how much a ticker has. */
                pendingAboveType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the pending order above the market. What has a limit price must have one. */
                pendingAboveTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the pending order above the market. Of a market order, in the quote asset, in place of `quantity`. */
                pendingAboveQuoteOrderQty?: string;
                /** @description Of the pending order above the market. The limit. */
                pendingAbovePrice?: string;
                /** @description Of the pending order above the market. The price that triggers the order. */
                pendingAboveStopPrice?: string;
                /** @description Of the pending order above the market. How far the trigger follows the price, in hundredths of a percent. */
                pendingAboveTrailingDelta?: number;
                /** @description Of the pending order above the market. How much of the order is shown. */
                pendingAboveIcebergQty?: string;
                /** @description Of the pending order above the market. Which price the order follows. */
                pendingAbovePegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the pending order above the market. How the offset of the peg is counted. */
                pendingAbovePegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the pending order above the market. The offset of the peg: of levels only 0, of ticks any. */
                pendingAbovePegOffsetValue?: string;
                /** @description Of the pending order above the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingAboveGoodTillDate?: number;
                /** @description Of the pending order above the market. Whether market data shows nothing of the order. */
                pendingAboveHidden?: boolean;
                /** @description Of the pending order above the market. At least this quantity trades on arrival, or the order expires. */
                pendingAboveMinQty?: string;
                /** @description Of the pending order above the market. Whether a market order trades as far as the balance pays. */
                pendingAboveWithinBalance?: boolean;
                /** @description Of the pending order above the market. The client's own id of the order; made up unless given. */
                pendingAboveClientOrderId?: string;
                /** @description Of the pending order above the market. Any number, which comes back. */
                pendingAboveStrategyId?: number;
                /** @description Of the pending order above the market. Any number from 1000000 on, which comes back. */
                pendingAboveStrategyType?: number;
                /** @description Of the pending order below the market. What is asked for: a type of order, or how much a ticker has. */
                pendingBelowType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the pending order below the market. What has a limit price must have one. */
                pendingBelowTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the pending order below the market. Of a market order, in the quote asset, in place of `quantity`. */
                pendingBelowQuoteOrderQty?: string;
                /** @description Of the pending order below the market. The limit. */
                pendingBelowPrice?: string;
                /** @description Of the pending order below the market. The price that triggers the order. */
                pendingBelowStopPrice?: string;
                /** @description Of the pending order below the market. How far the trigger follows the price, in hundredths of a percent. */
                pendingBelowTrailingDelta?: number;
                /** @description Of the pending order below the market. How much of the order is shown. */
                pendingBelowIcebergQty?: string;
                /** @description Of the pending order below the market. Which price the order follows. */
                pendingBelowPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the pending order below the market. How the offset of the peg is counted. */
                pendingBelowPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the pending order below the market. The offset of the peg: of levels only 0, of ticks any. */
                pendingBelowPegOffsetValue?: string;
                /** @description Of the pending order below the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingBelowGoodTillDate?: number;
                /** @description Of the pending order below the market. Whether market data shows nothing of the order. */
                pendingBelowHidden?: boolean;
                /** @description Of the pending order below the market. At least this quantity trades on arrival, or the order expires. */
                pendingBelowMinQty?: string;
                /** @description Of the pending order below the market. Whether a market order trades as far as the balance pays. */
                pendingBelowWithinBalance?: boolean;
                /** @description Of the pending order below the market. The client's own id of the order; made up unless given. */
                pendingBelowClientOrderId?: string;
                /** @description Of the pending order below the market. Any number, which comes back. */
                pendingBelowStrategyId?: number;
                /** @description Of the pending order below the market. Any number from 1000000 on, which comes back. */
                pendingBelowStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/orderList/oto": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order that comes first. Of the order. */
                workingSide: "BUY" | "SELL";
                /** @description Of the order that comes first. What is asked for: a type of order, or how much a ticker has. */
                workingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that comes first. In the base asset. */
                workingQuantity?: string;
                /** @description Of the order that comes first. What has a limit price must have one. */
                workingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that comes first. Of a market order, in the quote asset, in place of `quantity`. */
                workingQuoteOrderQty?: string;
                /** @description Of the order that comes first. The limit. */
                workingPrice?: string;
                /** @description Of the order that comes first. The price that triggers the order. */
                workingStopPrice?: string;
                /** @description Of the order that comes first. How far the trigger follows the price, in hundredths of a percent. */
                workingTrailingDelta?: number;
                /** @description Of the order that comes first. How much of the order is shown. */
                workingIcebergQty?: string;
                /** @description Of the order that comes first. Which price the order follows. */
                workingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that comes first. How the offset of the peg is counted. */
                workingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that comes first. The offset of the peg: of levels only 0, of ticks any. */
                workingPegOffsetValue?: string;
                /** @description Of the order that comes first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                workingGoodTillDate?: number;
                /** @description Of the order that comes first. Whether market data shows nothing of the order. */
                workingHidden?: boolean;
                /** @description Of the order that comes first. At least this quantity trades on arrival, or the order expires. */
                workingMinQty?: string;
                /** @description Of the order that comes first. Whether a market order trades as far as the balance pays. */
                workingWithinBalance?: boolean;
                /** @description Of the order that comes first. The client's own id of the order; made up unless given. */
                workingClientOrderId?: string;
                /** @description Of the order that comes first. Any number, which comes back. */
                workingStrategyId?: number;
                /** @description Of the order that comes first. Any number from 1000000 on, which comes back. */
                workingStrategyType?: number;
                /** @description Of the order that waits for the first. Of the order. */
                pendingSide: "BUY" | "SELL";
                /** @description Of the order that waits for the first. What is asked for: a type of order, or how much a ticker has. */
                pendingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that waits for the first. In the base asset. */
                pendingQuantity?: string;
                /** @description Of the order that waits for the first. What has a limit price must have one. */
                pendingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that waits for the first. Of a market order, in the quote asset, in place of `quantity`. */
                pendingQuoteOrderQty?: string;
                /** @description Of the order that waits for the first. The limit. */
                pendingPrice?: string;
                /** @description Of the order that waits for the first. The price that triggers the order. */
                pendingStopPrice?: string;
                /** @description Of the order that waits for the first. How far the trigger follows the price, in hundredths of a percent. */
                pendingTrailingDelta?: number;
                /** @description Of the order that waits for the first. How much of the order is shown. */
                pendingIcebergQty?: string;
                /** @description Of the order that waits for the first. Which price the order follows. */
                pendingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that waits for the first. How the offset of the peg is counted. */
                pendingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that waits for the first. The offset of the peg: of levels only 0, of ticks any. */
                pendingPegOffsetValue?: string;
                /** @description Of the order that waits for the first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingGoodTillDate?: number;
                /** @description Of the order that waits for the first. Whether market data shows nothing of the order. */
                pendingHidden?: boolean;
                /** @description Of the order that waits for the first. At least this quantity trades on arrival, or the order expires. */
                pendingMinQty?: string;
                /** @description Of the order that waits for the first. Whether a market order trades as far as the balance pays. */
                pendingWithinBalance?: boolean;
                /** @description Of the order that waits for the first. The client's own id of the order; made up unless given. */
                pendingClientOrderId?: string;
                /** @description Of the order that waits for the first. Any number, which comes back. */
                pendingStrategyId?: number;
                /** @description Of the order that waits for the first. Any number from 1000000 on, which comes back. */
                pendingStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/orderList/otoco": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description The client's own id of the list. */
                listClientOrderId?: string;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order that comes first. Of the order. */
                workingSide: "BUY" | "SELL";
                /** @description Of the order that comes first. What is asked for: a type of order, or how much a ticker has. */
                workingType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the order that comes first. In the base asset. */
                workingQuantity?: string;
                /** @description Of the order that comes first. What has a limit price must have one. */
                workingTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the order that comes first. Of a market order, in the quote asset, in place of `quantity`. */
                workingQuoteOrderQty?: string;
                /** @description Of the order that comes first. The limit. */
                workingPrice?: string;
                /** @description Of the order that comes first. The price that triggers the order. */
                workingStopPrice?: string;
                /** @description Of the order that comes first. How far the trigger follows the price, in hundredths of a percent. */
                workingTrailingDelta?: number;
                /** @description Of the order that comes first. How much of the order is shown. */
                workingIcebergQty?: string;
                /** @description Of the order that comes first. Which price the order follows. */
                workingPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the order that comes first. How the offset of the peg is counted. */
                workingPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the order that comes first. The offset of the peg: of levels only 0, of ticks any. */
                workingPegOffsetValue?: string;
                /** @description Of the order that comes first. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                workingGoodTillDate?: number;
                /** @description Of the order that comes first. Whether market data shows nothing of the order. */
                workingHidden?: boolean;
                /** @description Of the order that comes first. At least this quantity trades on arrival, or the order expires. */
                workingMinQty?: string;
                /** @description Of the order that comes first. Whether a market order trades as far as the balance pays. */
                workingWithinBalance?: boolean;
                /** @description Of the order that comes first. The client's own id of the order; made up unless given. */
                workingClientOrderId?: string;
                /** @description Of the order that comes first. Any number, which comes back. */
                workingStrategyId?: number;
                /** @description Of the order that comes first. Any number from 1000000 on, which comes back. */
                workingStrategyType?: number;
                /** @description Of the order that waits for the first. Of the order. */
                pendingSide: "BUY" | "SELL";
                /** @description Of the order that waits for the first. In the base asset. */
                pendingQuantity?: string;
                /** @description Of the pending order above the market. What is asked for: a type of order, or how much a ticker has. */
                pendingAboveType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the pending order above the market. What has a limit price must have one. */
                pendingAboveTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the pending order above the market. Of a market order, in the quote asset, in place of `quantity`. */
                pendingAboveQuoteOrderQty?: string;
                /** @description Of the pending order above the market. The limit. */
                pendingAbovePrice?: string;
                /** @description Of the pending order above the market. The price that triggers the order. */
                pendingAboveStopPrice?: string;
                /** @description Of the pending order above the market. How far the trigger follows the price, in hundredths of a percent. */
                pendingAboveTrailingDelta?: number;
                /** @description Of the pending order above the market. How much of the order is shown. */
                pendingAboveIcebergQty?: string;
                /** @description Of the pending order above the market. Which price the order follows. */
                pendingAbovePegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the pending order above the market. How the offset of the peg is counted. */
                pendingAbovePegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the pending order above the market. The offset of the peg: of levels only 0, of ticks any. */
                pendingAbovePegOffsetValue?: string;
                /** @description Of the pending order above the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingAboveGoodTillDate?: number;
                /** @description Of the pending order above the market. Whether market data shows nothing of the order. */
                pendingAboveHidden?: boolean;
                /** @description Of the pending order above the market. At least this quantity trades on arrival, or the order expires. */
                pendingAboveMinQty?: string;
                /** @description Of the pending order above the market. Whether a market order trades as far as the balance pays. */
                pendingAboveWithinBalance?: boolean;
                /** @description Of the pending order above the market. The client's own id of the order; made up unless given. */
                pendingAboveClientOrderId?: string;
                /** @description Of the pending order above the market. Any number, which comes back. */
                pendingAboveStrategyId?: number;
                /** @description Of the pending order above the market. Any number from 1000000 on, which comes back. */
                pendingAboveStrategyType?: number;
                /** @description Of the pending order below the market. What is asked for: a type of order, or how much a ticker has. */
                pendingBelowType: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description Of the pending order below the market. What has a limit price must have one. */
                pendingBelowTimeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of the pending order below the market. Of a market order, in the quote asset, in place of `quantity`. */
                pendingBelowQuoteOrderQty?: string;
                /** @description Of the pending order below the market. The limit. */
                pendingBelowPrice?: string;
                /** @description Of the pending order below the market. The price that triggers the order. */
                pendingBelowStopPrice?: string;
                /** @description Of the pending order below the market. How far the trigger follows the price, in hundredths of a percent. */
                pendingBelowTrailingDelta?: number;
                /** @description Of the pending order below the market. How much of the order is shown. */
                pendingBelowIcebergQty?: string;
                /** @description Of the pending order below the market. Which price the order follows. */
                pendingBelowPegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description Of the pending order below the market. How the offset of the peg is counted. */
                pendingBelowPegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description Of the pending order below the market. The offset of the peg: of levels only 0, of ticks any. */
                pendingBelowPegOffsetValue?: string;
                /** @description Of the pending order below the market. When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                pendingBelowGoodTillDate?: number;
                /** @description Of the pending order below the market. Whether market data shows nothing of the order. */
                pendingBelowHidden?: boolean;
                /** @description Of the pending order below the market. At least this quantity trades on arrival, or the order expires. */
                pendingBelowMinQty?: string;
                /** @description Of the pending order below the market. Whether a market order trades as far as the balance pays. */
                pendingBelowWithinBalance?: boolean;
                /** @description Of the pending order below the market. The client's own id of the order; made up unless given. */
                pendingBelowClientOrderId?: string;
                /** @description Of the pending order below the market. Any number, which comes back. */
                pendingBelowStrategyId?: number;
                /** @description Of the pending order below the market. Any number from 1000000 on, which comes back. */
                pendingBelowStrategyType?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["NewOrderListAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ping": {
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
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/rateLimit/order": {
        parameters: {
            query?: {
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["OrderCount"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/referencePrice": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
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
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/referencePrice/calculation": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/sor/order": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description In the base asset. */
                quantity?: string;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit. */
                price?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description How much of the order is shown. */
                icebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                goodTillDate?: number;
                /** @description Whether market data shows nothing of the order. */
                hidden?: boolean;
                /** @description At least this quantity trades on arrival, or the order expires. */
                minQty?: string;
                /** @description Whether a market order trades as far as the balance pays. */
                withinBalance?: boolean;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Any number, which comes back. */
                strategyId?: number;
                /** @description Any number from 1000000 on, which comes back. */
                strategyType?: number;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["RoutedOrderAnswer"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/sor/order/test": {
        parameters: {
            query: {
                /** @description Whether the answer has the fees. */
                computeCommissionRates?: boolean;
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description What happens before the order would trade with its own account. */
                selfTradePreventionMode?: "NONE" | "EXPIRE_TAKER" | "EXPIRE_MAKER" | "EXPIRE_BOTH" | "DECREMENT";
                /** @description Of the order. */
                side: "BUY" | "SELL";
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type: "LIMIT" | "MARKET" | "LIMIT_MAKER" | "STOP_LOSS" | "STOP_LOSS_LIMIT" | "TAKE_PROFIT" | "TAKE_PROFIT_LIMIT" | "MARKET_TO_LIMIT";
                /** @description In the base asset. */
                quantity?: string;
                /** @description What has a limit price must have one. */
                timeInForce?: "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";
                /** @description Of a market order, in the quote asset, in place of `quantity`. */
                quoteOrderQty?: string;
                /** @description The limit. */
                price?: string;
                /** @description The price that triggers the order. */
                stopPrice?: string;
                /** @description How far the trigger follows the price, in hundredths of a percent. */
                trailingDelta?: number;
                /** @description How much of the order is shown. */
                icebergQty?: string;
                /** @description Which price the order follows. */
                pegPriceType?: "PRIMARY_PEG" | "MARKET_PEG" | "OPPOSITE_PEG" | "MID_PEG";
                /** @description How the offset of the peg is counted. */
                pegOffsetType?: "PRICE_LEVEL" | "TICK";
                /** @description The offset of the peg: of levels only 0, of ticks any. */
                pegOffsetValue?: string;
                /** @description When a `GTD` order expires, in milliseconds or microseconds since 1970. */
                goodTillDate?: number;
                /** @description Whether market data shows nothing of the order. */
                hidden?: boolean;
                /** @description At least this quantity trades on arrival, or the order expires. */
                minQty?: string;
                /** @description Whether a market order trades as far as the balance pays. */
                withinBalance?: boolean;
                /** @description The client's own id of the order, or of the cancel. */
                newClientOrderId?: string;
                /** @description Any number, which comes back. */
                strategyId?: number;
                /** @description Any number from 1000000 on, which comes back. */
                strategyType?: number;
                /** @description How much the answer has. */
                newOrderRespType?: "ACK" | "RESULT" | "FULL";
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["TestOrderRates"] | components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ticker": {
        parameters: {
            query?: {
                /** @description `1m` to `59m`, `1h` to `23h`, `1d` to `7d`; a day unless given. */
                windowSize?: string;
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type?: "FULL" | "MINI";
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["StatisticsTicker"] | components["schemas"]["StatisticsTicker"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ticker/24hr": {
        parameters: {
            query?: {
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type?: "FULL" | "MINI";
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["StatisticsTicker"] | components["schemas"]["StatisticsTicker"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ticker/bookTicker": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["BookTicker"] | components["schemas"]["BookTicker"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ticker/price": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["PriceTicker"] | components["schemas"]["PriceTicker"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/ticker/tradingDay": {
        parameters: {
            query?: {
                /** @description Hours, or hours and minutes ahead of UTC: `8`, `-1:00`, `05:45`. */
                timeZone?: string;
                /** @description What is asked for: a type of order, or how much a ticker has. */
                type?: "FULL" | "MINI";
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description Only markets of this status. */
                symbolStatus?: "PRE_TRADING" | "TRADING" | "POST_TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
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
                    "application/json": components["schemas"]["StatisticsTicker"] | components["schemas"]["StatisticsTicker"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/time": {
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
                    "application/json": components["schemas"]["ServerTime"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/trades": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
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
                    "application/json": components["schemas"]["Trade"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /api/v3/uiKlines": {
        parameters: {
            query: {
                /** @description A market, such as `BTCUSDT`. */
                symbol: string;
                /** @description How long a candle is. */
                interval: "1s" | "1m" | "3m" | "5m" | "15m" | "30m" | "1h" | "2h" | "4h" | "6h" | "8h" | "12h" | "1d" | "3d" | "1w" | "1M";
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description Hours, or hours and minutes ahead of UTC: `8`, `-1:00`, `05:45`. */
                timeZone?: string;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
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
                    "application/json": components["schemas"]["Kline"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "PUT /api/v3/userDataStream": {
        parameters: {
            query: {
                /** @description The listen key. */
                listenKey: string;
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
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "POST /api/v3/userDataStream": {
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
                    "application/json": components["schemas"]["BegunStream"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "DELETE /api/v3/userDataStream": {
        parameters: {
            query: {
                /** @description The listen key. */
                listenKey: string;
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
                    "application/json": components["schemas"]["Empty"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/asset/tradeFee": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["TradeFee"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/capital/config/getall": {
        parameters: {
            query?: {
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["CoinInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/capital/deposit/hisrec": {
        parameters: {
            query?: {
                /** @description Only transfers of this asset. */
                coin?: string;
                /** @description Only the deposit of this reference. */
                txId?: string;
                /** @description Only transfers in this state, by its number. */
                status?: number;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many of the newest to leave out. */
                offset?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description Has no effect: a deposit here has no source address. */
                includeSource?: boolean;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["DepositInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/capital/withdraw/history": {
        parameters: {
            query?: {
                /** @description Only transfers of this asset. */
                coin?: string;
                /** @description Only the withdrawal of this reference. */
                withdrawOrderId?: string;
                /** @description Only transfers in this state, by its number. */
                status?: number;
                /** @description Only withdrawals of these ids, with commas between, 45 at most. */
                idList?: string;
                /** @description From then on, in milliseconds or microseconds since 1970. */
                startTime?: number;
                /** @description Until then, in milliseconds or microseconds since 1970. */
                endTime?: number;
                /** @description How many of the newest to leave out. */
                offset?: number;
                /** @description How many at most. More than 1000 means 1000. */
                limit?: number;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": components["schemas"]["WithdrawalInfo"][];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/margin/allPairs": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
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
                    "application/json": unknown[];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/margin/isolated/allPairs": {
        parameters: {
            query?: {
                /** @description A market, such as `BTCUSDT`. */
                symbol?: string;
                /** @description A list of markets in JSON, such as `["BTCUSDT","ETHUSDT"]`. */
                symbols?: string;
                /** @description For how many milliseconds after `timestamp` the request is meant. */
                recvWindow?: string;
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
                    "application/json": unknown[];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
    "GET /sapi/v1/system/status": {
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
                    "application/json": components["schemas"]["SystemStatus"];
                };
            };
            /** @description Refused: a code and a text; nothing was changed */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description The venue takes nothing at the moment, or stopped before it answered */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
        };
    };
}

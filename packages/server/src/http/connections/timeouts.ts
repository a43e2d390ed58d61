/** The head and the body of a request must arrive within this time. */
export const requestTimeout = 30_000

/**
 * Node looks for requests that have not arrived once per interval: with its default, they last up to 30 s longer. A connection on which no
 * request begins ends after `headersTimeout`.
 */
export const arrivalTimeouts = { headersTimeout: 30_000, connectionsCheckingInterval: 1_000 }

/**
 * After a response, a connection stays open this long for the next request. Load balancers keep idle connections for 60 s by default, and
 * the server must not close one that a load balancer is about to use.
 */
export const keepAliveTimeout = 72_000

export const HANDSHAKE_MS = 10_000

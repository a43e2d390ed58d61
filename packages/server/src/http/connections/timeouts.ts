import type { ServerOptions } from 'node:http'
import type { Config } from '../../config.ts'

/** Time limit of a TLS handshake. */
export const HANDSHAKE_MS = 10_000

/** How often Node checks for late requests. With Node's default, late requests would last up to 30 s longer. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Returns the timeouts for receiving requests. The headers and the whole request must arrive within `requestTimeout`. The
 * timeout for headers also closes connections that send nothing. Between requests, the keep-alive timeout applies.
 */
export const arrivalTimeouts = ({ requestTimeout }: Pick<Config, 'requestTimeout'>): ServerOptions => ({
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
})

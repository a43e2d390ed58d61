import type { ServerOptions } from 'node:http'
import type { Config } from '../../config.ts'

/** The time limit of a TLS handshake, in milliseconds. */
export const HANDSHAKE_MS = 10_000

/**
 * The interval, in milliseconds, at which Node checks for late requests. With Node's default, a late request would last
 * up to 30 s longer.
 */
const CHECK_INTERVAL_MS = 1_000

/**
 * Returns the timeouts for receiving requests. The headers and the whole request must arrive within `requestTimeout`.
 * The timeout for headers also closes connections that send nothing. Between requests, the keep-alive timeout applies.
 */
export const arrivalTimeouts = ({ requestTimeout }: Pick<Config, 'requestTimeout'>): ServerOptions => ({
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
})

import type { ServerOptions } from 'node:http'
import type { Config } from '../../config.ts'

/** Time limit of a TLS handshake. */
export const HANDSHAKE_MS = 10_000

/** How often Node checks for late requests. With its default, they would last up to 30 s longer. */
const CHECK_INTERVAL_MS = 1_000

/**
 * The head of a request must arrive within `requestTimeout`, and so must the whole request. The limit for the head also closes
 * connections that send nothing. Between two requests, the keep-alive timeout applies.
 */
export const arrivalTimeouts = ({ requestTimeout }: Pick<Config, 'requestTimeout'>): ServerOptions => ({
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
})

import type { ServerOptions } from 'node:http'
import type { Config } from '../../config.ts'

/** The time limit of a TLS handshake, in milliseconds. */
export const HANDSHAKE_MS = 10_000

/**
 * The interval between checks for late requests, in milliseconds. With Node's default, a request could exceed its
 * timeout by up to 30 s.
 */
const CHECK_INTERVAL_MS = 1_000

/** The timeout for headers also closes connections that send nothing. */
export const arrivalTimeouts = ({ requestTimeout }: Pick<Config, 'requestTimeout'>): ServerOptions => ({
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: CHECK_INTERVAL_MS,
})

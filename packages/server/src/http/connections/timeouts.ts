import type { ServerOptions } from 'node:http'
import type { Config } from '../../config.ts'

/** A TLS handshake must end within this time. */
export const HANDSHAKE_MS = 10_000

/** Node looks for late requests once per interval. With its default, they last up to 30 s longer. */
const CHECK_EVERY_MS = 1_000

/**
 * A request must arrive within one time limit: its head, and then all of it. The limit for the head also ends connections that send
 * nothing at all. Between two requests, a connection has another time limit.
 */
export const arrivalTimeouts = ({ requestTimeout }: Pick<Config, 'requestTimeout'>): ServerOptions => ({
  headersTimeout: requestTimeout,
  connectionsCheckingInterval: CHECK_EVERY_MS,
})

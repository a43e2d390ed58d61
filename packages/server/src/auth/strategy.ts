import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../viewer.ts'

/**
 * A way to authenticate a request. Returns `null` if the request has no credentials of this kind, and the viewer if they are
 * valid. Throws an ApiError if they are invalid; no other strategy runs then.
 *
 * `body` is the bytes as received, undefined if the request has none.
 */
export type Strategy = (request: FastifyRequest, body: Buffer | undefined) => Promise<Viewer | null>

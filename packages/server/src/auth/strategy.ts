import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../viewer.ts'

/**
 * Returns `null` if the request has no credentials of this kind. The next strategy then runs. Throws an ApiError if the
 * credentials are invalid. No other strategy then runs. `body` contains the bytes as received, or is undefined if the
 * request has no body.
 */
export type Strategy = (request: FastifyRequest, body: Buffer | undefined) => Promise<Viewer | null>

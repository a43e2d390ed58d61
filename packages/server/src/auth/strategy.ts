import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../viewer.ts'

/**
 * Returns `null` if the request has no credentials of this kind, and the next strategy runs. Throws an ApiError if the
 * credentials are invalid, and no other strategy runs. `body` contains the bytes as received, or is undefined if the
 * request has no body.
 */
export type Strategy = (request: FastifyRequest, body: Buffer | undefined) => Promise<Viewer | null>

import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../viewer.ts'

/**
 * Authenticates requests with one kind of credentials. Returns the viewer, or null if the request has no such
 * credentials, so that the next strategy runs. If the credentials are invalid, throws an ApiError, and no other
 * strategy runs. `body` contains the bytes as received, or is undefined if the request has no body.
 */
export type Strategy = (request: FastifyRequest, body: Buffer | undefined) => Promise<Viewer | null>

import type { FastifyRequest } from 'fastify'
import type { Viewer } from '../viewer.ts'

/**
 * One way to tell who a request comes from. `null`: the request carries no credentials of this kind. A viewer: it does,
 * and they hold. Throws an ApiError: it does, and they do not; no other strategy is asked then.
 *
 * `body` is the bytes as received, undefined where the request has none.
 */
export type Strategy = (request: FastifyRequest, body: Buffer | undefined) => Promise<Viewer | null>

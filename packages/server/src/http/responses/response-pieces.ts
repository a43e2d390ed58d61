import type { FastifyInstance } from 'fastify'
import { BodyPieces, PIECE_BYTES } from '../../lib/body-pieces.ts'

/** Sends large bodies in consecutive pieces. */
export function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isLarge = Buffer.isBuffer(payload) && payload.length > PIECE_BYTES && request.method !== 'HEAD'
    const body = isLarge ? new BodyPieces([payload]) : payload
    if (body instanceof BodyPieces) reply.header('content-length', body.byteLength)
    done(null, body)
  })
}

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { BodyPieces, PIECE_BYTES } from '../../lib/body-pieces.ts'
import { hasClientLeft } from './response-end.ts'

/** Sends large responses in pieces. Sends nothing if the client has left. */
export function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (hasClientLeft(reply)) {
      // If Fastify sent the stream, it would report the stream's premature end as an error of the request.
      if (payload instanceof Readable) payload.destroy()
      return done(null, '')
    }
    const isLarge = Buffer.isBuffer(payload) && payload.length > PIECE_BYTES && request.method !== 'HEAD'
    const body = isLarge ? new BodyPieces([payload]) : payload
    if (body instanceof BodyPieces) reply.header('content-length', body.byteLength)
    done(null, body)
  })
}

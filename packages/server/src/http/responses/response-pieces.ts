import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** The size of a piece in bytes. It is small enough to detect progress on a slow connection. */
const PIECE_BYTES = 128 * 1024

/** Sends large bodies in consecutive pieces. A single write would copy or encrypt the whole body at once. */
export function sendInPieces(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!Buffer.isBuffer(payload) || payload.length <= PIECE_BYTES || request.method === 'HEAD')
      return done(null, payload)
    reply.header('content-length', payload.length)
    done(null, Readable.from(piecesOf(payload), { objectMode: false, highWaterMark: PIECE_BYTES }))
  })
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES)
}

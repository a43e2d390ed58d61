import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { hasClientLeft } from './response-end.ts'

/** The size of a piece in bytes. Pieces are small, so that even a slow client reads one within the read timeout. */
export const PIECE_BYTES = 128 * 1024

/** A body that is sent in pieces. A single write would copy or encrypt the entire body in one blocking step. */
export class BodyPieces extends Readable {
  readonly byteLength: number
  readonly #pieces: Iterator<Buffer>

  constructor(parts: readonly Buffer[]) {
    super({ highWaterMark: PIECE_BYTES })
    this.byteLength = parts.reduce((sum, part) => sum + part.length, 0)
    this.#pieces = piecesOf([...parts])
  }

  override _read(): void {
    const { done, value } = this.#pieces.next()
    this.push(done ? null : value)
  }
}

function* piecesOf(parts: Buffer[]): Generator<Buffer, undefined> {
  for (let part = parts.shift(); part !== undefined; part = parts.shift())
    for (let start = 0; start < part.length; start += PIECE_BYTES) yield part.subarray(start, start + PIECE_BYTES)
}

/** Sends large buffers in pieces. Sends nothing if the client has left. */
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

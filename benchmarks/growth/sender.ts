import { Agent, request } from 'node:http'
import type { HttpRequest } from '../load/load.ts'

export interface Answer {
  /** Milliseconds from sending to the last byte. */
  took: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what he asked for
  data(): any
}

export interface Sender {
  send(request: HttpRequest): Promise<Answer>
  close(): void
}

/** Over connections that stay open. The answer is not read before the time is taken. */
export function createSender(url: string): Sender {
  const agent = new Agent({ keepAlive: true })
  return {
    send({ method, path, headers, body }) {
      const began = performance.now()
      return new Promise((resolve, reject) => {
        const options = { agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
        const sent = request(new URL(path, url), options, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('error', reject)
          answer.on('end', () => {
            const took = performance.now() - began
            const text = Buffer.concat(chunks).toString()
            // An error stands before the data, in an answer of any status.
            if (answer.statusCode !== 200 || text.startsWith('{"errors"')) {
              return reject(new Error(`${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`))
            }
            resolve({ took, data: () => JSON.parse(text).data })
          })
        })
        sent.on('error', reject)
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

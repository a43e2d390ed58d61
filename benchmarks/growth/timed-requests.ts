import { Agent, request } from 'node:http'
import type { HttpRequest } from '../load/load.ts'

export interface TimedResponse {
  /** Time from sending the request to receiving the last byte. */
  milliseconds: number
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the document
  data(): any
}

export interface Sender {
  send(request: HttpRequest): Promise<TimedResponse>
  close(): void
}

export function createSender(url: string): Sender {
  const agent = new Agent({ keepAlive: true })
  return {
    send({ method, path, headers, body }) {
      const began = performance.now()
      return new Promise((resolve, reject) => {
        const options = { agent, method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
        const sent = request(new URL(path, url), options, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const milliseconds = performance.now() - began
            const text = Buffer.concat(chunks).toString()
            // The body of a response with errors begins with `{"errors"`, even if the status is 200.
            if (response.statusCode !== 200 || text.startsWith('{"errors"')) {
              return reject(new Error(`${path} responded with status ${response.statusCode}: ${text.slice(0, 500)}`))
            }
            resolve({ milliseconds, data: () => JSON.parse(text).data })
          })
        })
        sent.on('error', reject)
        sent.end(body)
      })
    },
    close: () => agent.destroy(),
  }
}

import { createHmac } from 'node:crypto'
import { type SigningKey, type SignRequestOptions, signRequest } from '@muster/http-signature'

/** The Host header of all requests. The header is constant, so the requests do not depend on the server's port. */
export const host = 'muster.example:4000'
const document = '{ login { id } }'

export interface Signer {
  keyId: string
  key: SigningKey
}

export interface Wire {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: string
}

export const toBytes = ({ method, target, headers, body }: Wire): Buffer =>
  Buffer.from(
    `${[`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n${body}`,
    'latin1',
  )

export const postBody = JSON.stringify({ query: document })
const getTarget = `/graphql/v1?query=${encodeURIComponent(document)}`

export function validRequests(signers: readonly Signer[], created: number): Wire[] {
  const variants: Partial<SignRequestOptions>[] = [
    {},
    { digest: false },
    { form: 'cavage' },
    { form: 'cavage', digest: false },
    { form: 'cavage', nameAlgorithm: false },
    { expires: created + 60, label: 'other' },
    {
      components: ['@method', '@authority', '@target-uri', '@scheme', 'content-type', 'content-length'],
      digest: false,
    },
    {
      form: 'cavage',
      components: ['(request-target)', 'host', 'date', 'content-type', 'content-length'],
      digest: false,
    },
  ]
  return signers.flatMap((signer) => [
    ...variants.map((variant) => sign(signer, 'POST', created, variant)),
    sign(signer, 'GET', created, {}),
    sign(signer, 'GET', created, { form: 'cavage' }),
  ])
}

function sign(signer: Signer, method: 'GET' | 'POST', created: number, variant: Partial<SignRequestOptions>): Wire {
  const isPost = method === 'POST'
  const target = isPost ? '/graphql/v1' : getTarget
  const headers: Record<string, string> = isPost
    ? { 'Content-Type': 'application/json', 'Content-Length': String(postBody.length) }
    : {}
  const body = isPost ? postBody : undefined
  const added = signRequest({ ...signer, method, url: `http://${host}${target}`, headers, body, created, ...variant })
  const all: [string, string][] = Object.entries({ Host: host, Accept: 'application/json', ...headers, ...added })
  return { method, target, headers: all, body: body ?? '' }
}

export const hmacOf = (secret: Uint8Array, base: string): string =>
  createHmac('sha256', secret).update(base, 'latin1').digest('base64')

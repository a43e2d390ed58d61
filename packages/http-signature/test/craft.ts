import { createHmac } from 'node:crypto'
import { nowAsDate, type RequestWithBody, sharedSecret } from './fixtures.ts'

/**
 * The functions in this file can build requests that no signer would produce. The MAC is always correct for the
 * signature base that the test passes.
 */

const mac = (base: string): string => createHmac('sha256', sharedSecret).update(base).digest('base64')

export type HandcraftedRequest = {
  method?: string
  target?: string
  headers?: string[]
  body?: string
}

const arrived = (request: HandcraftedRequest, credentials: string[]): RequestWithBody => ({
  method: request.method ?? 'POST',
  target: request.target ?? '/graphql/v1',
  rawHeaders: [...(request.headers ?? ['Host', 'api.example.com', 'Date', nowAsDate]), ...credentials],
  body: request.body === undefined ? undefined : Buffer.from(request.body),
})

export const usualLines = ['"@method": POST', '"@authority": api.example.com', '"@path": /graphql/v1']
export const usualInput = '("@method" "@authority" "@path");created=1795163418;keyid="AKEXAMPLE"'

/**
 * Builds a request in form B. Its Signature-Input header contains `input`, but the last line of the signature base
 * contains `signedInput`.
 */
export function formB(
  {
    lines = usualLines,
    input = usualInput,
    signedInput = input,
  }: { lines?: string[]; input?: string; signedInput?: string },
  request: HandcraftedRequest = {},
): RequestWithBody {
  const signature = mac([...lines, `"@signature-params": ${signedInput}`].join('\n'))
  return arrived(request, ['Signature-Input', `sig=${input}`, 'Signature', `sig=:${signature}:`])
}

export const usualList = '(request-target) host date'
export const usualString = `(request-target): post /graphql/v1\nhost: api.example.com\ndate: ${nowAsDate}`

/** Builds a request in form A. Replaces `$` in the parameters with the signature of `base`. */
export function formA(
  parameters: string,
  base: string = usualString,
  request: HandcraftedRequest = {},
): RequestWithBody {
  return arrived(request, ['Authorization', `Signature ${parameters.replace('$', mac(base))}`])
}

export const usualParameters = `keyId="AKEXAMPLE",algorithm="hmac-sha256",headers="${usualList}",signature="$"`

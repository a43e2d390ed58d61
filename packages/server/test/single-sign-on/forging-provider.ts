import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'

export const CLIENT = { id: 'muster', secret: 'a-client-secret-of-the-tests' }

/** Changes to the provider's correct tokens and responses. Parts that are omitted stay correct. */
export interface Forgery {
  claims?: (claims: JWTPayload) => JWTPayload
  header?: Partial<JWTHeaderParameters>
  /**
   * `none`: without a signature. `shared`: HS256 with the client secret, padded to 32 bytes. `stranger`: with a key
   * that the provider does not have. `RS512`: with a key of the provider, for an algorithm that the server does not
   * accept.
   */
  sign?: 'none' | 'shared' | 'stranger' | 'RS512'
  idToken?: (correct: string) => string | undefined
  tokenResponse?: (response: ServerResponse) => void
  /** Called before the token endpoint responds. */
  beforeToken?: () => Promise<unknown>
}

export interface ForgingProvider {
  issuer: string
  /** The requests to the token endpoint, as form fields. */
  tokenRequests: URLSearchParams[]
  /** Issues a code for an authorization request. The provider exchanges the code for an ID token with these claims. */
  issueCode(authorizationUrl: string, claims: JWTPayload, forgery?: Forgery): string
  signLogoutToken(claims: JWTPayload, forgery?: Pick<Forgery, 'sign' | 'header'>): Promise<string>
  /** Makes the endpoint that serves the provider's public keys respond with this status. */
  setKeysStatus(status: number): void
  close(): Promise<void>
}

interface Issued {
  nonce: string
  claims: JWTPayload
  forgery: Forgery
}

/** Starts a provider that accepts each code any number of times, so that only the server's checks reject a code. */
export async function startForgingProvider(): Promise<ForgingProvider> {
  const [own, stranger, rs512] = await Promise.all([
    generateKeyPair('RS256'),
    generateKeyPair('RS256'),
    generateKeyPair('RS512'),
  ])
  const otherJwk = { ...(await exportJWK(rs512.publicKey)), kid: 'rs512', use: 'sig', alg: 'RS512' }
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'own', use: 'sig', alg: 'RS256' }
  const issued = new Map<string, Issued>()
  const tokenRequests: URLSearchParams[] = []
  let issuer = ''
  let keysStatus = 200

  const sign = (
    payload: JWTPayload,
    { sign: how, header }: Pick<Forgery, 'sign' | 'header'>,
  ): Promise<string> | string => {
    if (how === 'none') return new UnsecuredJWT(payload).encode()
    const alg = how === 'shared' ? 'HS256' : how === 'RS512' ? 'RS512' : 'RS256'
    const kid = how === 'RS512' ? 'rs512' : 'own'
    const jwt = new SignJWT(payload).setProtectedHeader({ alg, kid, ...header })
    if (how === 'shared') return jwt.sign(new TextEncoder().encode(CLIENT.secret.padEnd(32, '.')))
    const keys = { stranger, RS512: rs512 }
    return jwt.sign((how === undefined ? own : keys[how]).privateKey)
  }

  const tokenOf = async ({ nonce, claims, forgery }: Issued): Promise<string | undefined> => {
    const now = Math.floor(Date.now() / 1_000)
    const correct = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce, ...claims }
    const token = await sign(forgery.claims?.(correct) ?? correct, forgery)
    return forgery.idToken === undefined ? token : forgery.idToken(token)
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const json = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (request.url === '/.well-known/openid-configuration')
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        end_session_endpoint: `${issuer}/end`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        authorization_response_iss_parameter_supported: true,
      })
    if (request.url === '/keys') return json({ keys: [jwk, otherJwk] }, keysStatus)
    if (request.url !== '/token') return json({}, 404)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const fields = new URLSearchParams(Buffer.concat(chunks).toString())
    tokenRequests.push(fields)
    const found = issued.get(fields.get('code') ?? '')
    if (found === undefined) return json({ error: 'invalid_grant' }, 400)
    await found.forgery.beforeToken?.()
    if (found.forgery.tokenResponse !== undefined) return found.forgery.tokenResponse(response)
    json({ access_token: 'an-access-token', token_type: 'Bearer', id_token: await tokenOf(found) })
  }

  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    tokenRequests,
    issueCode(authorizationUrl, claims, forgery = {}) {
      const code = `code-${issued.size}-${Math.random().toString(36).slice(2)}`
      const nonce = new URL(authorizationUrl).searchParams.get('nonce')!
      issued.set(code, { nonce, claims: { email: `${claims.sub}@example.com`, groups: [], ...claims }, forgery })
      return code
    },
    async signLogoutToken(claims, forgery = {}) {
      const now = Math.floor(Date.now() / 1_000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const correct = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 120, jti: `jti-${Math.random()}`, events }
      return sign({ ...correct, ...claims }, forgery)
    },
    setKeysStatus(status) {
      keysStatus = status
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

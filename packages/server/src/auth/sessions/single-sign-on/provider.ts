import { createRemoteJWKSet, decodeProtectedHeader, customFetch as jwksFetch } from 'jose'
import * as oidc from 'openid-client'
import type { Config } from '../../../config.ts'
import type { OutboundFetch } from '../../../outbound/outbound-fetch.ts'
import { ssoError } from '../../authentication-reasons.ts'
import { type Claims, type Identity, readIdentity } from './identity.ts'
import { type LogoutToken, verifyLogoutToken } from './logout-token.ts'

export type ProviderConfig = Pick<
  Config,
  | 'publicUrl'
  | 'oidcIssuer'
  | 'oidcClientId'
  | 'oidcClientSecret'
  | 'oidcName'
  | 'oidcScopes'
  | 'oidcGroups'
  | 'oidcTrustEmail'
>

export interface AttemptChecks {
  state: string
  nonce: string
  verifier: string
}

export interface VerifiedSignIn {
  identity: Identity
  /** The provider's ID for the session, or null if the claims contain none. */
  sid: string | null
  idToken: string
}

/**
 * The identity provider. Its functions throw `sso-unavailable` if the provider is unavailable, or if the server cannot
 * read or rejects its discovery document. They throw `sso-denied` if the provider denied the sign-in, and `sso-failed`
 * after any other failure. If the logout token is invalid, `verifyLogoutToken` throws another kind of error.
 */
export interface Provider {
  readonly issuer: string
  /** The provider's name on the sign-in page's button. */
  readonly name: string
  authorizationUrl(checks: AttemptChecks): Promise<string>
  verify(query: string, checks: AttemptChecks): Promise<VerifiedSignIn>
  /** Returns undefined if the provider has no URL for signing out. */
  endSessionUrl(idToken: string): Promise<string | undefined>
  verifyLogoutToken(token: string): Promise<LogoutToken>
}

/** The signature algorithms that the server accepts. The server rejects `none` and algorithms with a shared secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']

/** How long the provider's configuration is cached, in milliseconds. */
const CONFIGURATION_MS = 3_600_000
const TIMEOUT_SECONDS = 10

interface Connection {
  configuration: oidc.Configuration
  keys: ReturnType<typeof createRemoteJWKSet>
}

/** Reads the configuration when it is needed, because the server must start even if the provider is unavailable. */
export function createProvider(config: ProviderConfig, { fetch }: Pick<OutboundFetch, 'fetch'>): Provider {
  const { publicUrl, oidcIssuer: issuer = '', oidcClientId: clientId = '' } = config
  const redirectUri = `${publicUrl}/auth/sso/callback`
  let connected: { at: number; connection: Promise<Connection> } | undefined

  const connect = (): Promise<Connection> => {
    const now = performance.now()
    if (connected === undefined || now - connected.at > CONFIGURATION_MS) {
      const connection = discover(config, fetch)
      connected = { at: now, connection }
      connection.catch(() => {
        connected = undefined
      })
    }
    return connected.connection
  }

  return {
    issuer,
    name: config.oidcName ?? new URL(issuer).host,
    async authorizationUrl({ state, nonce, verifier }) {
      const { configuration } = await connect()
      const parameters = {
        redirect_uri: redirectUri,
        scope: config.oidcScopes,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      return oidc.buildAuthorizationUrl(configuration, parameters).href
    },
    async verify(query, { state, nonce, verifier }) {
      const { configuration } = await connect()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await oidc
        .authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), checks)
        .catch(fail)
      const idToken = tokens.id_token!
      if (!ALGORITHMS.includes(decodeProtectedHeader(idToken).alg ?? '')) throw ssoError('sso-failed')
      const claims = await withUserInfo({ config, configuration }, tokens)
      const options = { groupsClaim: config.oidcGroups, trustEmail: config.oidcTrustEmail }
      return {
        identity: readIdentity(claims, options),
        sid: typeof claims.sid === 'string' ? claims.sid : null,
        idToken,
      }
    },
    async endSessionUrl(idToken) {
      const { configuration } = await connect()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: `${publicUrl}/sign-in` }
      return oidc.buildEndSessionUrl(configuration, parameters).href
    },
    async verifyLogoutToken(token) {
      const { keys } = await connect()
      return verifyLogoutToken(token, { issuer, clientId, keys, algorithms: ALGORITHMS }).catch((error: unknown) => {
        throw isUnreachable(error) ? ssoError('sso-unavailable') : error
      })
    },
  }
}

async function discover(config: ProviderConfig, fetch: OutboundFetch['fetch']): Promise<Connection> {
  const { oidcIssuer = '', oidcClientId = '', oidcClientSecret } = config
  const isInsecure = oidcIssuer.startsWith('http:')
  const customFetch = fetch as unknown as oidc.CustomFetch
  const configuration = await oidc
    .discovery(new URL(oidcIssuer), oidcClientId, oidcClientSecret, undefined, {
      [oidc.customFetch]: customFetch,
      timeout: TIMEOUT_SECONDS,
      ...(isInsecure && { execute: [oidc.allowInsecureRequests] }),
    })
    .catch((error: unknown) => failWith('sso-unavailable', error))
  const { issuer, jwks_uri: jwksUri } = configuration.serverMetadata()
  // The issuer must be exactly the configured issuer (OpenID Connect Discovery §4.3).
  if (issuer !== oidcIssuer || jwksUri === undefined) throw ssoError('sso-unavailable')
  configuration.timeout = TIMEOUT_SECONDS
  // By default, the library does not check the signature of an ID token from the token endpoint.
  oidc.enableNonRepudiationChecks(configuration)
  const keys = createRemoteJWKSet(new URL(jwksUri), { [jwksFetch]: fetch as unknown as typeof globalThis.fetch })
  return { configuration, keys }
}

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>

/**
 * Returns the claims of the ID token. Many providers return the email address and the groups only from the UserInfo
 * endpoint. If either is missing and the provider has this endpoint, adds the claims from there. The UserInfo response
 * must name the same subject (OpenID Connect Core §5.3.2).
 */
async function withUserInfo(
  { config, configuration }: { config: ProviderConfig; configuration: oidc.Configuration },
  tokens: Tokens,
): Promise<Claims> {
  const claims = tokens.claims() as unknown as Claims
  const isComplete =
    claims.email !== undefined && readIdentity(claims, { groupsClaim: config.oidcGroups, trustEmail: false }).groups
  const endpoint = configuration.serverMetadata().userinfo_endpoint
  if (isComplete || endpoint === undefined) return claims
  const info = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims.sub)).catch(fail)
  return { ...info, ...claims }
}

function fail(error: unknown): never {
  const isDenied = error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied'
  return failWith(isDenied ? 'sso-denied' : isUnreachable(error) ? 'sso-unavailable' : 'sso-failed', error)
}

/** Throws an error without the provider's message, which may contain a token. The cause is a code for the log. */
function failWith(reason: Parameters<typeof ssoError>[0], error: unknown): never {
  const { code, error: name } = error as { code?: unknown; error?: unknown }
  const cause = [name, code].find((each) => typeof each === 'string' && /^\w{1,60}$/.test(each))
  throw Object.assign(ssoError(reason), { cause })
}

/** jose uses ERR_JOSE_GENERIC if the response to its request for the key set is not JSON with the status 200. */
const unreachableCodes = new Set(['OAUTH_TIMEOUT', 'FORBIDDEN_ADDRESS', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC'])

function isUnreachable(error: unknown): boolean {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError' || unreachableCodes.has(code ?? '')) return true
  if (cause instanceof Response) return cause.status >= 500
  const { syscall } = (cause ?? {}) as { syscall?: string }
  if (syscall !== undefined || (error instanceof TypeError && error.message === 'fetch failed')) return true
  return cause instanceof Error && cause !== error && isUnreachable(cause)
}

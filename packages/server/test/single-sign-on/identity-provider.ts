import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { CLIENT } from './forging-provider.ts'

/** A user of the provider. The user's login name is the key in `people`. */
export interface ProviderPerson {
  email: string
  email_verified?: boolean
  groups?: string[]
  name?: string
}

export interface IdentityProvider {
  issuer: string
  people: Map<string, ProviderPerson>
  close(): Promise<void>
}

/** Starts a provider whose sign-in form accepts every login name in `people` with any password. */
export async function startIdentityProvider(serverUrl: string): Promise<IdentityProvider> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const people = new Map<string, ProviderPerson>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${serverUrl}/auth/sso/callback`],
        post_logout_redirect_uris: [`${serverUrl}/sign-in`],
        backchannel_logout_uri: `${serverUrl}/auth/sso/backchannel-logout`,
        backchannel_logout_session_required: true,
      },
    ],
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    // Also send logout tokens to local addresses. By default, the provider sends them only to public addresses.
    fetch: (url, options) =>
      fetch(url, { method: options?.method, headers: options?.headers, body: options?.body } as RequestInit),
    findAccount: (_context, login) => {
      const person = people.get(login)
      return person && { accountId: login, claims: async () => ({ sub: login, ...person }) }
    },
  })
  http.on('request', provider.callback())
  return {
    issuer,
    people,
    async close() {
      http.closeAllConnections()
      http.close()
    },
  }
}

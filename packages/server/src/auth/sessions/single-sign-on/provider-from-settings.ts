import type { FastifyInstance } from 'fastify'
import type { Config } from '../../../config.ts'
import { StartError } from '../../../start-error.ts'
import type { Provider, ProviderConfig } from './provider.ts'

/** Returns undefined if single sign-on is not configured. Throws a StartError if a required setting is missing. */
export async function openProvider(
  app: FastifyInstance,
  config: ProviderConfig & Pick<Config, 'signIn' | 'oidcAllow'>,
): Promise<Provider | undefined> {
  const { oidcIssuer, oidcClientId, oidcClientSecret, publicUrl } = config
  const settings = {
    MUSTER_OIDC_ISSUER: oidcIssuer,
    MUSTER_OIDC_CLIENT_ID: oidcClientId,
    MUSTER_OIDC_CLIENT_SECRET: oidcClientSecret,
    MUSTER_PUBLIC_URL: publicUrl,
  }
  const isWanted = (oidcIssuer ?? oidcClientId ?? oidcClientSecret) !== undefined
  const missing = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (isWanted && missing.length > 0) throw new StartError(`To use single sign-on, also set: ${missing.join(', ')}.`)
  if (!isWanted) {
    if (config.signIn === 'sso')
      throw new StartError(
        `MUSTER_SIGN_IN=sso requires single sign-on. Remove MUSTER_SIGN_IN, or set: ${missing.join(', ')}.`,
      )
    return undefined
  }
  const [{ createOutboundFetch }, { createProvider }] = await Promise.all([
    import('../../../outbound/outbound-fetch.ts'),
    import('./provider.ts'),
  ])
  const outbound = createOutboundFetch({ allowed: config.oidcAllow })
  app.addHook('onClose', () => outbound.close())
  return createProvider(config, outbound)
}

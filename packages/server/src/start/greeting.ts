import type { Config } from '../config.ts'
import { version } from '../version.ts'

export interface GreetingOptions {
  url: string
  config: Config
  isFirstStart: boolean
  /** Where the credentials of this server are; undefined when another server's folder has them. */
  credentials: string | undefined
}

/** What to open and what to try next, for whoever started the server. */
export function greeting({ url, config, isFirstStart, credentials }: GreetingOptions): string {
  const lines = [`Muster ${version} is ready at ${url}`, '', `  Console      ${url}/`]
  lines.push(`  API          ${url}/graphql/v1`)
  lines.push(`  Reference    ${url}/graphql/v1/doc`)
  lines.push(`  Credentials  ${credentials ?? 'where the first server on this database wrote them'}`)
  if (isFirstStart) {
    lines.push('', `This is the first start: the user ${config.ownerEmail} and an access key were created.`)
    lines.push('Sign in to the console with the e-mail address and the password that are in the credentials.')
  }
  lines.push('', 'Try:', "  npx muster query '{ login { email devices { total } } }'", '')
  return lines.join('\n')
}

/** What a client on this machine calls a server that listens there. */
export function localUrl({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const scheme = tlsCert === undefined ? 'http' : 'https'
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

import type { Config } from '../config.ts'
import { version } from '../version.ts'

export interface GreetingOptions {
  url: string
  config: Config
  isFirstStart: boolean
  /** The path of the credentials file, or undefined if this server's data folder contains none. */
  credentials: string | undefined
}

export function greeting({ url, config, isFirstStart, credentials }: GreetingOptions): string {
  const lines = [`Muster ${version} is ready at ${url}`, '', `  Console      ${url}/`]
  lines.push(`  API          ${url}/graphql/v1`)
  lines.push(`  Reference    ${url}/graphql/v1/doc`)
  lines.push(`  Docs         ${url}/docs/`)
  lines.push(
    `  Credentials  ${credentials ?? 'not in this data folder (the first server that used this database created them)'}`,
  )
  if (isFirstStart) {
    lines.push('', `This is the first start. The server has created the user ${config.ownerEmail} and an access key.`)
    lines.push(
      config.signIn === 'sso'
        ? `The server accepts only single sign-on. To create a link that signs this user in, run "muster users link ${config.ownerEmail}".`
        : 'Sign in to the console with the email address and password from the credentials file.',
    )
  }
  lines.push('', 'Try:', "  npx muster query '{ login { email devices { total } } }'", '')
  return lines.join('\n')
}

export function localUrl({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const scheme = tlsCert === undefined ? 'http' : 'https'
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`
}

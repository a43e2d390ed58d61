import { hostname } from 'node:os'
import type { Command } from 'commander'
import { credentialsFile } from '../credentials/credentials.ts'
import { assertProfileName } from '../credentials/write-profile.ts'
import { usageError } from '../errors/cli-error.ts'
import { newCommand } from '../options/new-command.ts'
import { printJson, say } from '../output/print-result.ts'

interface Options {
  json?: boolean
  credentials?: string
  profile?: string
  name?: string
  device?: boolean
}

export function buildCommand(): Command {
  return newCommand('login')
    .description(`Sign in to a server in the browser, and save a new access key in a profile. The command creates a key
pair on this machine and sends only the public key. The private key never leaves this machine. In the browser, choose
the account and allow the request. The result is a personal key, which expires after 90 days, or earlier if the key
policy of the account requires it.

If this machine has no browser, or with --device, the command prints a URL and a code. Open the URL on any machine and
type the code.`)
    .argument('<url>', 'server URL, such as https://muster.example.com')
    .option('--profile <name>', 'profile name (default: MUSTER_PROFILE, else "default")')
    .option(
      '--credentials <file>',
      'credentials file (default: MUSTER_CREDENTIALS, else $MUSTER_DATA/credentials if it can be read, else ~/.muster/credentials)',
    )
    .option('--name <name>', 'name of the access key (default: the host name)')
    .option('--device', 'do not open a browser; print a URL and a code to use on another machine')
    .action(run)
}

async function run(url: string, options: Options): Promise<void> {
  const { json, device = false, name = hostname() } = options
  const profile = options.profile ?? (process.env.MUSTER_PROFILE || 'default')
  assertProfileName(profile)
  const server = originOf(url)
  const [{ signIn }, { canOpenBrowser }, file] = await Promise.all([
    import('../login/obtain-access-key.ts'),
    import('../login/browser.ts'),
    credentialsFile(options.credentials),
  ])
  const saved = await signIn({ url: server, machine: name, isLocal: !device && canOpenBrowser(), file, profile })
  if (json) return printJson({ file, profile, url: server, ...saved })
  await say(`Signed in to the account ${saved.email}; saved as profile ${profile} in ${file}`)
}

function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw usageError(
      `${JSON.stringify(url)} is not an http or https URL`,
      'Pass a server URL such as https://muster.example.com.',
    )
  return parsed.origin
}

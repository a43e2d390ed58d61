import type { Command } from 'commander'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { readSchema } from '../server/read-schema.ts'
import { write } from '../terminal/standard-output.ts'

interface Options extends ClientOptions {
  url?: string
}

export function buildCommand(): Command {
  return newClientCommand('schema')
    .description(`Print the GraphQL schema of the server's API. The schema is public, so the command requires no
credentials with --url.`)
    .option('--url <url>', 'server URL (default: the URL in the credentials)')
    .action(run)
}

async function run({ url, json, ...which }: Options): Promise<void> {
  const text = await readSchema({ url, ...which })
  await write(json ? `${JSON.stringify({ schema: text })}\n` : `${text.trimEnd()}\n`)
}

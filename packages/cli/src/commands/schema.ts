import type { Command } from 'commander'
import { type ClientOptions, newClientCommand, prose } from '../new-command.ts'
import { write } from '../process.ts'
import { readSchema } from '../read-schema.ts'

interface Options extends ClientOptions {
  url?: string
}

export function schemaCommand(): Command {
  return newClientCommand('schema', 'print the schema of the API')
    .description(
      prose(
        `Prints the schema of the server's API in the GraphQL schema definition language. It is public: --url needs no credentials.`,
      ),
    )
    .option('--url <url>', 'of this server (default: that of the credentials)')
    .action(run)
}

async function run({ url, json, ...which }: Options): Promise<void> {
  const text = await readSchema({ url, ...which })
  await write(process.stdout, json ? `${JSON.stringify({ schema: text })}\n` : `${text.trimEnd()}\n`)
}

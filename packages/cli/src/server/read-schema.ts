import { readCredentials, type Which } from '../credentials/credentials.ts'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { fetchText } from './fetch-text.ts'

export async function readSchema({ url, ...which }: Which & { url?: string | undefined }): Promise<string> {
  const server = url ?? (await readCredentials(which)).url
  const { status, text } = await fetchText(server, '/graphql/v1/schema.graphql')
  if (status === 200 && text.includes('type Query')) return text
  const reason = status === 200 ? 'the response is not a GraphQL schema' : `HTTP ${status}`
  throw new CliError(`cannot read the GraphQL schema from ${server}: ${reason}`, {
    hint:
      url === undefined ? 'Check MUSTER_URL in the environment and the credentials file.' : 'Check the URL in --url.',
    exitCode: status >= 500 ? exitCodes.notNow : exitCodes.failed,
  })
}

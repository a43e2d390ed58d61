import { CliError } from '../errors/cli-error.ts'
import type { ClientOptions } from '../options/new-command.ts'
import { counted } from '../output/counted.ts'
import { printJson, say } from '../output/print-result.ts'
import { readSchema } from './read-schema.ts'

interface Mistake {
  message: string
  line: number | undefined
  column: number | undefined
}

export async function checkDocument(source: string, options: ClientOptions): Promise<void> {
  const mistakes = await mistakesIn(source, await readSchema(options))
  if (options.json) await printJson({ mistakes })
  else for (const { line, column, message } of mistakes) await say(`${line}:${column}: ${message}`)
  if (mistakes.length > 0) throw new CliError(`the document has ${counted(mistakes.length, 'error')}`)
  if (!options.json) await say('The document is valid.')
}

async function mistakesIn(source: string, schema: string): Promise<Mistake[]> {
  const { buildSchema, GraphQLError, parse, validate } = await import('graphql')
  const toMistake = ({ message, locations }: InstanceType<typeof GraphQLError>): Mistake => ({
    message,
    line: locations?.[0]?.line,
    column: locations?.[0]?.column,
  })
  try {
    return validate(buildSchema(schema), parse(source)).map(toMistake)
  } catch (error) {
    if (error instanceof GraphQLError) return [toMistake(error)]
    throw error
  }
}

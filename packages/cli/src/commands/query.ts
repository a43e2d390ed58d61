import { text } from 'node:stream/consumers'
import { errorOf } from '@muster/client'
import type { Command } from 'commander'
import { usageError } from '../errors/cli-error.ts'
import { printFailure } from '../errors/failure.ts'
import { type ClientOptions, newClientCommand } from '../options/new-command.ts'
import { collect } from '../options/option-values.ts'
import { readNamedFile } from '../options/read-named-file.ts'
import { openMuster } from '../server/open-muster.ts'

interface Options extends ClientOptions {
  file?: string
  variables?: string
  variable?: string[]
  operationName?: string
  check?: boolean
}

export function buildCommand(): Command {
  return newClientCommand('query')
    .argument('[document]', 'GraphQL document (default: read from --file, else from standard input)')
    .option('-f, --file <file>', 'read the document from a file')
    .option('--variables <json>', 'variables as a JSON object; to read them from a file, pass @FILE')
    .option('--variable <name=value>', 'variable whose value is JSON or a string; repeatable', collect)
    .option('--operation-name <name>', 'name of the operation to run, if the document contains several')
    .option('--check', 'validate the document against the schema without running it')
    .addHelpText('after', examples)
    .action(run)
}

const examples = `
The command prints the response, with data and errors, as JSON. The JSON is indented on a terminal without --json, and
otherwise on one line.

Examples:
  muster query '{ login { email devices { total } } }'
  muster query --variable name=pump 'query ($name: String) { login { devices(name: $name) { total } } }'
  muster query --file devices.graphql --variables '{"size": 1000}' | jq .data`

async function run(document: string | undefined, options: Options): Promise<void> {
  const variables = await readVariables(options)
  const source = await readDocument(document, options.file)
  if (options.check) return (await import('../server/check-document.ts')).checkDocument(source, options)
  const muster = await openMuster(options, 2)
  const { operationName } = options
  const { data, errors, extensions } = await muster.execute(source, variables, { operationName })
  const indentation = process.stdout.isTTY && !options.json ? 2 : 0
  process.stdout.write(`${JSON.stringify({ data, errors, extensions }, null, indentation)}\n`)
  if (errors === undefined || errors.length === 0) return
  process.exitCode = printFailure(errorOf(errors), { json: options.json ?? false })
}

async function readDocument(document: string | undefined, file: string | undefined): Promise<string> {
  if (document !== undefined && file !== undefined) {
    throw usageError('pass the document as an argument or with --file, not both')
  }
  if (file !== undefined) return readNamedFile(file, 'the document')
  if (document !== undefined && document !== '-') return document
  const read = process.stdin.isTTY ? '' : await text(process.stdin)
  if (read.trim() === '') throw usageError('pass a document as an argument, with --file, or on standard input')
  return read
}

async function readVariables({ variables, variable = [] }: Options): Promise<Record<string, unknown> | undefined> {
  if (variables === undefined && variable.length === 0) return undefined
  const json = variables?.startsWith('@') ? await readNamedFile(variables.slice(1), 'the variables') : variables
  return { ...parseVariables(json), ...Object.fromEntries(variable.map(parseVariable)) }
}

/** Parses the value as JSON, so `size=10` is a number. A value that is not valid JSON is a string: `name=pump`. */
function parseVariable(text: string): [name: string, value: unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`--variable ${JSON.stringify(text)} must have the form name=value, such as size=10`)
  const value = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(value)]
  } catch {
    return [text.slice(0, at), value]
  }
}

function parseVariables(json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {}
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw usageError(
      `--variables is not valid JSON: ${(error as Error).message}`,
      'Pass a JSON object, such as {"size": 10}.',
    )
  }
  throw usageError('--variables must be a JSON object, such as {"size": 10}')
}

import { readFile } from 'node:fs/promises'
import { replacePrivateFile } from '@muster/server/lib/private-file.ts'
import { CliError } from '../../cli-error.ts'

/** What a file holds, as `read` makes of its JSON; undefined where there is no such file. */
export async function readJsonFile<Value>(
  file: string,
  read: (json: unknown) => Value | undefined,
): Promise<Value | undefined> {
  const text = await readText(file)
  if (text === undefined) return undefined
  const value = read(parsed(text))
  if (value !== undefined) return value
  throw new CliError(`${file} is damaged`, {
    hint: 'Put it back from a backup, or remove it and register this machine again.',
  })
}

/** Written whole or not at all, and for its owner's eyes only. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await replacePrivateFile(file, `${JSON.stringify(value, null, 2)}\n`).catch((error: Error) => {
    throw new CliError(`${file} cannot be written: ${error.message}`)
  })
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const hint = code === 'EACCES' ? 'It belongs to whoever the agent runs as: try again as root (sudo).' : undefined
    throw new CliError(`${file} cannot be read: ${message}`, hint === undefined ? {} : { hint })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

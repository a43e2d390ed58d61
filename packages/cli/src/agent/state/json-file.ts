import { readFile } from 'node:fs/promises'
import { replacePrivateFile } from '@muster/server/lib/private-file.ts'
import { CliError, usageError } from '../../errors/cli-error.ts'

/**
 * Reads a JSON file, and converts the parsed value with `read`, which receives undefined for invalid JSON. Returns
 * undefined if the file does not exist. Throws if the file cannot be read or `read` returns undefined.
 */
export async function readJsonFile<Value>(
  file: string,
  read: (json: unknown) => Value | undefined,
): Promise<Value | undefined> {
  const text = await readText(file)
  if (text === undefined) return undefined
  const value = read(parseJson(text))
  if (value !== undefined) return value
  throw usageError(
    `${file} does not contain valid data`,
    'Restore the file from a backup, or remove it. If you remove device.json, you must register this machine again.',
  )
}

export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await replacePrivateFile(file, `${JSON.stringify(value, null, 2)}\n`).catch((error: Error) => {
    throw new CliError(`cannot write ${file}: ${error.message}`)
  })
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const hint = code === 'EACCES' ? "Try again as the agent's user or as root (sudo)." : undefined
    throw new CliError(`cannot read ${file}: ${message}`, { hint })
  }
}

/** Returns undefined for invalid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

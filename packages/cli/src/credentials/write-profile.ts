import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replacePrivateFile } from '@muster/server/lib/private-file.ts'
import { CliError, usageError } from '../errors/cli-error.ts'

/** A profile name is also a section name in an INI file, so only these characters are allowed. */
const profileName = /^[A-Za-z0-9_-]{1,64}$/

export function assertProfileName(profile: string): void {
  if (profileName.test(profile)) return
  throw usageError(
    `${JSON.stringify(profile)} is not a valid profile name`,
    'Use 1 to 64 ASCII letters, digits, hyphens, and underscores.',
  )
}

export async function writeProfile(
  file: string,
  profile: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  assertProfileName(profile)
  for (const [name, value] of Object.entries(values)) {
    if (/[\r\n]/.test(value)) throw usageError(`the value of ${name} must not contain line breaks`)
  }
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new CliError(`cannot read the credentials file ${file}: ${error.message}`)
  })
  await replacePrivately(file, withSection(text, profile, values))
}

export function withSection(text: string, profile: string, values: Readonly<Record<string, string>>): string {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const start = lines.findIndex((line) => /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1]?.trim() === profile)
  const newLines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  if (start === -1) return `${[...lines, ...(lines.length > 0 ? [''] : []), `[${profile}]`, ...newLines].join('\n')}\n`
  const nextHeading = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line))
  const end = nextHeading === -1 ? lines.length : nextHeading
  // Also remove the previous secret or private key, because it belongs to the previous access key.
  const replaced = new Set([...Object.keys(values), 'MUSTER_SECRET_ACCESS_KEY', 'MUSTER_PRIVATE_KEY_FILE'])
  const kept = lines.slice(start + 1, end).filter((line) => !replaced.has(line.split('=')[0]!.trim()))
  return `${[...lines.slice(0, start + 1), ...newLines, ...kept, ...lines.slice(end)].join('\n')}\n`
}

async function replacePrivately(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await replacePrivateFile(file, text, 'root')
  } catch (error) {
    throw new CliError(`cannot write the credentials file ${file}: ${(error as Error).message}`)
  }
}

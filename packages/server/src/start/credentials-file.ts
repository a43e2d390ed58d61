import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { exists } from '../lib/exists.ts'
import { replacePrivateFile, syncFolder } from '../lib/private-file.ts'
import { readIfExists } from '../lib/read-if-exists.ts'

/** The values with which a client connects and the owner signs in, stored in the section `[default]` of an INI file. */
export interface Credentials {
  url: string
  accessKeyId: string
  secretAccessKey: string
  email: string
  password: string
}

export const credentialsPath = (dataFolder: string): string => join(dataFolder, 'credentials')

const stagedPath = (dataFolder: string): string => join(dataFolder, 'credentials.new')

export const formatCredentials = ({ url, accessKeyId, secretAccessKey, email, password }: Credentials): string =>
  `[default]
MUSTER_URL=${url}
MUSTER_ACCESS_KEY_ID=${accessKeyId}
MUSTER_SECRET_ACCESS_KEY=${secretAccessKey}
MUSTER_EMAIL=${email}
MUSTER_PASSWORD=${password}
`

/** Writes a temporary file, which `publishCredentials` renames after the transaction that creates the owner. */
export async function stageCredentials(dataFolder: string, credentials: Credentials): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await replacePrivateFile(stagedPath(dataFolder), formatCredentials(credentials))
}

/**
 * Returns the ID of the staged access key. Returns an empty string if the staged credentials contain no key, or
 * undefined if no credentials are staged.
 */
export async function findStagedKey(dataFolder: string): Promise<string | undefined> {
  const text = await readIfExists(stagedPath(dataFolder))
  return text === undefined ? undefined : (/^MUSTER_ACCESS_KEY_ID=(.*)$/m.exec(text)?.[1] ?? '')
}

/**
 * Renames the staged file to the credentials file. First renames an existing credentials file, which belongs to another
 * database.
 */
export async function publishCredentials(dataFolder: string, log: FastifyBaseLogger): Promise<void> {
  const path = credentialsPath(dataFolder)
  if (await exists(path)) {
    const kept = `${path}-until-${new Date().toISOString().replaceAll(':', '')}`
    await rename(path, kept)
    log.warn({ renamedTo: kept }, 'renamed the existing credentials file, which belongs to another database')
  }
  await rename(stagedPath(dataFolder), path)
  await syncFolder(dataFolder)
}

export const dropStagedCredentials = (dataFolder: string): Promise<void> => rm(stagedPath(dataFolder), { force: true })

/** Updates only a loopback URL in `[default]`, because any other URL comes from a user or from a setting. */
export async function updateUrl(dataFolder: string, url: string): Promise<void> {
  const path = credentialsPath(dataFolder)
  const text = await readIfExists(path)
  if (text === undefined) return
  const updated = withUrl(text, url)
  if (updated !== text) await replacePrivateFile(path, updated)
}

const loopback = /^(MUSTER_URL\s*=\s*)https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\/?(?=\s*$)/

function withUrl(text: string, url: string): string {
  let section: string | undefined
  const lines = text.split('\n').map((line) => {
    section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1]?.trim() ?? section
    return section === 'default' ? line.replace(loopback, (_line, name: string) => `${name}${url}`) : line
  })
  return lines.join('\n')
}

import { access, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { replacePrivateFile, syncFolder } from '../lib/private-file.ts'

/** What a client needs to know: the section [default] of an INI file. */
export interface Credentials {
  url: string
  accessKeyId: string
  secretAccessKey: string
  email: string
  password: string
}

export const credentialsPath = (dataFolder: string): string => join(dataFolder, 'credentials')

/** Credentials whose owner may not have been committed yet. */
const stagedPath = (dataFolder: string): string => join(dataFolder, 'credentials.new')

export const formatCredentials = ({ url, accessKeyId, secretAccessKey, email, password }: Credentials): string =>
  `[default]
MUSTER_URL=${url}
MUSTER_ACCESS_KEY_ID=${accessKeyId}
MUSTER_SECRET_ACCESS_KEY=${secretAccessKey}
MUSTER_EMAIL=${email}
MUSTER_PASSWORD=${password}
`

/** Puts credentials beside the file that clients read, to be published once their owner is committed. */
export async function stageCredentials(dataFolder: string, credentials: Credentials): Promise<void> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await replacePrivateFile(stagedPath(dataFolder), formatCredentials(credentials))
}

/** The access key of the staged credentials; undefined when nothing is staged. */
export async function findStagedKey(dataFolder: string): Promise<string | undefined> {
  const text = await readIfThere(stagedPath(dataFolder))
  return text === undefined ? undefined : (/^MUSTER_ACCESS_KEY_ID=(.*)$/m.exec(text)?.[1] ?? '')
}

/** Credentials of another database that stand in the way are kept under another name. */
export async function publishCredentials(dataFolder: string, log: FastifyBaseLogger): Promise<void> {
  const path = credentialsPath(dataFolder)
  if (await isThere(path)) {
    const kept = `${path}-until-${new Date().toISOString().replaceAll(':', '')}`
    await rename(path, kept)
    log.warn({ kept }, 'credentials of another database were there; they are kept under this name')
  }
  await rename(stagedPath(dataFolder), path)
  await syncFolder(dataFolder)
}

export const dropStagedCredentials = (dataFolder: string): Promise<void> => rm(stagedPath(dataFolder), { force: true })

/**
 * Follows the server to another port, or to the address that clients are to call from now on. A URL that somebody wrote, any but
 * one of loopback, stays; and so do sections that a first start does not write, which may be of servers elsewhere on this machine.
 */
export async function updateUrl(dataFolder: string, url: string): Promise<void> {
  const path = credentialsPath(dataFolder)
  const text = await readIfThere(path)
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

export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

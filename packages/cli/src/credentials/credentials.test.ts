import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { credentialsFile, profilesIn, readCredentials } from './credentials.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-credentials-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function put(path: string, text?: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text ?? sectionOf('default', path.replaceAll('/', '-')))
  return file
}

const sectionOf = (profile: string, key: string): string =>
  `[${profile}]\nMUSTER_URL=http://h\nMUSTER_ACCESS_KEY_ID=${key}\nMUSTER_SECRET_ACCESS_KEY=c2VjcmV0\n`

const env = (more: Record<string, string> = {}) => ({
  HOME: join(folder, 'home'),
  MUSTER_DATA: join(folder, 'data'),
  ...more,
})

describe('readCredentials', () => {
  it('returns credentials and the file name from the first location that contains credentials', async () => {
    const home = await put('home/.muster/credentials')
    expect(await readCredentials({}, env())).toMatchObject({ keyId: 'home-.muster-credentials', file: home })
    expect(await credentialsFile(undefined, env())).toBe(home)
    const data = await put('data/credentials')
    expect(await readCredentials({}, env())).toMatchObject({ file: data })
    expect(await credentialsFile(undefined, env())).toBe(data)
    const named = await put('named')
    expect(await readCredentials({}, env({ MUSTER_CREDENTIALS: named }))).toMatchObject({ file: named })
    expect(await credentialsFile(undefined, env({ MUSTER_CREDENTIALS: named }))).toBe(named)
    const given = await put('given')
    expect(await readCredentials({ credentials: given }, env({ MUSTER_CREDENTIALS: named }))).toMatchObject({
      file: given,
    })
  })

  it('reads the requested profile', async () => {
    const file = await put('data/credentials', sectionOf('default', 'one') + sectionOf('work', 'other'))
    expect(await readCredentials({ profile: 'work' }, env())).toMatchObject({ keyId: 'other', profile: 'work', file })
    expect(await readCredentials({}, env({ MUSTER_PROFILE: 'work' }))).toMatchObject({ keyId: 'other' })
    await expect(readCredentials({ profile: 'nowhere' }, env())).rejects.toMatchObject({ exitCode: 2 })
  })

  it('explains how to create credentials if no location contains any', async () => {
    const hint = expect.stringMatching(/muster serve.*muster configure/)
    await expect(readCredentials({}, env())).rejects.toMatchObject({ exitCode: 2, hint })
    await put('data/credentials')
    const given = join(folder, 'nowhere')
    await expect(readCredentials({ credentials: given }, env())).rejects.toMatchObject({ exitCode: 2 })
  })
})

describe('profilesIn', () => {
  it('returns only the names of sections', () => {
    expect(profilesIn('; [no]\r\n[default]\r\nMUSTER_URL=x[y]\r\n [ work ] \nA=b\n')).toEqual(['default', 'work'])
  })
})

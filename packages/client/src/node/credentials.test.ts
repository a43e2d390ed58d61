import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CredentialsError, generateKeyPair, Muster, readCredentials } from '../node.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-credentials-'))
})
afterEach(() => rm(folder, { recursive: true }))

const section = (keyId: string, name = 'default'): string =>
  `[${name}]\nMUSTER_URL=http://127.0.0.1:4000\nMUSTER_ACCESS_KEY_ID=${keyId}\nMUSTER_SECRET_ACCESS_KEY=c2VjcmV0+/==\n`

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

const environment = (more: Record<string, string> = {}) => ({
  MUSTER_DATA: join(folder, 'data'),
  HOME: join(folder, 'home'),
  ...more,
})

describe('readCredentials', () => {
  it('reads credentials from the first location that contains credentials', async () => {
    const keyOf = async (file: string | undefined, more?: Record<string, string>): Promise<string> =>
      (await readCredentials({ file, env: environment(more) })).keyId
    await put('home/.muster/credentials', section('home'))
    expect(await keyOf(undefined)).toBe('home')
    await put('data/credentials', section('data'))
    expect(await keyOf(undefined)).toBe('data')
    const named = await put('named', section('named'))
    expect(await keyOf(undefined, { MUSTER_CREDENTIALS: named })).toBe('named')
    const given = await put('given', section('given'))
    expect(await keyOf(given, { MUSTER_CREDENTIALS: named })).toBe('given')
    await expect(keyOf(join(folder, 'nowhere'))).rejects.toThrow('nowhere')
  })

  it('skips an unreadable default location if another location contains credentials', async () => {
    await mkdir(join(folder, 'data/credentials'), { recursive: true })
    await expect(readCredentials({ env: environment() })).rejects.toThrow('data/credentials: EISDIR')
    await put('home/.muster/credentials', section('home'))
    expect(await readCredentials({ env: environment() })).toMatchObject({ keyId: 'home' })
  })

  it('reads the requested profile', async () => {
    const file = await put('credentials', `; mine\n${section('one')}\n# theirs\n${section(' two ', ' staging ')}`)
    expect(await readCredentials({ file, env: {} })).toMatchObject({ profile: 'default', keyId: 'one' })
    expect(await readCredentials({ file, env: { MUSTER_PROFILE: 'staging' } })).toMatchObject({ keyId: 'two' })
    expect(await readCredentials({ file, profile: 'staging', env: {} })).toEqual({
      url: 'http://127.0.0.1:4000',
      keyId: 'two',
      secret: 'c2VjcmV0+/==',
      profile: 'staging',
      file,
    })
    await expect(readCredentials({ file, profile: 'none', env: {} })).rejects.toThrow('[none]')
  })

  const ofEnvironment = { MUSTER_URL: 'http://h', MUSTER_ACCESS_KEY_ID: 'k', MUSTER_SECRET_ACCESS_KEY: 's' }

  it('prefers the environment unless a file or a profile is specified', async () => {
    expect(await readCredentials({ env: environment(ofEnvironment) })).toEqual({
      url: 'http://h',
      keyId: 'k',
      secret: 's',
      profile: 'default',
    })
    const file = await put('data/credentials', section('data'))
    expect(await readCredentials({ env: environment({ MUSTER_URL: 'http://h' }) })).toMatchObject({
      url: 'http://h',
      keyId: 'data',
    })
    expect(await readCredentials({ file, env: environment(ofEnvironment) })).toMatchObject({ keyId: 'data' })
    expect(await readCredentials({ profile: 'default', env: environment(ofEnvironment) })).toMatchObject({
      keyId: 'data',
    })
  })

  it("does not combine a source's key ID with another source's secret", async () => {
    await put('data/credentials', section('data'))
    const env = environment({ MUSTER_ACCESS_KEY_ID: 'k' })
    await expect(readCredentials({ env })).rejects.toThrow('MUSTER_SECRET_ACCESS_KEY')
  })

  it("prefers the environment's private key to the secret in the file", async () => {
    await put('data/credentials', section('data'))
    const { privateKey } = await generateKeyPair()
    const keyFile = await put('mine.pem', privateKey)
    const credentials = await readCredentials({ env: environment({ MUSTER_PRIVATE_KEY_FILE: keyFile }) })
    expect(credentials).toMatchObject({ keyId: 'data', privateKey })
    expect(credentials.secret).toBeUndefined()
  })

  it('reads a private key file relative to the credentials file', async () => {
    const { privateKey } = await generateKeyPair()
    await put('keys/mine.pem', privateKey)
    const lines = 'MUSTER_URL="http://h"\nMUSTER_ACCESS_KEY_ID=k\nMUSTER_PRIVATE_KEY_FILE=keys/mine.pem\n'
    const file = await put('credentials', `[default]\n${lines}`)
    expect(await readCredentials({ file, env: {} })).toMatchObject({ url: 'http://h', privateKey })
    expect((await Muster.fromCredentials({ file, env: {} })).url).toBe('http://h')
    await rm(join(folder, 'keys/mine.pem'))
    await expect(readCredentials({ file, env: {} })).rejects.toThrow('keys/mine.pem')
  })

  it('rejects missing, incomplete, and unreadable credentials', async () => {
    await expect(readCredentials({ env: environment() })).rejects.toThrow(CredentialsError)
    const file = await put('credentials', '[default]\nMUSTER_URL=http://h\n')
    await expect(readCredentials({ file, env: {} })).rejects.toThrow(
      `section [default] of ${file}, with any overrides from the environment, lacks MUSTER_ACCESS_KEY_ID and MUSTER_SECRET_ACCESS_KEY`,
    )
    await expect(Muster.fromCredentials({ file: folder, env: {} })).rejects.toThrow('cannot read')
  })
})

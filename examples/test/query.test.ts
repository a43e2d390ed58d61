import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { credentialsOf } from '../../packages/cli/test/harness/muster.ts'
import { startTestApp, type TestApp, type TestUser } from '../../packages/server/test/harness/app.ts'
import { hasProgram, isInstalled } from './programs.ts'

const example = (name: string): string => new URL(`../${name}`, import.meta.url).pathname

let app: TestApp
let folder: string
beforeAll(async () => {
  app = await startTestApp({ env: { MUSTER_REQUIRE_DIGEST: '1' } })
  folder = await mkdtemp(join(tmpdir(), 'muster-examples-'))
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

type Run = (args: string[], env: Record<string, string>) => Promise<Outcome>

/** Runs a program with only PATH, HOME, and the given environment, so that no other settings have an effect. */
const run: (program: string, first: string[]) => Run = (program, first) => (args, env) =>
  new Promise((resolve) => {
    const path = { PATH: process.env.PATH ?? '', HOME: folder }
    execFile(program, [...first, ...args], { cwd: folder, env: { ...path, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
  })

let binary: Promise<string> | undefined

const runGo: Run = async (args, env) => {
  binary ??= buildGo()
  return run(await binary, [])(args, env)
}

async function buildGo(): Promise<string> {
  const binary = join(folder, 'query')
  // Some of Go's libraries use cgo, which needs a C compiler.
  const CGO_ENABLED = isInstalled('gcc') ? '1' : '0'
  const env = { ...process.env, GOCACHE: join(folder, 'go'), GO111MODULE: 'off', CGO_ENABLED }
  await promisify(execFile)('go', ['build', '-o', binary, example('query.go')], { env })
  return binary
}

const examples: { file: string; program: string; run: Run }[] = [
  { file: 'curl.sh', program: 'bash', run: run('bash', [example('curl.sh')]) },
  { file: 'query.py', program: 'python3', run: run('python3', [example('query.py')]) },
  { file: 'query.mjs', program: 'node', run: run(process.execPath, [example('query.mjs')]) },
  { file: 'query.go', program: 'go', run: runGo },
]

/** Writes the user's credentials to a file that also contains other sections, a comment, and extra spaces. */
async function credentialsFile({ url }: TestApp, user: TestUser): Promise<string> {
  const file = join(folder, `${user.keyId}.ini`)
  const section = credentialsOf(url, user).replaceAll('=http', ' = http')
  await writeFile(
    file,
    `; a comment\n[other]\nMUSTER_URL=http://127.0.0.1:1\n${section}\n[third]\nMUSTER_SECRET_ACCESS_KEY=x\n`,
  )
  return file
}

describe.each(examples)('$file', ({ program, run }) => {
  const runnable = it.skipIf(!hasProgram(program))

  async function as(user: TestUser): Promise<(...args: string[]) => Promise<Outcome>> {
    const MUSTER_CREDENTIALS = await credentialsFile(app, user)
    return (...args) => run(args, { MUSTER_CREDENTIALS })
  }

  runnable('sends a query signed with a digest, and prints the response', async () => {
    const send = await as(app.owner)
    const { code, stdout } = await send('{ login { email } }')
    expect({ code, response: JSON.parse(stdout) }).toEqual({
      code: 0,
      response: { data: { login: { email: app.owner.email } } },
    })
  })

  runnable('lists the first devices without arguments', async () => {
    const user = await app.createUser()
    await user.data('mutation { registerDevice(name: "gateway-1") { secret } }')
    const send = await as(user)
    const { code, stdout } = await send()
    expect(code).toBe(0)
    expect(JSON.parse(stdout).data.login.devices).toMatchObject({ total: 1, items: [{ name: 'gateway-1' }] })
  })

  runnable('sends variables and special characters', async () => {
    const name = 'a "b" \\ é 💡'
    const document = `mutation($p: String) {\n\tregisterDevice(name: ${JSON.stringify(name)}, platform: $p) { device { name platform } } }`
    const send = await as(app.owner)
    const { stdout } = await send(document, JSON.stringify({ p: 'ü' }))
    expect(JSON.parse(stdout)).toEqual({ data: { registerDevice: { device: { name, platform: 'ü' } } } })
  })

  runnable('fails if the request is rejected, and prints the reason', async () => {
    const send = await as(app.owner)
    const { code, stdout } = await send('{ nope }')
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).errors[0].extensions.code).toBe('BAD_USER_INPUT')
  })

  runnable('fails if the response has errors and data', async () => {
    const send = await as(app.owner)
    const partiallyFailing = '{ version login { device(id: ["x"]) { id } devices(size: 0) { last } } }'
    // Send the document three times, because the server compiles a document when it is used for the second time.
    for (const _use of [1, 2, 3]) {
      const { code, stdout } = await send(partiallyFailing)
      expect(code).not.toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        data: { version: expect.any(String) },
        errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
      })
    }
  })

  runnable('fails with a reason if the key is wrong', async () => {
    const send = await as({ ...app.owner, secret: Buffer.alloc(32, 1).toString('base64') })
    const { code, stdout } = await send('{ login { email } }')
    expect(code).not.toBe(0)
    expect(JSON.parse(stdout).errors[0].extensions.reason).toBe('bad-signature')
  })

  runnable('fails if no server responds', async () => {
    const file = join(folder, 'unreachable')
    await writeFile(file, credentialsOf('http://127.0.0.1:1', app.owner))
    const { code, stdout, stderr } = await run(['{ version }'], { MUSTER_CREDENTIALS: file })
    expect(code).not.toBe(0)
    expect({ stdout, says: stderr !== '' }).toEqual({ stdout: '', says: true })
  })

  runnable('reads the default file if MUSTER_CREDENTIALS is empty', async () => {
    await mkdir(join(folder, 'data'), { recursive: true })
    await copyFile(await credentialsFile(app, app.owner), join(folder, 'data', 'credentials'))
    const { stdout } = await run(['{ login { email } }'], { MUSTER_CREDENTIALS: '' })
    expect(JSON.parse(stdout)).toEqual({ data: { login: { email: app.owner.email } } })
  })

  runnable('reports missing credentials', async () => {
    const { code, stderr } = await run(['{ version }'], { MUSTER_CREDENTIALS: join(folder, 'missing') })
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/MUSTER_URL|no such file/)
  })
})

describe.each(examples.filter(({ file }) => file !== 'query.go'))('$file', ({ file, program, run }) => {
  it.skipIf(!hasProgram(program))('reads its credentials from the environment', async () => {
    const { keyId, secret, email } = app.owner
    const env = { MUSTER_URL: `${app.url}/`, MUSTER_ACCESS_KEY_ID: keyId, MUSTER_SECRET_ACCESS_KEY: secret }
    const { stdout } = await run(['{ login { email } }'], env)
    expect(JSON.parse(stdout)).toEqual({ data: { login: { email } } })
  })

  it.skipIf(!hasProgram(program))('prints its usage if there are too many arguments', async () => {
    const { code, stdout, stderr } = await run(['a', 'b', 'c'], {})
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain(file)
  })
})

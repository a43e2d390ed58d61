import { chmod, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Browser, newPerson, signIn } from '../../../server/test/clients/browser.ts'
import { addMember } from '../../../server/test/factories/member.ts'
import { sharedTestApp, type TestUser } from '../../../server/test/harness/app.ts'
import { muster, type RunningCommand, startMuster, temporaryFolder } from '../harness/muster.ts'

const app = sharedTestApp()
let account: TestUser
let browser: Browser
beforeAll(async () => {
  account = await app.createUser()
  const person = await newPerson(app)
  await addMember(app, { accountId: account.accountId, personId: person.id, roleId: 'operator' })
  browser = await signIn(app, person)
})

interface Machine {
  env: Record<string, string>
  credentials: string
  login(...args: string[]): RunningCommand
  query(): Promise<{ code: number | null; stdout: string }>
}

async function newMachine({ hasBrowser }: { hasBrowser: boolean }): Promise<Machine & { opened: string }> {
  const folder = await temporaryFolder()
  const opened = join(folder.path, 'opened')
  const script = await folder.write('browser', `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`)
  await chmod(script, 0o700)
  const env = {
    HOME: folder.path,
    MUSTER_DATA: join(folder.path, 'data'),
    ...(hasBrowser && { BROWSER: script }),
  }
  return {
    env,
    opened,
    credentials: join(folder.path, '.muster', 'credentials'),
    login: (...args) => startMuster(['login', app.url, ...args], { env }),
    query: () => muster(['query', '{ login { id } }'], { env }),
  }
}

const approve = async (named: object): Promise<string> =>
  (await browser.auth('/cli/approve', { ...named, account: account.accountId })).body.redirect

it("signs in with the machine's browser, and keeps the private key on the machine", async () => {
  const machine = await newMachine({ hasBrowser: true })
  const command = machine.login('--name', 'build server')
  const [, request] = await command.waitForOutput('stderr', /command-line#([0-9a-f]{64})/)
  await expect.poll(() => readFile(machine.opened, 'utf8').catch(() => '')).toBe(`${app.url}/command-line#${request}`)
  const back = await approve({ request })
  expect((await fetch(back.replace(/code=.*/, 'code=wrong'))).status).toBe(200)
  expect(await (await fetch(back)).text()).toContain('return to the terminal')
  const { code, stdout } = await command.done
  expect([code, stdout]).toEqual([
    0,
    `Signed in to the account ${account.email}; saved as profile default in ${machine.credentials}\n`,
  ])
  expect((await machine.query()).stdout).toBe(`{"data":{"login":{"id":"${account.accountId}"}}}\n`)
  const text = await readFile(machine.credentials, 'utf8')
  const [, keyFile] = /^MUSTER_PRIVATE_KEY_FILE=(.+)$/m.exec(text)!
  expect(dirname(keyFile!)).toBe(dirname(machine.credentials))
  expect((await stat(keyFile!)).mode & 0o777).toBe(0o600)
  expect(text).not.toContain('SECRET')
  const { login } = await account.data('{ login { accessKeys { name kind } } }')
  expect(login.accessKeys).toContainEqual({ name: 'build server', kind: 'personal' })
})

it('polls again if the server rejects the poll that follows the return of the browser', async () => {
  const machine = await newMachine({ hasBrowser: true })
  const command = machine.login()
  const [, request] = await command.waitForOutput('stderr', /command-line#([0-9a-f]{64})/)
  const back = await approve({ request })
  // The server rejects a poll that follows another one too soon.
  await app.db.updateTable('command_line_request').set({ polled: new Date() }).where('id', '=', request!).execute()
  await fetch(back)
  expect((await command.done).code).toBe(0)
})

it('signs in with a code that the user types on another machine', async () => {
  const machine = await newMachine({ hasBrowser: false })
  const command = machine.login('--json', '--profile', 'work')
  const [, code] = await command.waitForOutput('stderr', /type the code (\S+)/)
  await approve({ code })
  const { code: exit, stdout } = await command.done
  expect(exit).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ profile: 'work', url: app.url, account: account.accountId })
  expect(await readFile(machine.credentials, 'utf8')).toContain('[work]')
})

it('saves nothing if the user denies the request', async () => {
  const machine = await newMachine({ hasBrowser: true })
  const command = machine.login()
  const [, request] = await command.waitForOutput('stderr', /command-line#([0-9a-f]{64})/)
  await fetch((await browser.auth('/cli/deny', { request })).body.redirect)
  const { code, stderr } = await command.done
  expect([code, stderr]).toEqual([5, expect.stringContaining('denied')])
  await expect(stat(machine.credentials)).rejects.toThrow('ENOENT')
})

it('rejects an invalid URL and an unreachable server', async () => {
  expect(await muster(['login', 'muster'])).toMatchObject({ code: 2, stderr: expect.stringContaining('server URL') })
  expect(await muster(['login', 'http://127.0.0.1:1', '--device'])).toMatchObject({ code: 6 })
})

import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { newPerson } from '../packages/server/test/clients/browser.ts'
import { removeMembership } from '../packages/server/test/factories/member.ts'
import { describeConsole, signIn, startConsole } from './harness.ts'

describeConsole('command-line sign-in', () => {
  const site = startConsole()

  interface Started {
    deviceCode: string
    userCode: string
    verificationUrl: string
  }

  async function start(port?: number): Promise<Started> {
    const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
    const response = await fetch(`${site.app.url}/auth/cli/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ publicKey, machine: 'laptop-7', port }),
    })
    return (await response.json()) as Started
  }

  const pathOf = ({ verificationUrl }: Started): string => verificationUrl.slice(new URL(verificationUrl).origin.length)

  it('allows a request after the user types its code', async () => {
    const person = await site.newPerson()
    const started = await start()
    const page = await site.openSignedOut({ path: pathOf(started) })
    await signIn(page, person)
    await page.getByLabel('Code').fill('BCDF-GHJK')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(started.userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('A machine that calls itself laptop-7').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('You allowed the request.').waitFor()
    const poll = await fetch(`${site.app.url}/auth/cli/poll`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviceCode: started.deviceCode }),
    })
    expect([poll.status, await poll.json()]).toEqual([
      200,
      { key: expect.stringMatching(/^MK/), account: person.accountId },
    ])
  })

  it('explains why a person without an account can only deny a request', async () => {
    const person = await newPerson(site.app)
    await removeMembership(site.app, { accountId: person.id, personId: person.id })
    const started = await start()
    const page = await site.openSignedOut({ path: pathOf(started) })
    await signIn(page, person)
    await page.getByLabel('Code').fill(started.userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('You are not a member of any account').waitFor()
    expect(await page.getByText('Sign in again').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('You denied the request.').waitFor()
  })

  it('asks the user to sign in, and then redirects to the machine with a code', async () => {
    const machine = createServer((_request, response) => response.end('Returned to the machine'))
    machine.listen(0, '127.0.0.1')
    onTestFinished(() => {
      machine.closeAllConnections()
      machine.close()
    })
    const person = await site.newPerson()
    const { port } = machine.address() as AddressInfo
    const page = await site.openSignedOut({ path: pathOf(await start(port)) })
    await signIn(page, person)
    await page.getByText('A machine that calls itself laptop-7').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Returned to the machine').waitFor()
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
  })
})

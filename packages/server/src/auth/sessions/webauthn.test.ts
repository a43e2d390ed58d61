import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createAuthenticator } from '../../../test/clients/authenticator.ts'
import { errorOf, newPerson, openBrowser, signIn } from '../../../test/clients/browser.ts'
import { done, newTeam } from '../../../test/factories/team.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'
import { createCertificate } from '../../../test/harness/certificate.ts'

const app = sharedTestApp()

/** Starts a server for revocation lists. Returns a certificate that names the server, and the requested paths. */
async function startRevocationLists(): Promise<{ certificate: Buffer; requests: (string | undefined)[] }> {
  const requests: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    requests.push(url)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'muster-attestation-'))
  onTestFinished(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  const { port } = server.address() as AddressInfo
  const { cert } = await createCertificate(folder, 'key', [`crlDistributionPoints=URI:http://127.0.0.1:${port}/list`])
  return { certificate: new X509Certificate(await readFile(cert)).raw, requests }
}

it('sends no requests to addresses in the certificate of a new passkey', async () => {
  const { certificate, requests } = await startRevocationLists()
  const browser = await signIn(app, await newPerson(app))
  const own = (await browser.auth('/passkey/generate-register-options')).body
  const response = createAuthenticator({ origin: app.url }).register(own, certificate)
  const added = await browser.auth('/passkey/verify-registration', { response, name: 'laptop' })

  const { owner } = await newTeam(app)
  const create = 'mutation { createInvitation(roleId: "viewer") { link } }'
  const token = (await done(owner, create)).createInvitation.link.split('#')[1]
  const fresh = openBrowser(app)
  const joining = { token, email: `new-${own.user.name}` }
  const invited = (await fresh.auth('/invitation/passkey-options', joining)).body
  const passkey = createAuthenticator({ origin: app.url }).register(invited, certificate)
  const joined = await fresh.auth('/accept-invitation', { ...joining, passkey })

  expect([added, joined].map(errorOf)).toEqual([1, 2].map(() => [400, 'BAD_USER_INPUT', undefined]))
  expect(requests).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { errorOf, newPerson, openBrowser } from '../../../test/clients/browser.ts'
import { sharedTestApp } from '../../../test/harness/app.ts'

const login = '{ login { email } }'
const MISSING = [401, 'UNAUTHENTICATED', 'missing']

const app = sharedTestApp()

describe('a session cookie behind a proxy', () => {
  it('is valid for the public origin, and is sent only over HTTPS', async () => {
    const publicUrl = 'https://muster.example.com'
    const behind = await app.startAnother({ env: { MUSTER_PUBLIC_URL: publicUrl } })
    const { email, password } = await newPerson(app)
    const browser = openBrowser(behind)
    const headers = { origin: publicUrl, 'sec-fetch-site': 'same-origin' }
    const response = await browser.send('/auth/sign-in/email', { body: { email, password }, headers })
    expect(response.setCookies).toEqual([
      expect.stringMatching(/^__Host-muster\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
      expect.stringMatching(/^__Secure-muster\.session_token=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/),
    ])
    for (const each of response.setCookies) expect(each).not.toMatch(/domain/i)
    expect((await browser.query(login, {}, { headers })).status).toBe(200)
    expect(errorOf(await browser.query(login, {}, { headers: { origin: 'http://muster.example.com' } }))).toEqual(
      MISSING,
    )
    await behind.close()
  })

  it("accepts the previous release's session cookie, and sets a cookie that the previous release accepts", async () => {
    const publicUrl = 'https://muster.example.com'
    const behind = await app.startAnother({ env: { MUSTER_PUBLIC_URL: publicUrl } })
    const person = await newPerson(app)
    const headers = { origin: publicUrl, 'sec-fetch-site': 'same-origin' }
    const browser = openBrowser(behind)
    await browser.send('/auth/sign-in/email', { body: { email: person.email, password: person.password }, headers })
    const [host, secure] = ['__Host-muster.session_token', '__Secure-muster.session_token']
    // Earlier releases read and write only the cookie with the prefix __Secure-.
    expect(browser.cookies.get(secure)).toBe(browser.cookies.get(host))
    browser.cookies.delete(host)
    expect((await browser.query(login, {}, { headers })).status).toBe(200)
    const listed = await browser.send('/auth/list-sessions', { headers })
    expect([listed.status, listed.body.sessions.length]).toEqual([200, 1])
    // Another host of the domain could set the __Secure- cookie. If the browser sends the __Host- cookie, this server
    // and better-auth therefore ignore the __Secure- cookie.
    browser.cookies.set(host, browser.cookies.get(secure)!)
    browser.cookies.set(secure, 'planted.by-another-host')
    expect((await browser.query(login, {}, { headers })).status).toBe(200)
    const { password } = person
    const enabled = await browser.send('/auth/two-factor/enable', { body: { password }, headers })
    expect(enabled.status).toBe(200)
    const ended = await browser.send('/auth/revoke-sessions', { body: {}, headers })
    expect(ended.setCookies).toEqual([expect.stringContaining(`${host}=;`), expect.stringContaining(`${secure}=;`)])
    expect(browser.cookies.size).toBe(0)
    await behind.close()
  })
})

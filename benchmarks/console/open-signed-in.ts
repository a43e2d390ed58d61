import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import type { StartedEnvironment } from '../environment/start-environment.ts'

/** Opens a blank page with the owner's session. in-page.js defines `measure` in every document that the page loads. */
export async function openSignedIn(
  browser: Browser,
  environment: StartedEnvironment,
): Promise<{ page: Page; url: string }> {
  const { url } = await environment.processOf('server')
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const response = await page.request.post(`${url}/auth/sign-in/email`, {
    headers: { 'muster-session': '1', origin: url },
    data: await readOwner(environment),
  })
  if (!response.ok()) throw new Error(`Cannot sign in: the server responded with status ${response.status()}.`)
  await page.addInitScript({ path: fileURLToPath(new URL('in-page.js', import.meta.url)) })
  return { page, url }
}

async function readOwner({ database }: StartedEnvironment): Promise<{ email: string; password: string }> {
  const text = await readFile(join(database.folder, 'server', 'credentials'), 'utf8')
  const read = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { email: read('MUSTER_EMAIL'), password: read('MUSTER_PASSWORD') }
}

import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright-core'

/** The usual Chromium paths. MUSTER_CHROMIUM overrides them. */
const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env.MUSTER_CHROMIUM ?? paths.find((path) => existsSync(path))

export const hasChromium = executablePath !== undefined

// The sandbox does not work in containers, and Chromium's background requests fail without internet access.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const chromiumOptions: LaunchOptions = {
  args,
  timeout: 100_000,
  ...(executablePath === undefined ? {} : { executablePath }),
}

import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright-core'

/** Where Debian and others put it; MUSTER_CHROMIUM names another. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env.MUSTER_CHROMIUM ?? places.find((place) => existsSync(place))

export const hasChromium = executablePath !== undefined

// Chromium's own requests to its maker end nowhere on a closed network; a container has no sandbox to give.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** How the browser is started. A slow machine may take its time. */
export const chromiumOptions: LaunchOptions = {
  args,
  timeout: 100_000,
  ...(executablePath === undefined ? {} : { executablePath }),
}

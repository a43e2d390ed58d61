import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright-core'

/** The usual paths of Chromium and Chrome. MUSTER_CHROMIUM overrides them. */
const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env.MUSTER_CHROMIUM ?? paths.find((path) => existsSync(path))

export const hasChromium = executablePath !== undefined

// Disable the sandbox, which does not work in containers, and background requests, which fail without internet access.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const optionsFor = (executablePath: string | undefined): LaunchOptions => ({
  args,
  timeout: 100_000,
  ...(executablePath === undefined ? {} : { executablePath }),
})

export const chromiumOptions = optionsFor(executablePath)

const shell = '/usr/bin/chromium-headless-shell'

/** The headless shell needs half as much CPU time as Chromium to load pages, but cannot install apps. */
export const shellOptions =
  process.env.MUSTER_CHROMIUM === undefined && existsSync(shell) ? optionsFor(shell) : chromiumOptions

import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** The Chromium of this machine, without a window. */
export function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet]
  return chromium.launch({ executablePath: findChromium(), args, timeout: 0 })
}

function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
    if (isExecutable(path)) return path
  }
  throw new Error(`this test needs a browser: install one of ${names.join(', ')}`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

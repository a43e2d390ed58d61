import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generateKeyPair, Muster } from '@muster/client'
import { createPrivateFile } from '@muster/server/lib/private-file.ts'
import { writeProfile } from '../credentials/write-profile.ts'
import { CliError } from '../errors/cli-error.ts'
import { exitCodes } from '../errors/exit-codes.ts'
import { openBrowser } from './browser.ts'
import { type Loopback, listenForBrowser, type Returned } from './loopback.ts'
import { poll, type Started, startSignIn } from './requests.ts'

export interface SignIn {
  url: string
  machine: string
  isLocal: boolean
  file: string
  profile: string
}

export async function signIn({ url, machine, isLocal, file, profile }: SignIn) {
  const { publicKey, privateKey } = await generateKeyPair()
  const loopback = isLocal ? await listenForBrowser() : undefined
  try {
    const started = await startSignIn(url, { publicKey, machine, port: loopback?.port })
    const { key, account } =
      loopback === undefined ? await waitForCode(url, started) : await waitForBrowser(url, started, loopback)
    // Each key has its own file, so a failure leaves the key of the previous sign-in intact.
    const keyFile = join(dirname(resolve(file)), `${key}.pem`)
    await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 })
    await createPrivateFile(keyFile, privateKey, 'root')
    await writeProfile(file, profile, {
      MUSTER_URL: url,
      MUSTER_ACCESS_KEY_ID: key,
      MUSTER_PRIVATE_KEY_FILE: keyFile,
    })
    const { login } = await new Muster({ url, keyId: key, privateKey, retries: 2 }).select({ login: { email: true } })
    return { keyId: key, account, email: login?.email ?? '' }
  } finally {
    loopback?.close()
  }
}

async function waitForCode(url: string, started: Started): Promise<{ key: string; account: string }> {
  const { userCode, verificationUrl, expiresIn, interval } = started
  console.error(`Open ${verificationUrl} and type the code ${userCode.slice(0, 4)}-${userCode.slice(4)}`)
  for (let waited = 0; waited <= expiresIn; waited += interval) {
    await delay(interval * 1_000)
    const outcome = await poll(url, started)
    if (typeof outcome === 'object') return outcome
  }
  throw expired()
}

async function waitForBrowser(
  url: string,
  started: Started,
  loopback: Loopback,
): Promise<{ key: string; account: string }> {
  console.error(`Allow the request in the browser. If no browser opens, open ${started.verificationUrl}`)
  openBrowser(started.verificationUrl)
  const timer = new AbortController()
  const timeout = delay(started.expiresIn * 1_000, undefined, { signal: timer.signal }).catch(() => undefined)
  let retried: Returned | undefined
  try {
    for (;;) {
      const back = await Promise.race([timeout, retried ?? loopback.next()])
      if (back === undefined) throw expired()
      if ('error' in back) throw failure('the sign-in request was denied')
      const outcome = await poll(url, started, back.code)
      if (typeof outcome === 'object') return outcome
      // If the code is wrong, wait for the browser again, because another page on this machine may have sent the code.
      retried = outcome === 'busy' ? back : undefined
      await delay(started.interval * 1_000)
    }
  } finally {
    timer.abort()
  }
}

const expired = (): CliError => failure('the sign-in request expired after ten minutes')

const failure = (message: string): CliError =>
  new CliError(message, { hint: 'To try again, run "muster login".', exitCode: exitCodes.refused })

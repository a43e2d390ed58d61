import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const folder = new URL('../peers/', import.meta.url)

export async function peerPackages(): Promise<Map<string, { version: string; isInstalled: boolean }>> {
  const { dependencies } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'))
  const found = new Map<string, { version: string; isInstalled: boolean }>()
  for (const [name, version] of Object.entries<string>(dependencies)) {
    const text = await readFile(new URL(`node_modules/${name}/package.json`, folder), 'utf8').catch(() => '{}')
    found.set(name, { version, isInstalled: JSON.parse(text).version === version })
  }
  return found
}

/**
 * Installs the packages of benchmarks/peers, unless all of them are already installed in the expected versions. Returns
 * false if the installation fails.
 */
export async function installPeers(): Promise<boolean> {
  const areInstalled = async (): Promise<boolean> =>
    [...(await peerPackages()).values()].every(({ isInstalled }) => isInstalled)
  if (await areInstalled()) return true
  console.error('installing autocannon and the servers that Muster is compared with (benchmarks/peers)')
  const child = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', fileURLToPath(folder)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'close').catch((error: Error) => console.error(`cannot run npm: ${error.message}`))
  return areInstalled()
}

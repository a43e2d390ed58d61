import { readFile } from 'node:fs/promises'
import { machine, release, type } from 'node:os'

export async function findPlatform(): Promise<string> {
  const system = (await prettyName()) ?? `${type()} ${release()}`
  return Array.from(`${system}, ${machine()}`).slice(0, 200).join('')
}

/** Returns the name of the operating system, if known. The file in /etc takes precedence (os-release(5)). */
async function prettyName(): Promise<string | undefined> {
  for (const file of ['/etc/os-release', '/usr/lib/os-release']) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const name = /^PRETTY_NAME=(["']?)(.+)\1\s*$/m.exec(text)?.[2]
    if (name !== undefined) return name.replace(/\\(["'$`\\])/g, '$1')
  }
  return undefined
}

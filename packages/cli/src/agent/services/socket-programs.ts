import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface Programs {
  namesOf(inodes: readonly string[]): ReadonlyMap<string, string>
}

export function createPrograms(folder = '/proc'): Programs {
  const known = new Map<string, string>()
  return {
    namesOf(inodes) {
      for (const inode of known.keys()) if (!inodes.includes(inode)) known.delete(inode)
      const unknown = new Set(inodes.filter((inode) => !known.has(inode)))
      for (const inode of unknown) known.set(inode, '')
      if (unknown.size > 0) findNames(folder, unknown, known)
      return known
    },
  }
}

/**
 * Reads the links of file descriptors synchronously, because procfs is in memory. Asynchronous reads would require a
 * promise for each of thousands of links.
 */
function findNames(folder: string, inodes: Set<string>, found: Map<string, string>): void {
  for (const id of list(folder)) {
    if (inodes.size === 0) return
    if (!/^\d+$/.test(id)) continue
    // Skip folders that cannot be read: an ordinary user cannot read the file descriptors of other users' processes.
    for (const file of list(`${folder}/${id}/fd`)) {
      const inode = inodeOf(`${folder}/${id}/fd/${file}`)
      if (inode !== undefined && inodes.delete(inode)) found.set(inode, nameOf(`${folder}/${id}/comm`))
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function inodeOf(link: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1]
  } catch {
    return undefined
  }
}

function nameOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}

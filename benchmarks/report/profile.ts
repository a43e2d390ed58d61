import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
interface Profile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  /** The node that was running at each look. */
  samples: number[]
  /** Microseconds before each of them. */
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

export interface Share {
  /** Of the time that the process was busy, its start apart: 0 to 1. */
  share: number
  where: string
}

const MOST = 25

/** Where the time of the newest profile in a folder went: the functions that took most of it themselves. */
export async function summarizeProfile(folder: string): Promise<Share[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).toSorted()
  const profile = JSON.parse(await readFile(join(folder, names.at(-1)!), 'utf8')) as Profile
  const starting = nodesOfStart(profile)
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, number>()
  let busy = 0
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id)!
    if (frame.functionName === '(idle)' || starting.has(id)) return
    const time = profile.timeDeltas[index]!
    busy += time
    times.set(nameOf(frame), (times.get(nameOf(frame)) ?? 0) + time)
  })
  const sorted = [...times].toSorted(([, one], [, other]) => other - one)
  return sorted.slice(0, MOST).map(([where, time]) => ({ share: time / busy, where }))
}

/** Whatever runs below the loading of modules. */
function nodesOfStart({ nodes }: Profile): Set<number> {
  const found = new Set<number>()
  // A node comes before its children.
  for (const { id, callFrame, children = [] } of nodes) {
    if (callFrame.url.startsWith('node:internal/modules/')) found.add(id)
    if (found.has(id)) for (const child of children) found.add(child)
  }
  return found
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const file = url.replace(/^file:.*\/(?=(packages|node_modules)\/)/, '')
  return file === '' ? functionName : `${functionName || '(anonymous)'} (${file}:${lineNumber + 1})`
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A CPU profile of V8: https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
interface Profile {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[]
  samples: number[]
  /** Microseconds from the previous sample to each sample. For the first sample, from the start of the profile. */
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
}

export interface Share {
  /** The frame's share of the busy CPU time after startup, from 0 to 1. */
  share: number
  frame: string
}

const MAX_SHARES = 25

export async function summarizeProfile(folder: string): Promise<Share[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile')).toSorted()
  const profile = JSON.parse(await readFile(join(folder, names.at(-1)!), 'utf8')) as Profile
  const startup = findStartupNodes(profile)
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, number>()
  let busy = 0
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id)!
    if (frame.functionName === '(idle)' || startup.has(id)) return
    const time = profile.timeDeltas[index]!
    busy += time
    times.set(nameOf(frame), (times.get(nameOf(frame)) ?? 0) + time)
  })
  const sorted = [...times].toSorted(([, one], [, other]) => other - one)
  return sorted.slice(0, MAX_SHARES).map(([frame, time]) => ({ share: time / busy, frame }))
}

/** Finds the IDs of all nodes that load modules, and of their descendants. */
function findStartupNodes({ nodes }: Profile): Set<number> {
  const found = new Set<number>()
  // One pass is enough, because a node precedes its children.
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

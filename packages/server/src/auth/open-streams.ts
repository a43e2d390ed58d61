import { ApiError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

/** How often each key with open streams is looked at. In memory, unless nothing can be heard of changes. */
const LOOK_EVERY_MS = 100

/** Answers that go on for long: counted by access key or session, and ended soon after it stops working. */
export interface OpenStreams {
  /** `end` is called once at most. Returns what takes the stream out. Throws LIMIT_EXCEEDED. */
  admit(viewer: Viewer, end: (reason: ApiError) => void): () => void
  endAll(reason: ApiError): void
}

export interface OpenStreamsOptions {
  /** Streams a key or session, in this process. */
  perKey: number
  /** Why the viewer's key or session no longer works; undefined while it does. */
  refusalOf: (viewer: Viewer) => Promise<ApiError | undefined>
}

type End = (reason: ApiError) => void

interface KeyStreams {
  viewer: Viewer
  ends: Set<End>
}

export function createOpenStreams({ perKey, refusalOf }: OpenStreamsOptions): OpenStreams {
  const byKey = new Map<string, KeyStreams>()
  let timer: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    if (byKey.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    await Promise.all(Array.from(byKey.values(), endRefused))
  }

  const endRefused = async ({ viewer, ends }: KeyStreams): Promise<void> => {
    // While the database is away nothing is known of the key, and no event comes either.
    const reason = await refusalOf(viewer).catch(() => undefined)
    if (reason === undefined) return
    for (const end of ends) end(reason)
    ends.clear()
  }

  return {
    admit(viewer, end) {
      const key = viewer.accessKey ?? viewer.session
      if (key === undefined) throw new ApiError('FORBIDDEN', 'a subscription needs an access key or a session')
      const streams = byKey.get(key) ?? { viewer, ends: new Set() }
      if (streams.ends.size >= perKey) {
        const message = `an access key, or a session, may have ${perKey} streams open at a time: end one first`
        throw new ApiError('LIMIT_EXCEEDED', message, { limit: perKey, found: streams.ends.size })
      }
      streams.ends.add(end)
      byKey.set(key, streams)
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref()
      return () => {
        streams.ends.delete(end)
        if (streams.ends.size === 0 && byKey.get(key) === streams) byKey.delete(key)
      }
    },
    endAll(reason) {
      for (const { ends } of byKey.values()) for (const end of ends) end(reason)
    },
  }
}

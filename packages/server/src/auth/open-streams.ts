import { ApiError, limitExceeded } from '../errors.ts'
import type { Viewer } from '../viewer.ts'

/** The interval can be short, because a check usually needs no query. */
const CHECK_EVERY_MS = 100

/** A stream ends soon after its key or session becomes invalid, or after its viewer's access changes. */
export interface OpenStreams {
  /**
   * Calls `end` at most once, when the stream must end. The returned function removes the stream. Throws FORBIDDEN
   * without an access key or session, and LIMIT_EXCEEDED if `perKey` streams are open.
   */
  admit(viewer: Viewer, end: (reason: ApiError) => void): () => void
  endAll(reason: ApiError): void
}

export interface OpenStreamsOptions {
  /** The maximum number of streams in this process for one key or session with the same account and access. */
  perKey: number
  /** Returns why the viewer's streams must end, or undefined if they can continue. */
  rejectionOf: (viewer: Viewer) => Promise<ApiError | undefined>
}

type KeyStreams = Map<(reason: ApiError) => void, Viewer>

export function createOpenStreams({ perKey, rejectionOf }: OpenStreamsOptions): OpenStreams {
  const byKey = new Map<string, KeyStreams>()
  let timer: NodeJS.Timeout | undefined

  const check = async (): Promise<void> => {
    if (byKey.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    await Promise.all(Array.from(byKey.values(), endIfInvalid))
  }

  const endIfInvalid = async (streams: KeyStreams): Promise<void> => {
    const byAddress = Map.groupBy(streams, ([, { address }]) => address)
    for (const group of byAddress.values()) {
      // If the database is unavailable, keep the streams open. The server then cannot check the credentials, but it
      // also has no events to send.
      const reason = await rejectionOf(group[0]![1]).catch(() => undefined)
      if (reason === undefined) continue
      for (const [end] of group) if (streams.delete(end)) end(reason)
    }
  }

  return {
    admit(viewer, end) {
      const credentials = viewer.accessKey ?? viewer.session
      if (credentials === undefined)
        throw new ApiError('FORBIDDEN', 'a subscription needs an access key or a session: sign the request or sign in')
      // Streams that are in another account or were opened before the role changed may have other permissions, so
      // they are checked separately.
      const key = `${credentials} ${viewer.accountId} ${viewer.permissions} ${JSON.stringify(viewer.restriction)}`
      const streams: KeyStreams = byKey.get(key) ?? new Map()
      if (streams.size >= perKey) {
        const message = `an access key or session may have at most ${perKey} open streams in an account on each server process: close one first`
        throw limitExceeded(message, { limit: perKey, found: streams.size })
      }
      streams.set(end, viewer)
      byKey.set(key, streams)
      timer ??= setInterval(() => void check(), CHECK_EVERY_MS).unref()
      return () => {
        streams.delete(end)
        if (streams.size === 0 && byKey.get(key) === streams) byKey.delete(key)
      }
    },
    endAll(reason) {
      for (const streams of byKey.values()) for (const end of streams.keys()) if (streams.delete(end)) end(reason)
    },
  }
}

import { forEachConcurrently } from '../concurrency.ts'
import type { AttributesResult } from '../schema/types.generated.ts'
import type { AttributeChanges, CallOptions } from '../types.ts'
import { batchesOf } from './batches.ts'

/** The attributes to set on one target. */
export interface SetManyItem {
  /** Id of a device, a service, or the user. */
  target: string
  attributes: AttributeChanges
  context?: string | undefined
}

export interface SetManyOptions extends CallOptions {
  /** The context of items that have none. Default: the base values. */
  context?: string | undefined
  /** Batches in flight. Default: 4. */
  concurrency?: number | undefined
  /** Items per batch, 1 to 1000. Default: 100. */
  batch?: number | undefined
  /** Called after each batch with the number of finished items. */
  onProgress?: ((progress: { succeeded: number; failed: number }) => void) | undefined
}

/** The outcome of `setMany`. */
export interface SetManyOutcome {
  succeeded: number
  /** Rejected items, with reasons. None of their attributes were set. */
  failed: (SetManyItem & { code: string; message: string })[]
}

/** Sends a batch and returns the results in the order of the items. */
export type SendBatch = (
  items: { serviceId: string; attributes: AttributeChanges; context: string | undefined }[],
  options: CallOptions,
) => Promise<Pick<AttributesResult, 'code' | 'message'>[]>

export async function setMany(
  send: SendBatch,
  items: Iterable<SetManyItem> | AsyncIterable<SetManyItem>,
  { context: defaultContext, concurrency, batch = 100, onProgress, ...options }: SetManyOptions,
): Promise<SetManyOutcome> {
  if (!Number.isInteger(batch) || batch < 1 || batch > 1_000) throw new TypeError('batch must be 1 to 1000')
  const outcome: SetManyOutcome = { succeeded: 0, failed: [] }
  const sendBatch = async (given: SetManyItem[]): Promise<void> => {
    const sent = given.map(({ target, attributes, context = defaultContext }) => ({
      serviceId: target,
      attributes,
      context,
    }))
    const results = await send(sent, options)
    given.forEach((item, index) => {
      const { code, message } = results[index]!
      if (code === null) outcome.succeeded++
      else outcome.failed.push({ ...item, code, message: message ?? code })
    })
    onProgress?.({ succeeded: outcome.succeeded, failed: outcome.failed.length })
  }
  await forEachConcurrently(batchesOf(items, batch), sendBatch, { concurrency, signal: options.signal })
  return outcome
}

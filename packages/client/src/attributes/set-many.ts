import { forEachConcurrently } from '../concurrency.ts'
import type { AttributesResult } from '../schema/types.generated.ts'
import type { AttributeChanges, CallOptions } from '../types.ts'
import { batchesOf } from './batches.ts'

export interface SetManyItem {
  /** ID of a device, a service, or the access key's account. */
  target: string
  attributes: AttributeChanges
  context?: string | undefined
}

export interface SetManyOptions extends CallOptions {
  /** Context for items that do not specify one. By default, such items change base values. */
  context?: string | undefined
  /** Maximum number of batches in flight. Default: 4. */
  concurrency?: number | undefined
  /** Maximum number of items per batch, 1 to 1000. Default: 100. */
  batch?: number | undefined
  /** Called after each batch, with the numbers of items saved and rejected so far. */
  onProgress?: ((progress: { succeeded: number; failed: number }) => void) | undefined
}

export interface SetManyOutcome {
  succeeded: number
  /** Rejected items with the error code and message. The server saved none of their attributes. */
  failed: (SetManyItem & { code: string; message: string })[]
}

/** Sends a batch. Returns the results in the order of the items. `code` is null for a saved item. */
export type SendBatch = (
  items: { serviceId: string; attributes: AttributeChanges; context: string | undefined }[],
  options: CallOptions,
) => Promise<Pick<AttributesResult, 'code' | 'message'>[]>

export async function setMany(
  send: SendBatch,
  items: Iterable<SetManyItem> | AsyncIterable<SetManyItem>,
  { context: defaultContext, concurrency, batch = 100, onProgress, ...options }: SetManyOptions,
): Promise<SetManyOutcome> {
  if (!Number.isInteger(batch) || batch < 1 || batch > 1_000)
    throw new TypeError('batch must be a whole number from 1 to 1000')
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

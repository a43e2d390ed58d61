import { createSlot } from '../lib/slot.ts'

/**
 * Something made once for each request and kept as long as its context: a loader, a memo. `create` runs at the first use.
 */
export function perRequest<Context extends object, Value>(
  create: (context: Context) => Value,
): (context: Context) => Value {
  const made = createSlot<Context, Value>('per request')
  return (context) => {
    let value = made.get(context)
    if (value === undefined) {
      value = create(context)
      made.set(context, value)
    }
    return value
  }
}

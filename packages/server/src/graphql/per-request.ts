import { createSlot } from '../lib/slot.ts'

/** Creates a value at its first use in a request, and keeps it as long as the request's context: a loader, a memo. */
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

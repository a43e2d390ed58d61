import { createSlot } from '../lib/slot.ts'

/** Returns a function that creates a value once per request. Caches the value for as long as the context exists. */
export function perRequest<Context extends object, Value>(
  create: (context: Context) => Value,
): (context: Context) => Value {
  const values = createSlot<Context, Value>('per request')
  return (context) => {
    let value = values.get(context)
    if (value === undefined) {
      value = create(context)
      values.set(context, value)
    }
    return value
  }
}

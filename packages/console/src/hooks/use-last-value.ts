import { useState } from 'react'

/**
 * Returns the last defined value, so that a failed refetch neither empties the page nor discards the user's input. If a
 * component can show different objects, give it a different `key` for each object, so that React recreates it.
 */
export function useLastValue<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

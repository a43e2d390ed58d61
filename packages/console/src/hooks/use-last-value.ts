import { useState } from 'react'

/**
 * Returns the last defined value, so that a failed refetch neither empties the page nor discards the user's input. Give
 * a component that can show another object a `key`, so that React creates the component again.
 */
export function useLastValue<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value)
  if (value !== undefined && value !== last) setLast(value)
  return value ?? last
}

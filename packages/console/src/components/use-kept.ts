import { useState } from 'react'

/**
 * The last answer that was there: a failed refresh takes away neither what is shown nor what is being written in it. For a
 * component that is made anew for another thing.
 */
export function useKept<Value>(value: Value | undefined): Value | undefined {
  const [kept, setKept] = useState(value)
  if (value !== undefined && value !== kept) setKept(value)
  return value ?? kept
}

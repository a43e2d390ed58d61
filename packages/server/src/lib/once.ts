/** Returns a function that calls `run` only the first time, and then returns the same result again. */
export function once<Value extends object>(run: () => Value): () => Value {
  let result: Value | undefined
  return () => {
    result ??= run()
    return result
  }
}

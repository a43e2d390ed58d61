const listeners = new Set<() => void>()

/** Lets any code that detects an ended session notify the shell. */
export const signedOut = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

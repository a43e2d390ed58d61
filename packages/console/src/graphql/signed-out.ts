const listeners = new Set<() => void>()

/** Lets any code notify the shell that the session has ended. */
export const signedOut = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

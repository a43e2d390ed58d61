/** Tells the shell, wherever it was noticed, that the session no longer holds. */
const listeners = new Set<() => void>()

export const signedOut = {
  announce(): void {
    for (const listener of listeners) listener()
  },
  listen(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

interface Signal {
  announce(): void
  listen(listener: () => void): () => void
}

function createSignal(): Signal {
  const listeners = new Set<() => void>()
  return {
    announce() {
      for (const listener of listeners) listener()
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Lets any code notify the shell that the session has ended. */
export const signedOut = createSignal()

/** Lets any code notify the shell that the account requires another kind of sign-in. */
export const signInRequired = createSignal()

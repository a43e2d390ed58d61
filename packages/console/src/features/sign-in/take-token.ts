/** Returns a link's token, and removes it from the address, because the token is a secret. */
export function takeToken(): string {
  const token = window.location.hash.slice(1)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  return token
}

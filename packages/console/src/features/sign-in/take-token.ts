/** Returns the token in the URL, or an empty string. Removes the token from the URL, because the token is a secret. */
export function takeToken(): string {
  const token = window.location.hash.slice(1)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  return token
}

/** Without this header, which other sites cannot send, the server ignores the session cookie. */
export const sessionHeaders = { 'muster-session': '1' } as const

/** Fetch options that send the session, with additional headers. */
export const fetchOptionsWith = (headers: Readonly<Record<string, string>>): RequestInit => ({
  credentials: 'same-origin',
  headers: { ...sessionHeaders, ...headers },
})

/** Without this header, which no other site can send, the server does not look at the session. */
export const sessionHeaders = { 'muster-session': '1' } as const

/** How the session's requests are sent, with further headers. */
export const fetchOptionsWith = (headers: Readonly<Record<string, string>>): RequestInit => ({
  credentials: 'same-origin',
  headers: { ...sessionHeaders, ...headers },
})

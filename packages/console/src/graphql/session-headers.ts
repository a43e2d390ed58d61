/** Without this header, which no other site can send, the server does not look at the session. */
export const sessionHeaders = { 'muster-session': '1' } as const

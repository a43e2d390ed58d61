/** Passes the client's address to better-auth. The server sets this header, and never forwards a client's value. */
export const ADDRESS_HEADER = 'x-muster-address'

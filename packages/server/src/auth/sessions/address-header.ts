/** Tells better-auth the client's address. The server sets this header, and never forwards a client's own. */
export const ADDRESS_HEADER = 'x-muster-address'

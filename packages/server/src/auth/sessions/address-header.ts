/** Set by the server when it calls better-auth. A header of this name from a client is not forwarded. */
export const ADDRESS_HEADER = 'x-muster-address'

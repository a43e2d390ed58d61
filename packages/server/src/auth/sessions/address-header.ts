/** The server sets this header when it calls better-auth. It does not forward a client's header with this name. */
export const ADDRESS_HEADER = 'x-muster-address'

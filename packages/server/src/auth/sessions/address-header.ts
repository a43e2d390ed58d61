/**
 * The server sets this header when it calls better-auth. The server does not forward a client's header of this name.
 */
export const ADDRESS_HEADER = 'x-muster-address'

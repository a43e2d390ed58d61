/** Set by the server on what it hands on; what a client sends under this name is dropped. */
export const ADDRESS_HEADER = 'x-muster-address'

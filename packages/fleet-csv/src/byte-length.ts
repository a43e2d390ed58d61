const encoder = new TextEncoder()

/** Returns the number of UTF-8 bytes in a string. */
export const byteLength = (text: string): number => encoder.encode(text).length

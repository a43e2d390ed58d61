const encoder = new TextEncoder()

/** Bytes of the text in UTF-8. */
export const byteLength = (text: string): number => encoder.encode(text).length

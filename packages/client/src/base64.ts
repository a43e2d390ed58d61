/** Encodes bytes as base64. Supports only short inputs, because each byte becomes a function argument. */
export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** Decodes base64 and ignores whitespace. Returns undefined if the input is invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

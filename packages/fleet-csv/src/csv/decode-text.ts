import { FileError } from './file-error.ts'

export interface Decoded {
  text: string
  /** Whether all bytes are valid UTF-8. If not, U+FFFD replaces the invalid bytes. */
  valid: boolean
}

/** Decodes UTF-8. Throws a FileError if a byte order mark indicates UTF-16, which some spreadsheet programs write. */
export function decodeText(bytes: Uint8Array): Decoded {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (utf16) throw new FileError('the file is encoded in UTF-16', 'save the file as CSV in UTF-8')
  try {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes), valid: true }
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), valid: false }
  }
}

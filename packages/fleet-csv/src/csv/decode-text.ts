import { FileError } from './file-error.ts'

export interface Decoded {
  text: string
  /** False: the bytes are no valid UTF-8, and U+FFFD stands where they are not. */
  valid: boolean
}

/** Text from a file's bytes. UTF-16, as some spreadsheets save it, is refused with a word on what to do. */
export function decodeText(bytes: Uint8Array): Decoded {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (utf16) throw new FileError('the file is UTF-16', 'save it as CSV in UTF-8')
  try {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes), valid: true }
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), valid: false }
  }
}

import { describe, expect, it } from 'vitest'
import { readDeviceFile } from './read-file.ts'

describe('readDeviceFile', () => {
  it.each([
    ['', 'the file is empty'],
    ['hardwareId\nH1\n', 'there is no column "name"'],
    ['name;site\na;b\n', 'by commas, not by semicolons'],
    ['name,site,site\n', 'columns 2 and 3 have the same name "site"'],
    ['name,site,attributes.site\n', 'columns 2 and 3 have the same name'],
    ['name,\n', 'column 2 has no name'],
    ['name,.a\n', 'must not begin or end with a dot'],
    ['name,$other\n', 'names with $'],
  ])('rejects a file that begins with %j', (text, reason) => {
    expect(() => readDeviceFile(Buffer.from(text))).toThrow(reason)
  })

  it('rejects UTF-16', () => {
    expect(() => readDeviceFile(Buffer.from('\uFEFFname\n', 'utf16le'))).toThrow('the file is UTF-16')
  })
})

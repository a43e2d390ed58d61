import { describe, expect, it } from 'vitest'
import { readDeviceFile } from './read-file.ts'

describe('a file', () => {
  it.each([
    ['', 'the file is empty'],
    ['hardwareId\nH1\n', 'there is no column "name"'],
    ['name;site\na;b\n', 'by commas, not by semicolons'],
    ['name,site,site\n', 'columns 2 and 3 are both called "site"'],
    ['name,site,attributes.site\n', 'columns 2 and 3 are both called'],
    ['name,\n', 'column 2 has no name'],
    ['name,.a\n', 'neither begins nor ends with a dot'],
    ['name,$other\n', 'names that begin with $'],
  ])('that begins with %j is refused whole', (text, reason) => {
    expect(() => readDeviceFile(Buffer.from(text))).toThrow(reason)
  })

  it('in UTF-16 is refused', () => {
    expect(() => readDeviceFile(Buffer.from('\uFEFFname\n', 'utf16le'))).toThrow('the file is UTF-16')
  })
})

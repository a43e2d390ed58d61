import { describe, expect, it } from 'vitest'
import { attributeColumn } from './columns.ts'
import { readDeviceFile } from './read-file.ts'

describe('readDeviceFile', () => {
  it.each([
    ['', 'the file is empty'],
    ['hardwareId\nH1\n', 'there is no column "name"'],
    ['name;site\na;b\n', 'with commas, not with semicolons'],
    ['name,site,site\n', 'columns 2 and 3 have the same name "site"'],
    ['name,site,attributes.site\n', 'columns 2 and 3 name the same attribute ("site" and "attributes.site")'],
    ['name,\n', 'column 2 has no name'],
    ['name,.a\n', 'must not begin or end with a dot'],
    ['name,$other\n', 'attributes that begin with $'],
  ])('rejects a file that begins with %j', (text, reason) => {
    expect(() => readDeviceFile(Buffer.from(text))).toThrow(reason)
  })

  it('ignores columns of read-only fields, but not columns of attributes with the same names', () => {
    const file = readDeviceFile(
      Buffer.from('id,name,state,services.port,attributes.state,attributes.id\n80:01,a,active,22,x,\n'),
    )
    expect(file.columns).toEqual([
      { ignored: 'id' },
      { field: 'name' },
      { ignored: 'state' },
      { ignored: 'services.port' },
      { attribute: 'state', isPrefixed: true },
      { attribute: 'id', isPrefixed: true },
    ])
    expect(file.rows).toEqual([
      expect.objectContaining({ name: 'a', services: [], attributes: new Map([['state', 'x']]) }),
    ])
    expect(['state', 'services.port', 'contexts', 'site', 'services.x'].map(attributeColumn)).toEqual([
      ...['attributes.state', 'attributes.services.port', 'attributes.contexts', 'site', 'services.x'],
    ])
  })

  it('rejects a file in UTF-16', () => {
    expect(() => readDeviceFile(Buffer.from('\uFEFFname\n', 'utf16le'))).toThrow('the file is encoded in UTF-16')
  })
})

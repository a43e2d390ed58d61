import { describe, expect, it } from 'vitest'
import { parseWhere } from './where.ts'

describe('parseWhere', () => {
  it('converts conditions to an API filter', () => {
    const given = ['state=active', 'platform=a', 'platform=b', 'name~pump', 'application=ssh', 'site=a=b', 'net.ssid=']
    expect(parseWhere([...given, 'attributes.state=x'], 'night')).toEqual({
      applications: ['ssh'],
      where: {
        filter: {
          context: 'night',
          state: 'active',
          platform: ['a', 'b'],
          name: 'pump',
          attributes: { site: 'a=b', 'net.ssid': '', state: 'x' },
        },
      },
    })
    expect(parseWhere(['name=pump 7']).where).toEqual({ filter: { name: 'pump 7' }, exactName: 'pump 7' })
  })

  it.each([
    [['foo'], 'not a condition'],
    [['=x'], 'not a condition'],
    [['site~x'], 'not with site'],
    [['name='], 'empty'],
    [['state=active', 'state=inactive'], 'cannot be both'],
    [['site=a', 'site=b'], 'cannot be both'],
  ])('rejects %j', (conditions, reason) => {
    expect(() => parseWhere(conditions)).toThrow(reason)
  })
})

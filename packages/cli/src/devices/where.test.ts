import { describe, expect, it } from 'vitest'
import { parseWhere } from './where.ts'

describe('conditions', () => {
  it('become the filter of the API', () => {
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
    [['foo'], 'no condition'],
    [['=x'], 'no condition'],
    [['site~x'], 'not of site'],
    [['name='], 'empty'],
    [['state=active', 'state=inactive'], 'at once'],
    [['site=a', 'site=b'], 'at once'],
  ])('%j are refused', (conditions, reason) => {
    expect(() => parseWhere(conditions)).toThrow(reason)
  })
})

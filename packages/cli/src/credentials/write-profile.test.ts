import { describe, expect, it } from 'vitest'
import { assertProfileName, withSection } from './write-profile.ts'

const values = { MUSTER_URL: 'http://h', MUSTER_ACCESS_KEY_ID: 'k', MUSTER_SECRET_ACCESS_KEY: 's' }
const section = 'MUSTER_URL=http://h\nMUSTER_ACCESS_KEY_ID=k\nMUSTER_SECRET_ACCESS_KEY=s\n'

describe('withSection', () => {
  it('appends a new profile', () => {
    expect(withSection('', 'default', values)).toBe(`[default]\n${section}`)
    expect(withSection('; mine\n[a]\nX=1', 'b', values)).toBe(`; mine\n[a]\nX=1\n\n[b]\n${section}`)
  })

  it('replaces the server URL and the access key of an existing profile, and keeps its other lines', () => {
    const before =
      '; mine\n[a]\nMUSTER_URL=old\n; kept\nMUSTER_PRIVATE_KEY_FILE=old.pem\nMUSTER_EMAIL=e\n[b]\nMUSTER_URL=b\n'
    expect(withSection(before, 'a', values)).toBe(`; mine\n[a]\n${section}; kept\nMUSTER_EMAIL=e\n[b]\nMUSTER_URL=b\n`)
  })

  it('recognizes a heading with spaces', () => {
    expect(withSection(' [ a ]\nMUSTER_URL=old\n', 'a', values)).toBe(` [ a ]\n${section}`)
  })

  it('accepts only names of letters, digits, hyphens, and underscores', () => {
    for (const name of ['a b', '', 'a]', 'a.b', '../x']) expect(() => assertProfileName(name)).toThrow('profile')
    expect(() => assertProfileName('work-2_x')).not.toThrow()
  })
})

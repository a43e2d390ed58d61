import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import { differenceFrom, holds } from './printed.ts'

const block = (info: string, text = 'x'): string => `\`\`\`${info}\n${text}\n\`\`\`\n`

describe('blocksOf', () => {
  it.each([
    ['sh run', { kind: 'run', exit: 0 }],
    ['sh run exit=22', { kind: 'run', exit: 22 }],
    ['sh run again', { kind: 'run', exit: 0, again: true }],
    ['js file=loop.mjs', { kind: 'file', name: 'loop.mjs' }],
    ['sh server', { kind: 'server' }],
    ['sh background=receiver', { kind: 'background', name: 'receiver' }],
    ['json output', { kind: 'output', of: undefined }],
    ['text output=receiver', { kind: 'output', of: 'receiver' }],
    ['text errors', { kind: 'errors' }],
    ['sh norun: needs systemd', { kind: 'norun', reason: 'needs systemd' }],
    ['json', { kind: 'shown' }],
  ])('reads %s', (info, use) => {
    expect(blocksOf(`A page.\n\n${block(info)}`)).toEqual([{ line: 3, language: info.split(' ')[0], use, text: 'x' }])
  })

  it('takes the indent of a list off its blocks', () => {
    expect(blocksOf('- a\n\n  ```sh run\n  if true; then\n    ls\n  ```')[0]?.text).toBe('if true; then\n  ls')
  })

  it.each([
    ['a command that nothing is said of', block('sh')],
    ['a query that nothing is said of', block('graphql')],
    ['a block without a language', block('')],
    ['a word that means nothing', block('sh rnu')],
    ['a block left out without a reason', block('sh norun:')],
    ['a command outside fences', 'Try:\n\n    muster export\n'],
    ['a block without an end', '```sh run\nls\n'],
  ])('refuses %s', (_what, page) => {
    expect(() => blocksOf(page)).toThrow(/^line \d+: /)
  })
})

describe('differenceFrom', () => {
  it.each([
    ['text', 'a\nb', 'a\nb\n'],
    ['text', 'id …, done', 'id 80:00, done'],
    ['text', 'a\n…\nz', 'a\nb\nc\nz'],
    ['text', 'a\n…', 'a'],
    ['json', '{"a": 1, "b": [2]}', '{"b":[2],"a":1}'],
    ['json', '{"id": "80:…", "x": "…"}', '{"id":"80:00","x":{"y":1}}'],
    ['json', '[1, "…"]', '[1,2,3]'],
    ['json', '{"a": 1}', '{"b":2}\n{"a":1}\n'],
    ['json', '{"a": 1, "…": "…"}', '{"a":1,"b":2}'],
  ])('takes %s %j for %j', (language, shown, printed) => {
    expect(differenceFrom(shown, printed, language)).toBeUndefined()
  })

  it.each([
    ['text', 'a', 'a\nb\n'],
    ['text', 'a.c', 'abc'],
    ['text', 'id …, done', 'id 80:00\n, done'],
    ['json', '{"a": 1}', '{"a":1,"b":2}'],
    ['json', '{"a": 1}', '{"a":"1"}'],
    ['json', '[1]', '[1,2]'],
    ['json', '{"b": 2}', '{"b":2}\n{"a":1}\n'],
    ['json', '{"id": "80:…"}', '{"id":"81:00"}'],
    ['json', '{"id": "…"}', '{}'],
    ['json', '{"a": 1}', 'nothing'],
  ])('tells %s %j from %j', (language, shown, printed) => {
    expect(differenceFrom(shown, printed, language)).toContain('printed')
  })
})

describe('holds', () => {
  it('finds whole lines among others', () => {
    expect(holds('device.state …', 'listening\ndevice.state {}\nmore\n')).toBe(true)
    expect(holds('state …', 'listening\ndevice.state {}\n')).toBe(false)
  })
})

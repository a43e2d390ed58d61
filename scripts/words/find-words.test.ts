import { expect, it } from 'vitest'
import { findWords } from './find-words.ts'

it('finds words case-insensitively and reports their position and replacement', () => {
  expect(findWords('First line.\nAn Answer is told ANEW.')).toEqual([
    { line: 2, column: 11, found: 'is told', instead: 'reports, notifies, sends' },
    { line: 2, column: 19, found: 'ANEW', instead: 'again' },
  ])
})

it('ignores words that contain a listed word only as a part', () => {
  expect(findWords('amended, recommend, underwayside, contexts')).toEqual([])
})

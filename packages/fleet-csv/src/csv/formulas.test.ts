import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralizeFormula, restoreFormula } from './formulas.ts'

describe('formulas', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1 212 555', "'+1 212 555"],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\r=1"],
    ['\uFF1D1+1', "'\uFF1D1+1"],
    ['-5\n=1', "'-5\n=1"],
    ["'=1", "''=1"],
    ['-', "'-"],
  ])('neutralizes %j', (cell, expected) => {
    expect(neutralizeFormula(cell)).toBe(expected)
    expect(restoreFormula(expected)).toBe(cell)
  })

  it.each([null, '', 'oslo', '-5', '+5', '-0.25', '1-2', "'oslo", "'-5", "'", 'a=b'])('leaves %j unchanged', (cell) => {
    expect(neutralizeFormula(cell)).toBe(cell)
    expect(restoreFormula(cell)).toBe(cell)
  })

  it('restores every neutralized cell to its original content', () => {
    const awkward = fc.string({
      unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '5', '.', 'a', '\uFF0B'),
    })
    fc.assert(fc.property(awkward, (cell) => restoreFormula(neutralizeFormula(cell)) === cell))
  })
})

/**
 * Loaded into a server ahead of everything: its clock, that of the day, jumps by as many milliseconds as stand in a file whenever
 * SIGUSR2 comes, and says so in another file. What only ever goes on, such as `performance.now` and timers, does not jump, as on a machine whose clock is set.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const Actual = Date
let shift = 0

process.on('SIGUSR2', () => {
  const text = readFileSync(process.env.SHIFT_FILE!, 'utf8')
  shift = Number(text)
  writeFileSync(`${process.env.SHIFT_FILE}.done`, text)
})

class ShiftedDate extends Actual {
  constructor(...given: ConstructorParameters<typeof Date> | []) {
    if (given.length === 0) super(Actual.now() + shift)
    else super(...(given as ConstructorParameters<typeof Date>))
  }

  static override now(): number {
    return Actual.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor

/**
 * Node preloads this module into a server. On SIGUSR2, it shifts the wall clock by the number of milliseconds in a file
 * and confirms the shift in another file. As when an operator sets the clock, monotonic clocks such as
 * `performance.now` and timers do not jump.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const RealDate = Date
let shift = 0

process.on('SIGUSR2', () => {
  const milliseconds = readFileSync(process.env.SHIFT_FILE!, 'utf8')
  shift = Number(milliseconds)
  writeFileSync(`${process.env.SHIFT_FILE}.done`, milliseconds)
})

class ShiftedDate extends RealDate {
  constructor(...args: ConstructorParameters<typeof Date> | []) {
    if (args.length === 0) super(RealDate.now() + shift)
    else super(...(args as ConstructorParameters<typeof Date>))
  }

  static override now(): number {
    return RealDate.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor

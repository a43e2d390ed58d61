/**
 * Preloaded into a server. On SIGUSR2, shifts the wall clock by the milliseconds in a file. Monotonic clocks do not
 * jump.
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

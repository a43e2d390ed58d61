/**
 * A server preloads this module. On SIGUSR2, the module sets the server's wall clock to the real time plus the number
 * of milliseconds in the file that SHIFT_FILE names. The number can be negative. Monotonic clocks do not change.
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

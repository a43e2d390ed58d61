import pg from 'pg'
import { expect, test } from 'vitest'
import { parseTime } from './type-parsers.ts'

const parseWithPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown

const fractions = Array.from({ length: 1_000 }, (_, milliseconds) =>
  String(milliseconds / 1_000)
    .replace('0.', '.')
    .replace(/^0$/, ''),
)

test('parses times in the same way as pg', () => {
  const times = [
    ...fractions.map((fraction) => `2026-11-20 08:30:59${fraction}+00`),
    '1969-12-31 23:59:59.999999+00',
    '2024-02-29 00:00:00+00',
    '9999-12-31 23:59:59.999+00',
    '0044-03-15 10:00:00+00',
    '0044-03-15 10:00:00+00 BC',
    '12026-01-01 00:00:00+00',
    '2026-11-20 08:30:00+05:30',
    'infinity',
    '-infinity',
  ]
  for (const time of times) expect({ time, parsed: parseTime(time) }).toEqual({ time, parsed: parseWithPg(time) })
})

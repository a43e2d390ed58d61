import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { UpgradeCase } from '../case.ts'

/** The migration adds only indexes and functions, which read values that any release wrote. */
const functions: UpgradeCase = {
  async checkAlways(db) {
    const { rows } = await sql<{ value: string; number: string | null; time: Date | null }>`
      select value, attribute_number(value)::text as number, attribute_time(value) as time
      from unnest(array['1.50', '-3', 'x', '1e400', '2026-11-20', '2026-02-30', '2026-11-20T10:00:00+02:00', '2026-11-20T10:00:00'])
        as value`.execute(db)
    assert.deepEqual(
      rows.map(({ number, time }) => [number, time?.toISOString() ?? null]),
      [
        ['1.50', null],
        ['-3', null],
        [null, null],
        [null, null],
        [null, '2026-11-20T00:00:00.000Z'],
        [null, null],
        [null, '2026-11-20T08:00:00.000Z'],
        [null, null],
      ],
    )
  },
}

export default functions

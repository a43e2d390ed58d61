import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database/test-database.ts'
import { createDatabase } from '../../db/database.ts'
import { createPool } from '../../db/pool/create-pool.ts'
import { registerWithCode } from './register-with-code.ts'

test('runs only one statement for an unknown code', async () => {
  const { connection, drop } = await createTestDatabase()
  onTestFinished(drop)
  const sent: string[] = []
  const statement = (text: string, _name: string | undefined, run: () => unknown): unknown => {
    sent.push(text)
    return run()
  }
  const db = createDatabase(createPool({ connection, size: 2, statementTimeout: 0 }), { statement })
  onTestFinished(() => db.destroy())
  const guessed = registerWithCode(
    { db, clock: () => new Date(), onCode() {} },
    { code: 'MCGUESS', hardwareId: 'X' },
    undefined,
  )
  await expect(guessed).rejects.toMatchObject({ details: { reason: 'unknown-code' } })
  expect(sent).toHaveLength(1)
})

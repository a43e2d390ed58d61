import { toKeyPolicy } from '../../auth/key-policy-rules.ts'
import type { CommandLineKeys } from '../../auth/sessions/command-line/command-line-keys.ts'
import type { Context } from '../../context.ts'
import type { Viewer } from '../../viewer.ts'
import { selectKeyPolicy } from './access-keys.queries.ts'
import { addAccessKey } from './create-access-key.ts'
import { assertComplies } from './key-policy.ts'

const DAY_MS = 86_400_000
const DAYS = 90

export function commandLineKeys(options: Pick<Context, 'db' | 'secrets' | 'clock' | 'signIn'>): CommandLineKeys {
  const { db, clock } = options
  const termsOf = async (transaction: Context['db'], { accountId }: Viewer) => {
    const { maxDays, requireDigest } = toKeyPolicy(await selectKeyPolicy(transaction, accountId))
    return { requireDigest, expires: new Date(clock().getTime() + Math.min(DAYS, maxDays ?? DAYS) * DAY_MS) }
  }
  return {
    async expiryIn(viewer) {
      const terms = await termsOf(db, viewer)
      await assertComplies({ db, viewer }, { ...terms, kind: 'personal', created: clock(), networks: [] })
      return terms.expires
    },
    create: (viewer, { publicKey, machine }) =>
      db.transaction().execute(async (transaction) => {
        const terms = await termsOf(transaction, viewer)
        const context = { ...options, db: transaction, viewer }
        const { key } = await addAccessKey(context, { ...terms, name: machine, publicKey, personal: true })
        return key
      }),
  }
}
